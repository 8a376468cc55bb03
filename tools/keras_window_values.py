# SPDX-License-Identifier: MIT
"""Keras' convolutions, pools and paddings in double precision, for the self-test. from_keras.py needs this file."""
import math

import numpy as np

from keras_function_values import activation


def sizes(given, rank):
    return list(given) if isinstance(
        given, list) and len(given) == rank else [given[0] if isinstance(given, list) else given] * rank


def windows(x, config, taps, fill):
    """[row, place.., tap.., channel] of [row, space.., channel]."""
    rank = x.ndim - 2
    strides, dilation = sizes(config.get("strides") or taps, rank), sizes(config.get("dilation_rate", 1), rank)
    for axis in range(rank):
        n, k, s, d = x.shape[axis + 1], taps[axis], strides[axis], dilation[axis]
        reach, padding = d * (k - 1) + 1, config.get("padding")
        total = {"valid": 0, "causal": reach - 1, "same": max(0, (math.ceil(n / s) - 1) * s + reach - n)}[padding]
        before = total if padding == "causal" else total // 2
        pads = [(0, 0)] * x.ndim
        pads[axis + 1] = (before, total - before)
        x = np.pad(x, pads, constant_values=fill)
        count = (n + total - reach) // s + 1
        places = np.arange(count)[:, None] * s + np.arange(k) * d
        x = np.take(x, places, axis + 1)
        x = np.moveaxis(x, axis + 2, -2)  # taps go behind the places
    return x


def last_channels(function):
    """For layers that may have the channels first."""

    def of(config, weights, x):
        if config.get("data_format") != "channels_first":
            return function(config, weights, x)
        y = function(config, weights, np.moveaxis(x, 1, -1))
        return np.moveaxis(y, -1, 1) if y.ndim > 2 else y

    return of


def finish(config, y, bias):
    return activation(y + (bias[0] if bias else 0), config.get("activation"))


def conv(config, weights, x):
    kernel, *bias = weights
    rank, groups = x.ndim - 2, config.get("groups", 1)
    each, out = kernel.shape[-2], kernel.shape[-1] // groups
    parts = [
        np.tensordot(windows(x[..., g * each:(g + 1) * each], config, kernel.shape[:rank], 0),
                     kernel[..., g * out:(g + 1) * out], rank + 1) for g in range(groups)]
    return finish(config, np.concatenate(parts, -1), bias)


def depthwise(config, weights, x):
    kernel, *bias = weights
    return finish(config, by_channel(config, kernel, x), bias)


def by_channel(config, kernel, x):
    rank = x.ndim - 2
    seen = windows(x, config, kernel.shape[:rank], 0)
    y = np.stack([np.tensordot(seen[..., c], kernel[..., c, :], rank) for c in range(x.shape[-1])], -2)
    return y.reshape(*y.shape[:-2], -1)


def separable(config, weights, x):
    each, across, *bias = weights
    return finish(config, by_channel(config, each, x) @ across.reshape(across.shape[-2:]), bias)


def transposed(config, weights, x):
    """Each number adds the kernel, times itself, to the places it reaches."""
    kernel, *bias = weights
    rank = x.ndim - 2
    taps, strides, dilation = kernel.shape[:rank], sizes(config["strides"],
                                                         rank), sizes(config.get("dilation_rate", 1), rank)
    reach = [d * (k - 1) + 1 for k, d in zip(taps, dilation)]
    full = [(n - 1) * s + max(r, s) for n, s, r in zip(x.shape[1:-1], strides, reach)]
    y = np.zeros((len(x), *full, kernel.shape[-2]))
    for tap in np.ndindex(*taps):
        at = tuple(
            slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, x.shape[1:-1], strides))
        y[(slice(None), *at)] += x @ kernel[tap].T
    if config["padding"] == "same":
        cut = [max(0, r - s) // 2 for r, s in zip(reach, strides)]
        y = y[(slice(None), *[slice(c, c + n * s) for c, n, s in zip(cut, x.shape[1:-1], strides)])]
    return finish(config, y, bias)


def pool(function, fill):

    def of(config, _, x):
        rank = x.ndim - 2
        seen = windows(x, config, sizes(config["pool_size"], rank), fill)
        return function(seen, axis=tuple(range(1 + rank, 1 + 2 * rank)))

    return of


def global_pool(function):
    return lambda config, _, x: function(x, axis=tuple(range(1, x.ndim - 1)), keepdims=bool(config.get("keepdims")))


def pairs(given, rank):
    given = [given] * rank if isinstance(given, int) else given
    given = [given] if rank == 1 and len(given) == 2 else given
    return [(n, n) if isinstance(n, int) else tuple(n) for n in given]


def zero_padding(config, _, x):
    return np.pad(x, [(0, 0), *pairs(config["padding"], x.ndim - 2), (0, 0)])


def cropping(config, _, x):
    return x[(slice(None), *[
        slice(before, n - after) for (before, after), n in zip(pairs(config["cropping"], x.ndim - 2), x.shape[1:])])]


def upsampling(config, _, x):
    factors = sizes(config["size"], x.ndim - 2)
    for axis, factor in enumerate(factors, 1):
        if config.get("interpolation", "nearest") == "nearest":
            x = np.repeat(x, factor, axis)
            continue
        at = np.clip((np.arange(x.shape[axis] * factor) + 0.5) / factor - 0.5, 0, x.shape[axis] - 1)
        low = np.floor(at).astype(int)
        high, part = np.minimum(low + 1,
                                x.shape[axis] - 1), (at - low).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        x = np.take(x, low, axis) * (1 - part) + np.take(x, high, axis) * part
    return x


KINDS = {
    "Conv": conv, "DepthwiseConv": depthwise, "SeparableConv": separable, "MaxPooling": pool(np.max, -np.inf),
    "AveragePooling": pool(np.mean, np.nan), "GlobalMaxPooling": global_pool(np.max),
    "GlobalAveragePooling": global_pool(np.mean), "ZeroPadding": zero_padding, "Cropping": cropping,
    "UpSampling": upsampling
}
LAYERS = {f"{kind}{rank}": last_channels(function) for kind, function in KINDS.items() for rank in ("1D", "2D")}
LAYERS |= {f"Conv{rank}Transpose": last_channels(transposed) for rank in ("1D", "2D")}
