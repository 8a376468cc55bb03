# SPDX-License-Identifier: MIT
"""Keras' layers and operations on several values, and attention. from_keras.py needs this file beside it."""
import numpy as np

from graph_builder import negative
from keras_activations import times
from keras_layouts import axis_of, first, from_front, last, to_front, together
from layer_graph import Node, Refused, require, spelled
from numpy_weights import layer as layer_with


def require_alike(values):
    require(len(values) > 1, "it is given one value")
    shapes = {value.shape for value in values}
    require(
        len(shapes) == 1,
        f"it combines samples of {' and '.join(str(list(value.shape)) for value in values)}; sinter's are of one shape")
    return values


def add(layer, values):
    """The sum of two values after another."""
    total = require_alike(values)[0]
    for value in values[1:]:
        total = together("add", [total, value], layer.described)
    return total


def subtract(layer, values):
    require(len(values) == 2, f"it is given {len(values)} values")
    return add(layer, [values[0], negative(values[1])])


def average(layer, values):
    return times(add(layer, values), 1 / len(values))


def multiply(layer, values):
    """One number for each channel is spread over an image."""
    shape = max((value.shape for value in values), key=lambda one: (len(one), np.prod(one)))
    if all(value.shape == shape for value in values):
        return together("multiply", require_alike(values), layer.described)
    for value in values:
        require(
            value.shape in (shape, (*[1] * (len(shape) - 1), shape[-1])),
            f"it multiplies samples of {list(shape)} and {list(value.shape)}; sinter's are of "
            "one shape, or one number for each channel")
    return last(
        Node("multiply", [first(value) for value in values],
             first(next(v for v in values if v.shape == shape)).shape, layer.described))


def maximum(layer, values):
    most = require_alike(values)[0]
    for value in values[1:]:
        most = together("maximum", [most, value], layer.described)
    return most


def minimum(layer, values):
    return negative(maximum(layer, [negative(value) for value in values]))


def concatenate(layer, values):
    require(len(values) > 1, "it is given one value")
    x, axis = values[0], layer.given.get("axis", -1)
    dim = axis_of(x, axis)
    rest = {(*value.shape[:dim], *value.shape[dim + 1:]) for value in values}
    require(
        len({len(value.shape) for value in values}) == len(rest) == 1,
        f"it joins samples of {' and '.join(str(list(value.shape)) for value in values)} "
        f"along axis {axis}")
    return from_front(together("concat", [to_front(value, dim) for value in values], layer.described), dim)


LAYERS = {
    "Add": add, "Subtract": subtract, "Average": average, "Multiply": multiply, "Maximum": maximum, "Minimum": minimum,
    "Concatenate": concatenate}

# -- operations: functions of a Layer and what it is given, some of which are numbers ----------------------------------


def is_number(given):
    return isinstance(given, (int, float)) and not isinstance(given, bool)


def with_number(of_values, by_number):
    """An operation on two values, or on a value and a number: by_number(value, number, whether the number is first)."""

    def function(layer, values):
        require(len(values) == 2, f"it is given {len(values)} values")
        at = next((i for i, value in enumerate(values) if is_number(value)), None)
        return of_values(layer, values) if at is None else by_number(values[1 - at], float(values[at]), at == 0)

    return function


def no_division(layer, values):
    raise Refused("it divides two values")


def divided(x, by, is_first):
    require(not is_first and by != 0, "it divides by a value, or by 0")
    return times(x, 1 / by)


OPERATIONS = {
    "Add": with_number(add, lambda x, n, _: times(x, 1, n)),
    "Subtract": with_number(subtract, lambda x, n, is_first: times(x, -1, n) if is_first else times(x, 1, -n)),
    "Multiply": with_number(multiply, lambda x, n, _: times(x, n)), "Divide": with_number(no_division, divided),
    "TrueDivide": with_number(no_division, divided), "Maximum": maximum, "Minimum": minimum,
    "Concatenate": concatenate
}
FUNCTIONS = {
    "Relu", "Relu6", "Sigmoid", "Tanh", "Silu", "Softplus", "Softsign", "Selu", "HardSigmoid", "HardSilu", "LogSigmoid",
    "Exp", "Square", "Sqrt", "Log", "Absolute", "Negative", "HardTanh"}

# -- attention ---------------------------------------------------------------------------------------------------------


def attention(layer, x, causal):
    """Of a sequence with itself. Its projections [in, heads, size] become rows of one matrix."""
    given, features = layer.given, x.shape[-1]
    heads, size = given.whole("num_heads"), given.whole("key_dim")
    require(
        given.get("value_dim", size) == size and heads * size == features and given.get("output_shape") is None and
        len(x.shape) == 2,
        f"{heads} heads of {size} features for samples of {list(x.shape)}; sinter's have those of a step together")
    require(given.get("attention_axes") in (None, [1]), "attention_axes")
    require(given.get("sliding_window") is None and not given.flag("use_gate", False), "a sliding window or a gate")
    given.get("dropout")
    biased = given.flag("use_bias", True)
    weights, biases = [], []
    for name in ("query", "key", "value"):
        weight, bias = layer.weights((features, heads, size), (heads, size) if biased else None, inside=f"{name}_dense")
        weights.append(weight.reshape(features, features).T)
        biases.append(np.zeros(features) if bias is None else bias.reshape(-1))
    out, bias = layer.weights((heads, size, features), (features,) if biased else None, inside="output_dense")
    tensors = {
        "in_proj_weight": np.concatenate(weights), "in_proj_bias": np.concatenate(biases),
        "out_proj.weight": out.reshape(features, features).T,
        "out_proj.bias": np.zeros(features) if bias is None else bias
    }
    return layer_with(x, spelled("MultiheadAttention", features, heads, "Causal" if causal else None), x.shape,
                      x.described, **tensors)
