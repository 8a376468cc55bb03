# SPDX-License-Identifier: MIT
"""The numbers of sinter's functions and norms, by their definitions. For layer_values.py. Needs NumPy."""

import math

import numpy as np

from layer_shapes import along

erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return 0.5 * (1 + np.tanh(x / 2))


def axis(x, dim):
    """A dimension of a batch, which a layer counts from 1 or from the end."""
    return 1 + along(x.shape[1:], dim)


def softplus(x, beta=1.0, threshold=20.0):
    return np.where(beta * x > threshold, x, np.logaddexp(0, beta * x) / beta)


def gelu_tanh(x):
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


FUNCTIONS = {
    "ReLU": lambda x: np.maximum(x, 0),
    "Tanh": np.tanh,
    "Sigmoid": sigmoid,
    "SiLU": lambda x: x * sigmoid(x),
    "GELUTanh": gelu_tanh,
    "Hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6,
    "Hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6,
    "ReLU6": lambda x: np.clip(x, 0, 6),
    "Hardtanh": lambda x, low=-1.0, high=1.0: np.clip(x, low, high),
    "GELU": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)).astype(x.dtype)),
    "LeakyReLU": lambda x, slope=0.01: np.where(x > 0, x, slope * x),
    "ELU": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    "CELU": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0) / alpha)),
    "SELU": lambda x: 1.0507009873554805 * np.where(x > 0, x, 1.6732632423543772 * np.expm1(np.minimum(x, 0))),
    "Softplus": softplus,
    "Mish": lambda x: x * np.tanh(softplus(x, threshold=np.inf)),
    "Softsign": lambda x: x / (1 + np.abs(x)),
    "LogSigmoid": lambda x: -softplus(-x, threshold=np.inf),
    "Exp": np.exp,
    "Log": np.log,
    "Sqrt": np.sqrt,
    "Square": np.square,
    "Abs": np.abs,
    "Reciprocal": lambda x: 1 / x,
    "Negation": np.negative,
    "Pow": np.power,
}


def function(layer, x, *_):
    given = layer.arguments[0] if layer.name == "Activation" else layer
    return FUNCTIONS[given.name.split("::")[-1]](x, *[float(one.name) for one in given.arguments])


def prelu(layer, x, net, name):
    w = net.weight(f"{name}weight", x.shape[1] if "PerChannel" in layer.options else 1).reshape(-1, *[1] * (x.ndim - 2))
    return np.maximum(x, 0) + w * np.minimum(x, 0)


def softmax(x, dim=-1):
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def log_softmax(x, dim=-1):
    x = x - x.max(dim, keepdims=True)
    return x - np.log(np.exp(x).sum(dim, keepdims=True))


# -- norms ------------------------------------------------------------


def epsilon(layer, otherwise=1e-5):
    return layer.option("Epsilon", [otherwise])[0]


def standard(x, dims, eps):
    return (x - x.mean(dims, keepdims=True)) / np.sqrt(x.var(dims, keepdims=True) + eps)


def affine(layer, y, net, name, shape, bias=True):
    """y times the weight plus the bias, of the sizes `shape` at the end."""
    if "NoAffine" in layer.options:
        return y
    y = y * net.weight(f"{name}weight", *shape)
    return y + net.weight(f"{name}bias", *shape) if bias and "NoBias" not in layer.options else y


def by_channel(layer, y, net, name):
    return np.moveaxis(affine(layer, np.moveaxis(y, 1, -1), net, name, y.shape[1:2]), -1, 1)


def batch_norm(layer, x, net, name):
    mean, variance = (
        net.weight(name + key, x.shape[1]).reshape(-1, *[1] * (x.ndim - 2)) for key in ("running_mean", "running_var")
    )
    return by_channel(layer, (x - mean) / np.sqrt(variance + epsilon(layer)), net, name)


def layer_norm(layer, x, net, name):
    shape = tuple(int(n) for n in layer.option("NormalizedShape", x.shape[1:]))
    return affine(layer, standard(x, tuple(range(x.ndim - len(shape), x.ndim)), epsilon(layer)), net, name, shape)


def rms_norm(layer, x, net, name):
    shape = tuple(int(n) for n in layer.option("NormalizedShape", []))
    squares = np.square(x).mean(tuple(range(x.ndim - len(shape), x.ndim)), keepdims=True)
    return affine(layer, x / np.sqrt(squares + epsilon(layer, 1.1920928955078125e-7)), net, name, shape, False)


def group_norm(layer, x, net, name):
    groups = layer.numbers[0] or x.shape[1]
    return by_channel(layer, standard(x.reshape(len(x), groups, -1), 2, epsilon(layer)).reshape(x.shape), net, name)


def instance_norm(layer, x, *_):
    return standard(x, tuple(range(2, x.ndim)), epsilon(layer))


VALUES = {
    **dict.fromkeys(
        (
            "ReLU",
            "Tanh",
            "Sigmoid",
            "SiLU",
            "Hardswish",
            "Hardsigmoid",
            "ReLU6",
            "Hardtanh",
            "GELU",
            "GELUTanh",
            "LeakyReLU",
            "ELU",
            "CELU",
            "SELU",
            "Softplus",
            "Mish",
            "Softsign",
            "LogSigmoid",
            "Activation",
        ),
        function,
    ),
    "PReLU": prelu,
    "Softmax": lambda _, x, *__: softmax(x),
    "LogSoftmax": lambda _, x, *__: log_softmax(x),
    "SoftmaxAlong": lambda layer, x, *_: softmax(x, axis(x, layer.numbers[0])),
    "LogSoftmaxAlong": lambda layer, x, *_: log_softmax(x, axis(x, layer.numbers[0])),
    "BatchNorm1d": batch_norm,
    "BatchNorm2d": batch_norm,
    "LayerNorm": layer_norm,
    "RMSNorm": rms_norm,
    "GroupNorm": group_norm,
    "InstanceNorm1d": instance_norm,
    "InstanceNorm2d": instance_norm,
}
