# SPDX-License-Identifier: MIT
"""Layers with weights, and what constants do to values: x scale + shift.

It goes into the weights of the layer before, or is a layer of its own. from_onnx.py needs this file beside it.
"""
import math

import numpy as np

from graph_builder import permuted, shaped
from layer_graph import Node, require, spelled
from onnx_file import named
from onnx_functions import LARGEST, short


def encoded(array):
    kind = "F64" if array.dtype == np.float64 else "F32"
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, dtype="<f8" if kind == "F64" else "<f4")
    require(np.isfinite(array).all(), "its weights have NaN or infinity, which load() refuses; get weights that have "
            "none")
    return kind, array.shape, array.tobytes()


def added(one, other):
    """Sums, in which two masks are one."""
    return np.maximum(one + np.asarray(other, np.float64), -LARGEST)


class Weighted:
    """A layer with weights for each of its outputs, which takes in what is added to or multiplied with them."""

    def __init__(self, node, spell, tensors, axis=0, dim=1, part=""):
        """`axis`: that of the weight which goes along the outputs; `dim`: the dimension of the value along which they are; `part`: what the
        names of the weight and the bias begin with."""
        self.node, self.spell, self.tensors, self.axis, self.dim = node, spell, tensors, axis, dim
        self.weight, self.bias = f"{part}weight", f"{part}bias"
        self.write()

    def apply(self, scale, shift):
        weight = self.tensors[self.weight]
        each = [1] * weight.ndim
        each[self.axis] = -1
        self.tensors[self.weight] = weight * scale.astype(weight.dtype).reshape(each)
        bias = added(self.tensors.get(self.bias, np.zeros_like(scale, dtype=weight.dtype)) * scale, shift)
        if self.bias in self.tensors or shift.any():
            self.tensors[self.bias] = bias.astype(weight.dtype)
        self.write()

    def write(self):
        self.node.text = self.spell(self.bias in self.tensors)
        self.node.tensors = {name: encoded(tensor) for name, tensor in self.tensors.items()}


class Table(Weighted):
    """An Embedding, whose rows are added to, multiplied, or changed by a function, number by number."""

    def __init__(self, node, table):
        super().__init__(node, lambda _: spelled("Embedding", *table.shape), {"weight": table}, 1, 2)

    def apply(self, scale, shift):
        self.change(lambda table: table * scale + shift)

    def change(self, function):
        self.tensors["weight"] = function(self.tensors["weight"].astype(np.float64)).astype(np.float32)
        self.write()


def with_weights(reader, node, name, source, spell, weight, axis=0, bias=None, shape=None):
    bias = reader.given(node, 2) if bias is None else bias
    tensors = {"weight": weight, **({"bias": bias} if bias is not None else {})}
    made = Node("layer", [source], shape or reader.sample(name), named(node))
    reader.weighted[name] = Weighted(made, spell, tensors, axis)
    return made


# -- factors and terms -------------------------------------------------------------------------------------------------


def with_constant(reader, node, name, combine):
    """Where one input is a constant: combine(numbers, whether it is the first) gives scale and shift. Otherwise None."""
    at = next((i for i in (0, 1) if node.input[i] in reader.constants), None)
    if at is None:
        return None
    before, each = node.input[1 - at], each_number(reader, node.input[at], name)
    return affine(reader, node, name, before, reader.source(before), *combine(each, at == 0))


def each_number(reader, name, wide):
    """A constant as one number for each of a sample of another value."""
    return np.broadcast_to(reader.constants[name], reader.values[wide].shape).reshape(reader.sample(wide)).astype(np.float64)


