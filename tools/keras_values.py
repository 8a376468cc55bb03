# SPDX-License-Identifier: MIT
"""What a model of Keras computes, in double precision, for the self-test: each layer in Keras' own layouts, from the
configuration and the weights as the file has them. It shares nothing with what writes the layers of sinter. from_keras.py
needs this file beside it."""
import math
import re

import numpy as np

from layer_graph import require


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softplus(x):
    return np.logaddexp(0, x)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def erf(x):
    return np.vectorize(math.erf, otypes=[float])(x)


def elu(x, alpha=1.0):
    return np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0)))


def hard_sigmoid(x):
    return np.clip(x + 3, 0, 6) / 6


def silu(x):
    return x * sigmoid(x)


def leaky(x, slope=0.2):
    return np.where(x > 0, x, slope * x)


FUNCTIONS = {
    "linear": lambda x: x, "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "sigmoid": sigmoid, "tanh": np.tanh, "elu": elu, "celu": elu,
    "selu": lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772), "gelu": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))), "silu": silu, "swish": silu,
    "softplus": softplus, "softsign": lambda x: x / (1 + np.abs(x)), "mish": lambda x: x * np.tanh(softplus(x)), "hard_sigmoid": hard_sigmoid,
    "hard_silu": lambda x: x * hard_sigmoid(x), "hard_swish": lambda x: x * hard_sigmoid(x), "hard_tanh": lambda x: np.clip(x, -1, 1), "leaky_relu": leaky,
    "exponential": np.exp, "exp": np.exp, "log_sigmoid": lambda x: -softplus(-x), "tanh_shrink": lambda x: x - np.tanh(x), "softmax": softmax,
    "log_softmax": lambda x: x - x.max(-1, keepdims=True) - np.log(np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)),
    "square": np.square, "sqrt": np.sqrt, "log": np.log, "abs": np.abs, "absolute": np.abs, "negative": np.negative,
}


def activation(x, given):
    if isinstance(given, dict):
        return SIMPLE[given["class_name"]](given["config"], [], x)
    return FUNCTIONS[given or "linear"](x)


def relu(config, _, x):
    y = leaky(x, config.get("negative_slope") or 0)
    return y if config.get("max_value") is None else np.minimum(y, config["max_value"])


# -- windows: all in channels last -------------------------------------------------------------------------------------------


def sizes(given, rank):
    return list(given) if isinstance(given, list) and len(given) == rank else [given[0] if isinstance(given, list) else given] * rank


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
    return activation_kept(config, y + (bias[0] if bias else 0))


def activation_kept(config, y):
    given = config.get("activation")
    return activation(y, given)


def conv(config, weights, x):
    kernel, *bias = weights
    rank, groups = x.ndim - 2, config.get("groups", 1)
    each, out = kernel.shape[-2], kernel.shape[-1] // groups
    parts = [np.tensordot(windows(x[..., g * each:(g + 1) * each], config, kernel.shape[:rank], 0), kernel[..., g * out:(g + 1) * out], rank + 1) for g in range(groups)]
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
    taps, strides, dilation = kernel.shape[:rank], sizes(config["strides"], rank), sizes(config.get("dilation_rate", 1), rank)
    reach = [d * (k - 1) + 1 for k, d in zip(taps, dilation)]
    full = [(n - 1) * s + max(r, s) for n, s, r in zip(x.shape[1:-1], strides, reach)]
    y = np.zeros((len(x), *full, kernel.shape[-2]))
    for tap in np.ndindex(*taps):
        at = tuple(slice(t * d, t * d + (n - 1) * s + 1, s) for t, d, n, s in zip(tap, dilation, x.shape[1:-1], strides))
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
    return x[(slice(None), *[slice(before, n - after) for (before, after), n in zip(pairs(config["cropping"], x.ndim - 2), x.shape[1:])])]


def upsampling(config, _, x):
    factors = sizes(config["size"], x.ndim - 2)
    for axis, factor in enumerate(factors, 1):
        if config.get("interpolation", "nearest") == "nearest":
            x = np.repeat(x, factor, axis)
            continue
        at = np.clip((np.arange(x.shape[axis] * factor) + 0.5) / factor - 0.5, 0, x.shape[axis] - 1)
        low = np.floor(at).astype(int)
        high, part = np.minimum(low + 1, x.shape[axis] - 1), (at - low).reshape([-1 if a == axis else 1 for a in range(x.ndim)])
        x = np.take(x, low, axis) * (1 - part) + np.take(x, high, axis) * part
    return x


# -- steps ---------------------------------------------------------------------------------------------------------------


def simple_rnn(config, weights, x, state):
    w, u, *b = weights
    return (np.tanh(x @ w + state[0] @ u + (b[0] if b else 0)),)


