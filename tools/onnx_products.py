# SPDX-License-Identifier: MIT
"""Products of matrices: with constants, of two values, of one-hot codes, and those of attention. from_onnx.py needs this file beside it."""
import math

import numpy as np

from graph_builder import order_of, permuted, shaped
from layer_graph import Node, Refused, require, spelled
from onnx_attention import Finder
from onnx_file import named
from onnx_functions import attributes_of
from onnx_weights import Table, Weighted, multiplied, with_weights


def gemm(reader, node, name):
    given = attributes_of(node)
    require(not given.get("transA", 0), "transA of a batch")
    weight = reader.constant(node.input[1], "its matrix")
    weight = (weight if given.get("transB", 0) else weight.T) * np.asarray(given.get("alpha", 1.0), weight.dtype)
    bias = reader.given(node, 2)
    if bias is not None:
        require(bias.size == math.prod(bias.shape[-1:]), f"its C of the sizes {list(bias.shape)} differs from row to "
                f"row; sinter's Linear adds the same {weight.shape[0]} numbers to each")
        bias = np.broadcast_to(bias * np.asarray(given.get("beta", 1.0), bias.dtype), (1, weight.shape[0])).reshape(-1)
    return linear(reader, node, name, weight, bias)


def product(reader, node, name):
    if node.input[0] in reader.constants:
        return linear_before(reader, node, name)
    if node.input[1] not in reader.constants:
        return matrix_product(reader, node, name)
    weight = reader.constants[node.input[1]]
    require(weight.ndim == 2, f"its matrix has {weight.ndim} sizes")
    return linear(reader, node, name, weight.T, None)


def linear(reader, node, name, weight, bias):
    """A product along the last dimension: of rows of features a Linear, of others a convolution of one pixel where it is the channels, of
    one-hot codes a table."""
    attention = Finder(reader).find(node.input[0]) if weight.shape[0] == weight.shape[1] else None
    if attention:
        return self_attention(reader, node, name, attention, weight, bias)
    indices = one_hot(reader, node.input[0], weight.shape[1])
    if indices:
        made = Node("layer", [indices], (math.prod(indices.shape), weight.shape[0]), named(node))
        reader.weighted[name] = Table(made, weight.T if bias is None else weight.T + bias)
        return reader.reshape(made, name)
    source = reader.source(node.input[0])
    if len(source.shape) == 3 and 1 in source.shape[:2]:  # steps next to a batch dimension
        source = shaped(source, (math.prod(source.shape[:2]), source.shape[2]))
    rank = len(source.shape)
    if rank == 1:
        return with_weights(reader, node, name, source, lambda with_bias: spelled("Linear", len(weight), None if with_bias else "NoBias"),
                            weight, 0, bias)
    moved = permuted(source, [rank - 1, *range(rank - 1)])
    made = with_weights(reader, node, name, moved, pointwise(len(weight), rank - 1), weight.reshape(*weight.shape, *[1] * (rank - 1)), 0,
                        bias, (len(weight), *moved.shape[1:]))
    reader.weighted[name].dim = len(reader.sample(name))
    return reader.reshape(permuted(made, [*range(1, rank), 0]), name)


def pointwise(channels, rank):
    """What spells a convolution of one pixel."""
    return lambda with_bias: spelled(f"Conv{rank}d", channels, 1, None if with_bias else "NoBias")


def linear_before(reader, node, name):
    """A product of a constant matrix and a value: along its last dimension but one."""
    weight, source, shape = np.atleast_2d(reader.constants[node.input[0]]), reader.source(node.input[1]), reader.sample(node.input[1])
    rank = len(shape)
    require(math.prod(weight.shape[:-2]) == 1 < rank, f"it multiplies a constant of the sizes {list(weight.shape)} and samples of {shape}")
    weight = weight.reshape(weight.shape[-2:])
    order = [rank - 2, *[dim for dim in range(rank) if dim != rank - 2]]
    moved = permuted(source, order)
    made = with_weights(reader, node, name, moved, pointwise(len(weight), rank - 1), weight.reshape(*weight.shape, *[1] * (rank - 1)),
                        shape=(len(weight), *moved.shape[1:]))
    reader.weighted[name].dim = rank - 1 if len(reader.sample(name)) == rank else None
    return reader.reshape(permuted(made, [order.index(dim) for dim in range(rank)]), name)


