# SPDX-License-Identifier: MIT
"""Keras' activations in double precision, for the self-test. from_keras.py needs this file beside it."""
import math

import numpy as np


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
    "linear": lambda x: x, "relu": lambda x: np.maximum(x, 0), "relu6": lambda x: np.clip(x, 0, 6), "sigmoid": sigmoid,
    "tanh": np.tanh, "elu": elu, "celu": elu, "selu": lambda x: 1.0507009873554805 * elu(x, 1.6732632423543772),
    "gelu": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))), "silu": silu, "swish": silu, "softplus": softplus,
    "softsign": lambda x: x / (1 + np.abs(x)), "mish": lambda x: x * np.tanh(softplus(x)), "hard_sigmoid": hard_sigmoid,
    "hard_silu": lambda x: x * hard_sigmoid(x), "hard_swish": lambda x: x * hard_sigmoid(x),
    "hard_tanh": lambda x: np.clip(x, -1, 1), "leaky_relu": leaky, "exponential": np.exp, "exp": np.exp,
    "log_sigmoid": lambda x: -softplus(-x), "tanh_shrink": lambda x: x - np.tanh(x), "softmax": softmax,
    "log_softmax": lambda x: x - x.max(-1, keepdims=True) - np.log(
        np.exp(x - x.max(-1, keepdims=True)).sum(-1, keepdims=True)), "square": np.square, "sqrt": np.sqrt,
    "log": np.log, "abs": np.abs, "absolute": np.abs, "negative": np.negative
}


def activation(x, given):
    if isinstance(given, dict):
        return LAYERS[given["class_name"]](given["config"], [], x)
    return FUNCTIONS[given or "linear"](x)


def relu(config, _, x):
    y = leaky(x, config.get("negative_slope") or 0)
    return y if config.get("max_value") is None else np.minimum(y, config["max_value"])


LAYERS = {
    "Activation": lambda config, _, x: activation(x, config["activation"]), "ReLU": relu,
    "LeakyReLU": lambda config, _, x: leaky(x, config["negative_slope"]),
    "ELU": lambda config, _, x: elu(x, config.get("alpha", 1.0)),
    "Softmax": lambda config, _, x: softmax(x, config.get("axis", -1))
}
