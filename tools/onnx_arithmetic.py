# SPDX-License-Identifier: MIT
"""Sums, differences, products and quotients of two values, and of a value and a constant. from_onnx.py needs this file beside it."""
import numpy as np

from graph_builder import each, functor, inverse, negative
from layer_graph import Node, is_positional_encoding, require, spelled
from onnx_file import named
from onnx_functions import short
from onnx_shapes import spread_over
from onnx_weights import affine, each_number, with_constant


def combined(reader, node, name, kind, change=lambda source: source):
    """Two values of one shape, the second one changed before; one number for all of some dimensions is spread over them."""
    sources = [spread_over(made, reader.sample(value), reader.sample(name), reader.values[name].ndim - reader.values[value].ndim)
               for value, made in zip(node.input, (reader.source(node.input[0]), change(reader.source(node.input[1]))))]
    return Node(kind, sources, reader.sample(name), named(node))


def add(reader, node, name):
    return (positional_encoding(reader, node, name) or with_constant(reader, node, name, lambda c, _: (np.ones_like(c), c)) or
            combined(reader, node, name, "add"))


def positional_encoding(reader, node, name):
    """A sequence and the constant that sinter's layer of that name adds. Otherwise None."""
    at, shape = next((i for i in (0, 1) if node.input[i] in reader.constants), None), reader.sample(name)
    if at is None or len(shape) != 2 or reader.sample(node.input[1 - at]) != shape:
        return None
    added = np.broadcast_to(reader.constants[node.input[at]], reader.values[name].shape).reshape(shape)
    return Node("layer", [reader.source(node.input[1 - at])], shape, named(node),
                "PositionalEncoding") if is_positional_encoding(added.tolist()) else None


def add_all(reader, node, name):
    node_of = reader.source(node.input[0])
    for value in node.input[1:]:
        other = reader.source(value)
        require(other.shape == node_of.shape, f"it adds samples of {node_of.shape} and {other.shape}")
        node_of = Node("add", [node_of, other], node_of.shape, named(node))
    return node_of


def subtract(reader, node, name):
    made = with_constant(reader, node, name, lambda c, first: (-np.ones_like(c), c) if first else (np.ones_like(c), -c))
    if made:
        return made
    first, second = combined(reader, node, name, "add").sources
    return Node("add", [first, negative(second)], first.shape, named(node))


def multiply(reader, node, name):
    return with_constant(reader, node, name, lambda c, _: (c, np.zeros_like(c))) or combined(reader, node, name, "multiply")


def divide(reader, node, name):
    if node.input[0] in reader.constants:
        each = each_number(reader, node.input[0], name)
        return affine(reader, node, name, None, inverse(reader.source(node.input[1])), each, np.zeros_like(each))
    return with_constant(reader, node, name, lambda c, _: (1 / c, np.zeros_like(c))) or combined(reader, node, name, "multiply", inverse)


def quotient_or_zero(reader, node, name):
    """a / b, and 0 where b is 0. Otherwise None."""
    equal, quotient = (reader.producers.get(node.input[i]) for i in (0, 2))
    if equal is None or quotient is None or equal.op_type != "Equal" or quotient.op_type != "Div" or node.input[1] not in reader.constants:
        return None
    zeros = [value for value in equal.input if value in reader.constants] + [node.input[1]]
    if len(zeros) < 2 or quotient.input[1] not in equal.input or any(reader.constants[value].any() for value in zeros):
        return None
    return combined(reader, quotient, name, "multiply", inverse_or_zero)


def inverse_or_zero(source):
    """1 / x, and 0 where x is 0: x by the inverse of its square."""
    squares = each(source, functor("Square"), source.described)
    above = each(squares, spelled("Hardtanh", short(np.finfo(np.float32).tiny), short(np.finfo(np.float32).max)), source.described)
    return Node("multiply", [source, inverse(above)], source.shape, source.described)


def maximum(reader, node, name, change=lambda source: source):
    """The largest of several values; one number for all of some dimensions is spread over them."""
    require(not any(value in reader.constants for value in node.input),
            "it compares a value with numbers of which some differ; sinter's Maximum takes values")
    shape, rank = reader.sample(name), reader.values[name].ndim
    first, *others = [spread_over(change(reader.source(value)), reader.sample(value), shape, rank - reader.values[value].ndim)
                      for value in node.input]
    for other in others:
        first = Node("maximum", [first, other], shape, named(node))
    return first


def minimum(reader, node, name):
    return negative(maximum(reader, node, name, negative))


OPERATORS = {"Add": add, "Div": divide, "Max": maximum, "Min": minimum, "Mul": multiply, "Sub": subtract, "Sum": add_all}