def gru(config, weights, x, state):
    w, u, *b = weights
    of_input, of_state = b[0] if b else (0, 0)
    (z, r, h), (hz, hr, hh) = np.split(x @ w + of_input, 3, -1), np.split(state[0] @ u + of_state, 3, -1)
    z = sigmoid(z + hz)
    return (z * state[0] + (1 - z) * np.tanh(h + sigmoid(r + hr) * hh),)


def lstm(config, weights, x, state):
    w, u, *b = weights
    i, f, c, o = np.split(x @ w + state[0] @ u + (b[0] if b else 0), 4, -1)
    cell = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(c)
    return sigmoid(o) * np.tanh(cell), cell


STEPS = {"SimpleRNN": simple_rnn, "GRU": gru, "LSTM": lstm}


def recurrent(layer, x, place=""):
    config = layer.given.config
    weights = layer.stored.arrays(f"{layer.place}/cell", snake(layer.kind) + "_cell")
    state, every = [np.zeros((len(x), config["units"]))] * 2, []
    for t in range(x.shape[1])[::-1] if config.get("go_backwards") else range(x.shape[1]):
        state = STEPS[layer.kind](config, weights, x[:, t], state)
        every.append(state[0])
    return np.stack(every, 1) if config.get("return_sequences") else state[0]


def snake(name):
    return {"SimpleRNN": "simple_rnn", "GRU": "gru", "LSTM": "lstm"}[name]


def bidirectional(layer, x):
    config = layer.given.config
    one, other = (recurrent(layer.inner(key, place), x) for key, place in (("layer", "forward_layer"), ("backward_layer", "backward_layer")))
    other = other[:, ::-1] if one.ndim == 3 else other
    return {"concat": lambda: np.concatenate([one, other], -1), "sum": lambda: one + other, "ave": lambda: (one + other) / 2, "mul": lambda: one * other}[config["merge_mode"]]()


def attention(layer, x, causal):
    config = layer.given.config
    arrays = [layer.stored.arrays(f"{layer.place}/{part}", name) for part, name in
              (("query_dense", "query"), ("key_dense", "key"), ("value_dense", "value"), ("output_dense", "attention_output"))]
    q, k, v = (np.einsum("btf,fhd->bhtd", x, given[0]) + (given[1][:, None] if given[1:] else 0) for given in arrays[:3])
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(config["key_dim"])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, scores, -1e30)
    out, *bias = arrays[3]
    return np.einsum("bhtd,hdf->btf", softmax(scores) @ v, out) + (bias[0] if bias else 0)


# -- others: functions of the configuration, the weights and the input -------------------------------------------------------


def embedding(config, weights, x):
    require((x == np.round(x)).all() and (x >= 0).all() and (x < len(weights[0])).all(), "its rows are not numbers of an input as they are")
    return weights[0][x.astype(int)]


def split(config, weights, keys=("scale", "center")):
    """gamma, or 1; beta, or 0; and the other arrays."""
    weights = iter(weights)
    gamma, beta = (next(weights) if config.get(key, True) else default for key, default in zip(keys, (1.0, 0.0)))
    return gamma, beta, list(weights)


def along(array, axis, rank):
    return array if np.ndim(array) == 0 else array.reshape([-1 if a == axis % rank else 1 for a in range(rank)])


def batch_normalization(config, weights, x):
    gamma, beta, (mean, variance) = split(config, weights)
    axis = config["axis"][0] if isinstance(config["axis"], list) else config["axis"]
    gamma, beta, mean, variance = (along(array, axis, x.ndim) for array in (gamma, beta, mean, variance))
    return (x - mean) / np.sqrt(variance + config["epsilon"]) * gamma + beta


def layer_normalization(config, weights, x):
    gamma, beta, _ = split(config, weights)
    axes = tuple(config["axis"]) if isinstance(config["axis"], list) else (config["axis"],)
    mean, variance = x.mean(axes, keepdims=True), x.var(axes, keepdims=True)
    return (x - mean) / np.sqrt(variance + config["epsilon"]) * gamma + beta


def rms_normalization(config, weights, x):
    axes = tuple(config["axis"]) if isinstance(config["axis"], list) else (config["axis"],)
    return x / np.sqrt((x * x).mean(axes, keepdims=True) + config["epsilon"]) * weights[0]


def group_normalization(config, weights, x):
    gamma, beta, _ = split(config, weights)
    axis = config["axis"] % x.ndim
    channels = x.shape[axis]
    groups = channels if config["groups"] == -1 else config["groups"]
    moved = np.moveaxis(x, axis, 1)
    apart = moved.reshape(len(x), groups, -1)
    apart = (apart - apart.mean(-1, keepdims=True)) / np.sqrt(apart.var(-1, keepdims=True) + config["epsilon"])
    return np.moveaxis(apart.reshape(moved.shape), 1, axis) * along(gamma, axis, x.ndim) + along(beta, axis, x.ndim)


