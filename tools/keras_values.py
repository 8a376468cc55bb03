# SPDX-License-Identifier: MIT
"""What a model of Keras computes, in double precision, for the self-test: each layer in Keras' own layouts, from the
configuration and the weights as the file has them. It shares nothing with what writes the layers of sinter.
from_keras.py needs this file beside it, keras_function_values.py and keras_window_values.py."""
import math
import re

import numpy as np

import keras_function_values
import keras_window_values
from keras_function_values import FUNCTIONS, sigmoid, softmax
from layer_graph import require

# -- steps -------------------------------------------------------------------------------------------------------------


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
    weights = layer.stored.arrays(f"{layer.place}/cell", None)
    state, every = [np.zeros((len(x), config["units"]))] * 2, []
    for t in range(x.shape[1])[::-1] if config.get("go_backwards") else range(x.shape[1]):
        state = STEPS[layer.kind](config, weights, x[:, t], state)
        every.append(state[0])
    return np.stack(every, 1) if config.get("return_sequences") else state[0]


def bidirectional(layer, x):
    config = layer.given.config
    one, other = (recurrent(layer.inner(key, place), x)
                  for key, place in (("layer", "forward_layer"), ("backward_layer", "backward_layer")))
    other = other[:, ::-1] if one.ndim == 3 else other
    return {
        "concat": lambda: np.concatenate([one, other], -1), "sum": lambda: one + other, "ave": lambda:
        (one + other) / 2, "mul": lambda: one * other}[config["merge_mode"]]()


def attention(layer, x, causal):
    config = layer.given.config
    parts = ("query_dense", "key_dense", "value_dense", "output_dense")
    arrays = [layer.stored.arrays(f"{layer.place}/{part}", None) for part in parts]
    q, k, v = (np.einsum("btf,fhd->bhtd", x, given[0]) + (given[1][:, None] if given[1:] else 0)
               for given in arrays[:3])
    scores = q @ np.swapaxes(k, -1, -2) / math.sqrt(config["key_dim"])
    if causal:
        scores = np.where(np.tril(np.ones(scores.shape[-2:])) > 0, scores, -1e30)
    out, *bias = arrays[3]
    return np.einsum("bhtd,hdf->btf", softmax(scores) @ v, out) + (bias[0] if bias else 0)


# -- others: functions of the configuration, the weights and the input -------------------------------------------------


def flatten(config, _, x):
    first = config.get("data_format") == "channels_first" and x.ndim > 2
    return (np.moveaxis(x, 1, -1) if first else x).reshape(len(x), -1)


def embedding(config, weights, x):
    require((x == np.round(x)).all() and (x >= 0).all() and (x < len(weights[0])).all(),
            "its rows are not numbers of an input as they are")
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
    mean, variance = weights[:2] if config.get("mean") is None else (np.asarray(config[key], float).reshape(-1)
                                                                     for key in ("mean", "variance"))
    return (x - mean) / np.maximum(np.sqrt(variance), 1e-7)


def rescaling(config, _, x):
    return x * np.asarray(config["scale"], float) + np.asarray(config["offset"], float)


def prelu(config, weights, x):
    return np.where(x > 0, x, weights[0] * x)


WITHOUT_EFFECT = ("Dropout", "AlphaDropout", "GaussianDropout", "GaussianNoise", "ActivityRegularization", "Identity",
                  "SpatialDropout1D", "SpatialDropout2D")
LAYERS = keras_function_values.LAYERS | keras_window_values.LAYERS | {
    "Dense": lambda config, weights, x: keras_window_values.finish(config, x @ weights[0], weights[1:]),
    "Embedding": embedding, "PReLU": prelu, "Flatten": flatten, "Normalization": normalization,
    "Reshape": lambda config, _, x: x.reshape(len(x), *config["target_shape"]),
    "Permute": lambda config, _, x: x.transpose(0, *config["dims"]),
    "RepeatVector": lambda config, _, x: np.repeat(x[:, None], config["n"], 1), "Rescaling": rescaling,
    "BatchNormalization": batch_normalization, "LayerNormalization": layer_normalization,
    "RMSNormalization": rms_normalization, "GroupNormalization": group_normalization,
    **dict.fromkeys(WITHOUT_EFFECT, lambda config, _, x: x)
}


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


SEVERAL = {
    "Add": total, "Subtract": lambda values: values[0] - values[1],
    "Average": lambda values: total(values) / len(values), "Multiply": multiplied, "Maximum": greatest,
    "Minimum": least, "Divide": lambda values: values[0] / values[1],
    "TrueDivide": lambda values: values[0] / values[1]}


def numbers(call, arguments, options):
    """What one call gives."""
    layer, values = call.target, flat(arguments)
    config = layer.given.config
    if layer.kind == "MultiHeadAttention":
        return attention(layer, [*values, *[value for value in options.values() if isinstance(value, np.ndarray)]][0],
                         bool(options.get("use_causal_mask")))
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
    return LAYERS[layer.kind](layer.given.config, arrays_of(layer), values[0])


def arrays_of(layer):
    config = layer.given.config
    without = {
        "Dense", "Embedding", "PReLU", "BatchNormalization", "LayerNormalization", "RMSNormalization",
        "GroupNormalization"}
    has = layer.kind in without or "Conv" in layer.kind or layer.kind == "Normalization" and config.get("mean") is None
    return layer.stored.arrays(layer.place, config.get("name")) if has else []


def flat(given):
    return [value for one in given for value in flat(one)] if isinstance(given, list) else [given]