def one_hot(reader, name, count):
    """The row of whole numbers of which a value has, along its last axis, a 1 in the place of each; None of others."""
    node = reader.producers.get(name)
    while node is not None and node.op_type in ("Cast", "Identity", "Reshape") and reader.values[node.input[0]].shape[-1:] == (count,):
        node = reader.producers.get(node.input[0])
    if node is None or reader.values[name].shape[-1:] != (count,):
        return None
    if node.op_type == "OneHot":
        values, axis = reader.given(node, 2), attributes_of(node).get("axis", -1)
        found = node.input[0] if list(values) == [0, 1] and axis in (-1, reader.values[name].ndim - 1) else None
    else:
        constants = [value for value in node.input if value in reader.constants and node.op_type == "Equal"]
        numbers = reader.constants[constants[0]] if constants else np.zeros(0)
        ordered = numbers.size == count == numbers.shape[-1] and (numbers.reshape(-1) == np.arange(count)).all()
        found = next((value for value in node.input if value not in reader.constants), None) if ordered else None
    numbers = reader.values.get(found)
    if numbers is None or numbers.size * count != reader.values[name].size or numbers.dtype.kind == "f":
        return None
    return shaped(reader.value(found), (reader.values[found].size,))


# -- of two values -----------------------------------------------------------------------------------------------------


def matrix_product(reader, node, name):
    """Of two values, matrix by matrix."""
    first, second = (reader.sample(value) for value in node.input)
    require(len(first) == len(second) > 1 and first[:-2] == second[:-2],
            f"it multiplies samples of {first} and {second}; sinter's MatrixProduct takes as many matrices of both")
    sources, options, factors, rank = [], [], [], len(first)
    for value, option_name in zip(node.input, ("TransposeFirst", "TransposeSecond")):
        source = reader.source(value)
        if source in reader.factors and reader.reads[value] == 1:
            source, factor = reader.factors[source]
            factors.append(factor)
        turned = order_of(source) == [*range(rank - 2), rank - 1, rank - 2]
        sources.append(source.sources[0] if turned else source)
        options += [option_name] if turned else []
    made = Node("matrix_product", sources, reader.sample(name), named(node), ", ".join(options))
    return multiplied(made, math.prod(factors))


# -- attention ---------------------------------------------------------------------------------------------------------


def self_attention(reader, node, name, found, weight, bias):
    """Self-attention and the product after it."""
    size = found.size
    require(len(weight) == size,
            f"{len(weight)} numbers are made of attention to {size}; sinter's MultiheadAttention gives as many as it takes")
    source = shaped(reader.source(found.name), (found.steps, size))
    made = Node("layer", [source], source.shape, named(node))
    tensors = {"in_proj_weight": found.weight.astype(weight.dtype), "in_proj_bias": found.bias.astype(weight.dtype),
               "out_proj.weight": weight[:, found.order], "out_proj.bias": np.zeros(size, weight.dtype) if bias is None else bias}
    text = spelled("MultiheadAttention", size, found.heads, "Causal" if found.causal else None)
    reader.weighted[name] = Weighted(made, lambda _: text, tensors, 0, len(reader.sample(name)), "out_proj.")
    return reader.reshape(made, name)


def causal_scores(reader, name):
    """A product of two values, with a causal mask, that a softmax reads. Otherwise None."""
    node, factor, causal = Finder(reader).scores(name) or (None, 1, False)
    if not causal or reader.reads[node.output[0]] > 1:
        return None
    made = multiplied(matrix_product(reader, node, node.output[0]), factor)
    made.text = ", ".join(filter(None, [made.text, "Causal"]))
    return made


def attention_with_more(reader, node, name):
    """All others are written out as products and a softmax before."""
    raise Refused("it has a softcap, keys and values of the past, or gives more than one value")


OPERATORS = {"Attention": attention_with_more, "Gemm": gemm, "MatMul": product}
