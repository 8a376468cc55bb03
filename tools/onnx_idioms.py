# SPDX-License-Identifier: MIT
"""Recognises what groups of ONNX operators compute along axes: normalisations and softmax, however a file composes
them.

They are identified by their values: operators that are smooth functions are run in double precision on samples of
several sizes, and on those as small as their constants. from_onnx.py needs this file and onnx_functions.py beside it.
"""
import math

import numpy as np

from layer_graph import require
from onnx_functions import ELEMENTS, attributes_of

# -- operators, run one after another ------------------------------------------------------------------------------------

REDUCTIONS = {"ReduceMean": np.mean, "ReduceSum": np.sum, "ReduceMax": np.max, "ReduceMin": np.min,
              "ReduceSumSquare": lambda x, **axes: np.sum(x * x, **axes), "ReduceL2": lambda x, **axes: np.sqrt(np.sum(x * x, **axes))}
SAME_NUMBERS = {"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity"}
KNOWN = ELEMENTS.keys() | REDUCTIONS.keys() | SAME_NUMBERS
# Those that have no bounds, which numbers of some sizes alone would show. The largest number is the one that a softmax
# subtracts.
SMOOTH = REDUCTIONS.keys() - {"ReduceMin"} | SAME_NUMBERS | \
    {"Add", "Sub", "Mul", "Div", "Pow", "Neg", "Exp", "Log", "Sqrt", "Reciprocal"}


def without_size(numbers):
    """Whether constants are 0, below which no variance is, or -infinity: the same bounds for numbers of all sizes."""
    return np.isin(numbers, (0, -np.inf)).all()


def is_smooth(node, constants):
    bounds = [constants[name] for name in node.input if name in constants]
    return node.op_type in SMOOTH or node.op_type == "Max" and bool(bounds) and all(map(without_size, bounds))


def axes_of(node, constants, rank):
    """The axes of a reduction, those of the end counted from the front."""
    axes = attributes_of(node).get("axes")
    if axes is None and len(node.input) > 1 and node.input[1]:
        require(node.input[1] in constants, f"its axes {node.input[1]!r} are computed while the network runs")
        axes = constants[node.input[1]].reshape(-1)
    if axes is None or not len(axes):
        return () if attributes_of(node).get("noop_with_empty_axes", 0) else tuple(range(rank))
    return tuple(sorted(int(axis) % rank for axis in axes))


def evaluate(nodes, known, constants, shapes):
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
                made = ELEMENTS[node.op_type](*given)
            known[node.output[0]] = made


# -- functions along axes ------------------------------------------------------------------------------------------------


# The size and the mean of samples that tell a weight and a bias, and what a file does to large numbers.
SIZES = [(1, 0.5), (0.01, 0), (3, -2), (0.1, 0.05), (2, 1), (1e3, 0), (1e8, 0)]


def samples_of(shape, sizes):
    """Samples of these sizes and means."""
    generator = np.random.default_rng(7)
    return [generator.normal(size=shape) * size + mean for size, mean in sizes]


def normalised(x, axes, epsilon, about_zero):
    mean = 0 if about_zero else x.mean(axis=axes, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(axis=axes, keepdims=True) + epsilon)


def softmax(x, axes):
    e = np.exp(x - x.max(axis=axes, keepdims=True))
    return e / e.sum(axis=axes, keepdims=True)


def fitted(ns, ys, bias):
    """The weight with y = n weight + bias for each number by itself, or None if there is none."""
    n, y = np.stack(ns), np.stack(ys) - bias
    weight = (n * y).sum(axis=0) / np.maximum((n**2).sum(axis=0), 1e-30)
    return weight if (np.abs(n * weight - y) <= 4e-6 * np.abs(y).max(axis=0)).all() else None


def along(array, axes):
    """The numbers along some axes of what is the same along all others, or None if it is not."""
    others = tuple(axis for axis in range(array.ndim) if axis not in axes)
    first = array[tuple(slice(0, 1) if axis in others else slice(None) for axis in range(array.ndim))]
    alike = (np.abs(array - first) <= 1e-6 * np.abs(first)).all()
    return first.reshape([array.shape[axis] for axis in axes]) if alike else None


def softmax_along(function, shape, axes):
    """Whether a function of samples is "Softmax" or "LogSoftmax" along an axis."""
    xs = samples_of(shape, SIZES[:5])
    ys = [function(x) for x in xs]
    for name, known in (("Softmax", lambda x: softmax(x, axes)), ("LogSoftmax", lambda x: np.log(softmax(x, axes)))):
        if all(x.shape == y.shape and np.allclose(y, known(x), rtol=1e-9, atol=1e-12) for x, y in zip(xs, ys)):
            return name
    return None


def normalisation_along(function, shape, axes, epsilons):
    """("LayerNorm" or "RMSNorm", epsilon, weight, bias) of a function of samples, with weight and bias along the axes.
    None if it is another function. Samples as small as an epsilon show where it is added, and zeros give the bias."""
    xs = samples_of(shape, SIZES + [(math.sqrt(epsilon), 0) for epsilon in epsilons])
    ys, zeros = [function(x) for x in xs], function(np.zeros(shape))
    if any(y.shape != shape or not np.isfinite(y).all() for y in [*ys, zeros]):
        return None
    for epsilon in epsilons:
        for name, about_zero in (("LayerNorm", False), ("RMSNorm", True)):
            found = fitted([normalised(x, axes, epsilon, about_zero) for x in xs], ys, zeros)
            weight, bias = None if found is None else along(found, axes), along(zeros, axes)
            if weight is not None and bias is not None and not (about_zero and bias.any()):
                return name, epsilon, weight, bias
    return None
