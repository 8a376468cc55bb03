# SPDX-License-Identifier: MIT
"""Recognises what groups of ONNX operators compute: activations, normalisations and softmax, however a file composes them.

They are identified by their values: the operators are run in double precision on numbers that distinguish the functions. from_onnx.py needs
this file beside it.
"""
import functools
import math

import numpy as np
import onnx

from graph_builder import functor, power
from layer_graph import number, require, spelled


def short(value):
    """The shortest number that rounds to the same float."""
    return number(str(np.float32(value)))


# -- functions of single numbers -----------------------------------------------------------------------------------------


def erf(x):
    return np.vectorize(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# The functions of the operators of which files compose activations.
ELEMENTS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
    "Min": lambda *x: functools.reduce(np.minimum, x), "Max": lambda *x: functools.reduce(np.maximum, x),
    "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Erf": erf, "Tanh": np.tanh, "Sigmoid": sigmoid,
    "Relu": lambda x: np.maximum(x, 0), "Softplus": lambda x: np.logaddexp(0, x), "Reciprocal": lambda x: 1 / x,
    "Clip": lambda x, low=None, high=None: np.clip(x, -np.inf if low is None else low, np.inf if high is None else high), "Where": np.where, "Greater": np.greater, "Less": np.less,
    "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal,
}
ACTIVATIONS = {
    "Tanh": np.tanh, "Sigmoid": sigmoid, "SiLU": lambda x: x * sigmoid(x),
    "GELU": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    "GELUTanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "Hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Softplus<1.0, 20.0>": lambda x: np.logaddexp(0, x),
    "ELU<1.0>": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), "Hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    functor("Exp"): np.exp, functor("Log"): np.log, functor("Sqrt"): np.sqrt,
    functor("Square"): np.square, functor("Abs"): np.abs, functor("Negation"): np.negative, functor("Reciprocal"): lambda x: 1 / x,
}
FAR = np.array([-1e30, 1e30])
PROBES = np.concatenate([np.linspace(-9, 9, 181), [-30, 30, 0.013, -0.013], FAR])
NEAR_TWO = int(np.abs(PROBES - 2).argmin())
CLIPS = {"": lambda x: x, "ReLU": lambda x: np.maximum(x, 0), "ReLU6": lambda x: np.clip(x, 0, 6)}  # distinguished at their ends


def activation_of(y):
    """The activation with these values at PROBES: its text, "" for none at all, or None for one that is not known."""
    def same(a, b):
        return a.shape == b.shape and np.allclose(a, b, rtol=2e-6, atol=2e-6, equal_nan=True)

    for text, function in CLIPS.items():
        if same(y, function(PROBES)) and (not text or y.min() == 0):
            return text
    with np.errstate(all="ignore"):
        for text, function in ACTIVATIONS.items():
            if same(y[:-2], function(PROBES[:-2])):
                return text
        exponent = round(float(np.log(y[NEAR_TWO]) / np.log(PROBES[NEAR_TWO])), 6)
        if math.isfinite(exponent) and exponent != 1 and same(y[:-2], np.power(PROBES[:-2], exponent)):
            return power(exponent)
    low, high = y[-2:]
    if low < high and same(y, np.clip(PROBES, low, high)):
        most = np.finfo(np.float32).max
        return spelled("Hardtanh", short(low if low > FAR[0] else -most), short(high if high < FAR[1] else most))
    if not np.isfinite(y).all():
        return None
    slope = float(y[-2] / FAR[0])
    return f"LeakyReLU<{short(slope)}>" if abs(slope) < FAR[1] and same(y, np.where(PROBES > 0, PROBES, slope * PROBES)) else None


# -- operators, run one after another ------------------------------------------------------------------------------------

REDUCTIONS = {"ReduceMean": np.mean, "ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min,
              "ReduceSumSquare": lambda x, **axes: np.sum(x * x, **axes), "ReduceL2": lambda x, **axes: np.sqrt(np.sum(x * x, **axes))}
SAME_NUMBERS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}
KNOWN = ELEMENTS.keys() | REDUCTIONS.keys() | SAME_NUMBERS | {"HardSigmoid"}


def attributes_of(node):
    return {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}


