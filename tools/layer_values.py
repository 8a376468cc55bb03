# SPDX-License-Identifier: MIT
"""The numbers that sinter's layers give, by their definitions: with these the converters check what they write.

A layer is a Spelled of layer_shapes.py. Its function gets the layer, rows [B, ..], a WrittenNetwork, which has the
weights, and the beginning of their names. Nothing here reads a model of another library. Needs NumPy.
"""

import numpy as np

import attention_values
import function_values
import recurrent_values
import window_values
from function_values import axis
from recurrent_values import given_state, recurrence

# -- what moves numbers ------------------------------------------------------------


def pad(mode):
    def values(layer, x, *_):
        sides = layer.numbers * (2 * x.ndim - 4) if len(layer.numbers) == 1 else layer.numbers
        return np.pad(x, [(0, 0), (0, 0), *list(zip(sides[::2], sides[1::2]))[::-1]], mode)

    return values


def upsample(layer, x, *_):
    factor = layer.numbers[0]
    for dim in range(2, x.ndim):
        size = x.shape[dim]
        at = np.arange(factor * size)
        if "Bilinear" not in layer.options:
            x = x.take(at // factor, dim)
            continue
        place = (
            at * (size - 1) / max(1, factor * size - 1)
            if "AlignCorners" in layer.options
            else np.maximum(0, (at + 0.5) / factor - 0.5)
        )
        first = np.minimum(place.astype(int), size - 1)
        share = (place - first).astype(x.dtype).reshape(-1, *[1] * (x.ndim - 1 - dim))
        x = x.take(first, dim) * (1 - share) + x.take(np.minimum(first + 1, size - 1), dim) * share
    return x


def pixel_shuffle(layer, x, *_):
    f, (count, channels, height, width) = layer.numbers[0], x.shape
    return (
        x.reshape(count, channels // f**2, f, f, height, width)
        .transpose(0, 1, 4, 2, 5, 3)
        .reshape(count, channels // f**2, height * f, width * f)
    )


def pixel_unshuffle(layer, x, *_):
    f, (count, channels, height, width) = layer.numbers[0], x.shape
    return (
        x.reshape(count, channels, height // f, f, width // f, f)
        .transpose(0, 1, 3, 5, 2, 4)
        .reshape(count, channels * f**2, height // f, width // f)
    )


def part(layer, x, *_):
    first, count, dim = [*layer.numbers, 1][:3]
    return x.take(range(first, first + count), axis(x, dim))


def reduction(reduce):
    def values(layer, x, *_):
        y = reduce(x, tuple(axis(x, dim) for dim in layer.numbers))
        return y[:, None] if y.ndim == 1 else y

    return values


def embedding(layer, x, net, name):
    count, size = layer.numbers
    table = net.weight(f"{name}weight", count, size)
    known = (x == np.floor(x)) & (x >= 0) & (x < count)
    y = np.where(known[..., None], table[np.where(known, x, 0).astype(int)], np.nan)
    return y.swapaxes(1, 2) if "ChannelsFirst" in layer.options else y


# -- layers of layers ------------------------------------------------------------


def branches(layer, x, net, name):
    return [net.path(one.arguments, x, f"{name}{i}.") for i, one in enumerate(layer.arguments) if one.name == "Path"]


def heads(layer, x, net, name):
    ends = [one.arguments[1] if one.name == "Named" else one for one in layer.arguments]
    return np.concatenate(
        [net.path(one.arguments, x, f"{name}{i}.").reshape(len(x), -1) for i, one in enumerate(ends)], 1
    )


def residual(layer, x, net, name):
    given, *shortcut = layer.arguments
    return net.path(given.arguments, x, f"{name}path.") + (
        net.path(shortcut[0].arguments, x, f"{name}shortcut.") if shortcut else x
    )


def matrix_product(layer, x, net, name):
    one, two = branches(layer, x, net, name)
    one = one.swapaxes(-1, -2) if "TransposeFirst" in layer.options else one
    y = layer.option("Factor", [1])[0] * (one @ (two.swapaxes(-1, -2) if "TransposeSecond" in layer.options else two))
    return np.where(np.tri(*y.shape[-2:], dtype=bool), y, -np.inf) if "Causal" in layer.options else y


def recurrent(layer, x, net, name):
    inside, steps, *others = layer.arguments
    given = {
        one.name: net.path(one.arguments, x, f"{name}{begin}")
        for one in others
        for begin in [{"Lengths": "lengths.", "InitialState": "initial_state."}[one.name]]
    }
    state = given_state(inside, given["InitialState"]) if "InitialState" in given else None
    return recurrence(inside, net.path(steps.arguments, x, f"{name}path."), net, name, state, given.get("Lengths"))


VALUES = {
    **function_values.VALUES,
    **window_values.VALUES,
    **recurrent_values.VALUES,
    **attention_values.VALUES,
    **dict.fromkeys(("Dropout", "Dropout2d"), lambda _, x, *__: x),
    "Embedding": embedding,
    "Flatten": lambda _, x, *__: x.reshape(len(x), -1),
    "Reshape": lambda layer, x, *_: x.reshape(len(x), *layer.numbers),
    **{
        f"{kind}Pad{rank}d": pad(mode)
        for kind, mode in (("Zero", "constant"), ("Reflection", "reflect"), ("Replication", "edge"))
        for rank in (1, 2)
    },
    "Upsample": upsample,
    "PixelShuffle": pixel_shuffle,
    "PixelUnshuffle": pixel_unshuffle,
    "Slice": part,
    "Permute": lambda layer, x, *_: x.transpose(layer.numbers),
    "Transpose": lambda layer, x, *_: x.swapaxes(*[axis(x, dim) for dim in layer.numbers]),
    "Flip": lambda layer, x, *_: np.flip(x, [axis(x, dim) for dim in layer.numbers]),
    "Mean": reduction(np.mean),
    "Sum": reduction(np.sum),
    "Path": lambda layer, x, net, name: net.path(layer.arguments, x, name),
    "Concat": lambda *given: np.concatenate(branches(*given), 1),
    "Heads": heads,
    "Product": lambda *given: np.prod(branches(*given), 0),
    "Maximum": lambda *given: np.max(branches(*given), 0),
    "Residual": residual,
    "MatrixProduct": matrix_product,
    "Recurrent": recurrent,
    "TakeInput": lambda layer, x, net, _: net.input_of(x, layer.arguments[1].name),
}