def normalization(config, weights, x):
    mean, variance = weights[:2] if config.get("mean") is None else (np.asarray(config[key], float).reshape(-1) for key in ("mean", "variance"))
    return (x - mean) / np.maximum(np.sqrt(variance), 1e-7)


def rescaling(config, _, x):
    return x * np.asarray(config["scale"], float) + np.asarray(config["offset"], float)


def prelu(config, weights, x):
    return np.where(x > 0, x, weights[0] * x)


SIMPLE = {
    "Dense": lambda config, weights, x: finish(config, x @ weights[0], weights[1:]), "Embedding": embedding, "Activation": lambda config, _, x: activation(x, config["activation"]),
    "ReLU": relu, "LeakyReLU": lambda config, _, x: leaky(x, config["negative_slope"]), "ELU": lambda config, _, x: elu(x, config.get("alpha", 1.0)), "PReLU": prelu,
    "Softmax": lambda config, _, x: softmax(x, config.get("axis", -1)),
    "Flatten": lambda config, _, x: (np.moveaxis(x, 1, -1) if config.get("data_format") == "channels_first" and x.ndim > 2 else x).reshape(len(x), -1),
    "Reshape": lambda config, _, x: x.reshape(len(x), *config["target_shape"]), "Permute": lambda config, _, x: x.transpose(0, *config["dims"]),
    "RepeatVector": lambda config, _, x: np.repeat(x[:, None], config["n"], 1), "Cropping1D": cropping, "Cropping2D": last_channels(cropping),
    "Normalization": normalization, "Rescaling": rescaling, "BatchNormalization": batch_normalization, "LayerNormalization": layer_normalization,
    "RMSNormalization": rms_normalization, "GroupNormalization": group_normalization, "ZeroPadding1D": last_channels(zero_padding),
    "ZeroPadding2D": last_channels(zero_padding), "UpSampling1D": upsampling, "UpSampling2D": last_channels(upsampling),
    **dict.fromkeys(("Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise", "ActivityRegularization", "Identity", "SpatialDropout1D", "SpatialDropout2D"),
                    lambda config, _, x: x),
}
for rank in ("1D", "2D"):
    SIMPLE |= {f"{kind}{rank}": last_channels(function) for kind, function in (
        ("Conv", conv), ("DepthwiseConv", depthwise), ("SeparableConv", separable), ("MaxPooling", pool(np.max, -np.inf)), ("AveragePooling", pool(np.mean, np.nan)),
        ("GlobalMaxPooling", global_pool(np.max)), ("GlobalAveragePooling", global_pool(np.mean)))}
    SIMPLE[f"Conv{rank}Transpose"] = last_channels(transposed)


def total(values):
    return sum(values[1:], values[0])


def least(values):
    return -greatest([-value for value in values])


def greatest(values):
    y = values[0]
    for value in values[1:]:
        y = np.maximum(y, value)
    return y


def multiplied(values):
    y = values[0]
    for value in values[1:]:
        y = y * value
    return y


SEVERAL = {"Add": total, "Subtract": lambda values: values[0] - values[1], "Average": lambda values: total(values) / len(values), "Multiply": multiplied,
           "Maximum": greatest, "Minimum": least, "Divide": lambda values: values[0] / values[1], "TrueDivide": lambda values: values[0] / values[1]}


def numbers(call, arguments, options):
    """What one call gives."""
    layer, values = call.target, flat(arguments)
    config = layer.given.config
    if layer.kind == "MultiHeadAttention":
        return attention(layer, [*values, *[value for value in options.values() if isinstance(value, np.ndarray)]][0], bool(options.get("use_causal_mask")))
    if layer.kind == "Concatenate":
        return np.concatenate(values, config.get("axis", -1))
    if layer.kind in SEVERAL and len(values) > 1:
        return SEVERAL[layer.kind](values)
    if layer.is_operation:
        return FUNCTIONS[re.sub("(?<!^)([A-Z])", r"_\1", layer.kind).lower()](values[0])
    if layer.kind in STEPS:
        return recurrent(layer, values[0])
    if layer.kind == "Bidirectional":
        return bidirectional(layer, values[0])
    if layer.kind == "TimeDistributed":
        layer = layer.inner("layer", "layer")
    return SIMPLE[layer.kind](layer.given.config, arrays_of(layer), values[0])


def arrays_of(layer):
    config = layer.given.config
    without = {"Dense", "Embedding", "PReLU", "BatchNormalization", "LayerNormalization", "RMSNormalization", "GroupNormalization"}
    has = layer.kind in without or "Conv" in layer.kind or layer.kind == "Normalization" and config.get("mean") is None
    return layer.stored.arrays(layer.place, config.get("name")) if has else []


def flat(given):
    return [value for one in given for value in flat(one)] if isinstance(given, list) else [given]