def axes_of(node, constants, rank):
    """The axes of a reduction, those of the end counted from the front."""
    axes = attributes_of(node).get("axes")
    if axes is None and len(node.input) > 1 and node.input[1]:
        require(node.input[1] in constants, f"its axes {node.input[1]!r} are computed while the network runs")
        axes = constants[node.input[1]].reshape(-1)
    if axes is None or not len(axes):
        return () if attributes_of(node).get("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(sorted(int(axis) % rank for axis in axes))


def element(node, given, opset):
    """What an operator on single numbers makes of them."""
    attributes = attributes_of(node)
    if node.op_type == "HardSigmoid":
        return np.clip(attributes.get("alpha", 0.2) * given[0] + attributes.get("beta", 0.5), 0, 1)
    if node.op_type == "Clip" and opset < 11:
        return np.clip(given[0], attributes.get("min", -np.inf), attributes.get("max", np.inf))
    return ELEMENTS[node.op_type](*given)


def evaluate(nodes, known, constants, shapes, opset):
    """Adds to `known` what the nodes make of it, in double precision. `shapes`: those of values that are the same numbers as others.
    Inputs that are left out keep their places, as None."""
    with np.errstate(all="ignore"):
        for node in nodes:
            given = [known[name] if name in known else constants[name].astype(np.float64) if name else None for name in node.input]
            if node.op_type in REDUCTIONS:
                axes, kept = axes_of(node, constants, given[0].ndim), attributes_of(node).get("keepdims", 1)
                made = REDUCTIONS[node.op_type](given[0], axis=axes, keepdims=bool(kept))
            elif node.op_type in SAME_NUMBERS:
                made = given[0].reshape(shapes[node.output[0]])
            else:
                made = element(node, given, opset)
            known[node.output[0]] = made


# -- functions along axes ------------------------------------------------------------------------------------------------


def samples_of(shape):
    """Samples that differ in mean and size, so that an epsilon shows; as many as tell a weight and a bias."""
    generator = np.random.default_rng(7)
    return [generator.normal(size=shape) * size + mean for size, mean in [(1, 0.5), (0.01, 0), (3, -2), (0.1, 0.05), (2, 1)]]


def normalised(x, axes, epsilon, about_zero):
    mean = 0 if about_zero else x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def softmax(x, axes):
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def fitted(ns, ys):
    """weight, bias with y = n weight + bias for each number by itself, or None if there are none."""
    n, y = np.stack(ns), np.stack(ys)
    if not np.isfinite(y).all():
        return None
    away = n - n.mean(axis=0)
    weight = (away * y).sum(axis=0) / np.maximum((away**2).sum(axis=0), 1e-30)
    bias = y.mean(axis=0) - weight * n.mean(axis=0)
    return (weight, bias) if np.allclose(n * weight + bias, y, rtol=1e-5, atol=1e-6 * (1 + np.abs(y).max())) else None


def along(array, axes):
    """The numbers along some axes of what is the same along all others, or None if it is not."""
    others = tuple(axis for axis in range(array.ndim) if axis not in axes)
    first = array[tuple(slice(0, 1) if axis in others else slice(None) for axis in range(array.ndim))]
    return first.reshape([array.shape[axis] for axis in axes]) if np.allclose(array, np.broadcast_to(first, array.shape), atol=1e-6) else None


def function_along(xs, ys, axes, epsilons):
    """What makes `ys` of `xs` along some axes: ("Softmax",), ("LogSoftmax",), or ("LayerNorm" or "RMSNorm", epsilon, weight, bias)
    with weight and bias along them; None if it is another function."""
    def all_are(function):
        return all(np.allclose(y, function(x), rtol=1e-5, atol=1e-7) for x, y in zip(xs, ys))

    if any(x.shape != y.shape for x, y in zip(xs, ys)):
        return None
    if len(axes) == 1:
        if all_are(lambda x: softmax(x, axes)):
            return ("Softmax",)
        with np.errstate(all="ignore"):
            if all_are(lambda x: np.log(softmax(x, axes))):
                return ("LogSoftmax",)
    for epsilon in epsilons:
        for name, about_zero in (("LayerNorm", False), ("RMSNorm", True)):
            found = fitted([normalised(x, axes, epsilon, about_zero) for x in xs], ys)
            weight, bias = (along(numbers, axes) for numbers in found) if found else (None, None)
            if weight is not None and bias is not None and not (about_zero and np.abs(bias).max() > 1e-5):
                return name, epsilon, weight, bias
    return None