def affine(reader, node, name, before, source, scale, shift):
    """x scale + shift, each a number for each of a sample. `before`: the name of x, if it is one of the graph's values."""
    shape, weighted = reader.sample(name), reader.weighted.get(before)
    require(not np.isnan(scale + shift).any(), "its constant has what is no number; get weights that have none")
    for doing, numbers in (("multiplies by", np.abs(scale)), ("adds", shift)):
        most = numbers[~np.isinf(numbers) | (doing != "adds")].max(initial=0)
        require(most <= 1e30, f"it {doing} {most:.3g}, beside which floats do not differ; use at most 1e30, or -1e9 "
                "for what a mask leaves out")
    shift = np.where(np.isinf(shift), np.copysign(1e30, shift), shift)  # -inf masks numbers before a softmax
    require(source.shape == shape, f"its constant makes samples of {source.shape} larger")
    for dim in range(1, len(shape) + 1):
        rows = [np.moveaxis(each, dim - 1, 0).reshape(shape[dim - 1], -1) for each in (scale, shift)]
        alike = all((each == each.flat[0]).all() for each in (scale, shift))
        if all((row == row[:, :1]).all() for row in rows) and (dim == (weighted.dim if weighted else 1) or not alike):
            return scaled(reader, before, source, *[row[:, 0] for row in rows], node, name, dim)
    reader.weighted.pop(before, None)
    if (scale == 1).all() and len(shape) > 1:
        return shifted(reader, node, before, source, shift)
    made = shaped(scaled(reader, before, shaped(source, (scale.size,)), scale.reshape(-1), shift.reshape(-1), node, name), shape)
    reader.weighted.pop(name, None)  # its numbers are those of a row
    return made


def scaled(reader, before, source, scale, shift, node, name, dim=1):
    """x scale + shift, each a number for each place along a dimension: in the layer before, or as a batch normalisation."""
    weighted = reader.weighted.get(before)
    if weighted and reader.reads[before] == 1 and weighted.dim == dim:
        weighted.apply(scale, shift)
        reader.weighted[name] = weighted
        return source
    if (scale == 1).all() and not shift.any():
        return source
    alike = (scale == scale[0]).all() and not shift.any()
    if source.kind == "matrix_product" and alike and reader.reads.get(before) == 1:
        return multiplied(source, scale[0])
    unscaled, order = source, [dim - 1, *[i for i in range(len(source.shape)) if i != dim - 1]]
    source = permuted(source, order)
    kind = np.float64 if name and reader.values[name].dtype == np.float64 else np.float32
    rank, one = max(len(source.shape) - 1, 1), np.ones_like(scale, dtype=kind)
    tensors = {"weight": scale.astype(kind), "bias": shift.astype(kind), "running_mean": 0 * one,
               "running_var": (1 - 1e-5) * one.astype(np.float64)}  # in double, so that with the epsilon it is 1 there, too
    made = Node("layer", [source], source.shape, named(node))
    weighted = Weighted(made, lambda _: f"BatchNorm{rank}d<>", tensors, 0, dim)
    if name:
        reader.weighted[name] = weighted
    made = permuted(made, [order.index(i) for i in range(len(order))])
    if alike:
        reader.factors[made] = unscaled, scale[0]
    return made


def shifted(reader, node, before, source, shift):
    """x and a constant for each of its numbers, as the positions of a sequence."""
    rows, earlier = reader.shifts.get(source, (source, 0)) if reader.reads.get(before, 1) == 1 else (source, 0)
    shape, sizes = source.shape, (math.prod(source.shape[:-1]), source.shape[-1])
    shift = added(shift, earlier)
    made = reader.one(node, spelled("PositionEmbedding", *sizes), sizes, {"weight": shift.reshape(sizes)}, shaped(rows, sizes))
    made = shaped(made, shape)
    reader.shifts[made] = rows, shift
    return made


def multiplied(product, factor):
    """A MatrixProduct with a factor, besides the one that it has."""
    options = [text for text in (product.text or "").split(", ") if text]
    earlier = [text for text in options if text.startswith("Factor<")]
    factor = math.prod([factor, *[float(text[len("Factor<"):-1]) for text in earlier]])
    options = [text for text in options if text not in earlier] + ([spelled("Factor", short(factor))] if factor != 1 else [])
    product.text = ", ".join(options)
    return product
