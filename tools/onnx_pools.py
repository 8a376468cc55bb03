# SPDX-License-Identifier: MIT
"""Pools, and reductions along axes. from_onnx.py needs this file beside it."""
from functools import partial

from graph_builder import each, functor, padded, reduced
from layer_graph import kernel, option, require, spelled
from onnx_convolutions import window
from onnx_file import named
from onnx_functions import attributes_of
from onnx_idioms import axes_of


def pool(reader, node, name, kind):
    given = attributes_of(node)
    taps = given["kernel_shape"]
    rank = len(taps)
    require(rank in (1, 2), f"it has {rank} directions; sinter has pools of 1 and 2")
    strides, pads, dilations, _ = window(reader, node, "pool", rank, taps)
    require(set(dilations) == {1}, "dilations")
    require(len(node.output) == 1, "it gives indices, too")
    before, after = reader.values[node.input[0]].shape[2:], reader.values[name].shape[2:]
    first, source = pads[:rank], reader.channels(node.input[0])
    require(min(after) > 0, f"its window of {list(taps)} is larger than samples of {source.shape}")
    needed = [(m - 1) * s + k - n - p for n, m, p, k, s in zip(before, after, first, taps, strides)]  # after the last number
    even = tuple((n + 2 * p - k) // s + 1 for n, p, k, s in zip(before, first, taps, strides)) == tuple(after)
    if kind == "Max" and (len(pads) > rank or not even):  # the last numbers again do not make them larger
        sides = [(p, max(0, n)) for p, n in zip(first, needed)]
        source, pads = padded(source, "ReplicationPad", sides, named(node)), (0,) * rank
    else:
        require(len(pads) == rank and even, f"pads of {pads}, or ceil_mode, of an average")
    require(kind == "Max" or not any(pads) or given.get("count_include_pad", 0),
            "an average that leaves out its padding; set count_include_pad")
    require(all(2 * p <= k for p, k in zip(pads, taps)), f"pads of {list(pads)} for a window of {list(taps)}; sinter's are at most half the window")
    text = spelled(f"{kind}Pool{rank}d", kernel(taps, rank), option("Stride", strides, rank, taps), option("Padding", pads, rank, 0))
    return reader.one(node, text, reader.sample(name), source=source)


def global_pool(reader, node, name, kind):
    """One number for each channel."""
    source = reader.channels(node.input[0])
    rank = len(source.shape) - 1
    require(rank in (1, 2), f"samples of {source.shape}")
    text = spelled(f"AdaptiveAvgPool{rank}d", 1) if kind == "Avg" else spelled(f"MaxPool{rank}d", kernel(source.shape[1:], rank))
    return reader.reshape(reader.one(node, text, (source.shape[0], *[1] * rank)), name)


def reduce(reader, node, name, kind, of=None):
    """The mean, sum, largest or smallest of numbers, or of a function `of` them, along axes."""
    shape, source = reader.values[node.input[0]].shape, reader.source(node.input[0])
    source = each(source, of, source.described) if of else source
    require(not of or axes_of(node, reader.constants, len(shape)), "it has no axes, and noop_with_empty_axes")
    axes = [axis for axis in axes_of(node, reader.constants, len(shape)) if shape[axis] != 1]
    dims = [reader.dim(node.input[0], axis) for axis in axes]
    if not dims:
        return reader.reshape(source, name)
    if dims == list(range(2, len(source.shape) + 1)) and kind in ("Avg", "Max"):
        return global_pool(reader, node, name, kind)
    return reader.reshape(reduced(source, [dim - 1 for dim in dims], kind, named(node)), name)


def euclidean_norm(reader, node, name):
    return each(reduce(reader, node, name, "Sum", functor("Square")), functor("Sqrt"), named(node))


OPERATORS = {
    "MaxPool": partial(pool, kind="Max"), "AveragePool": partial(pool, kind="Avg"),
    "GlobalMaxPool": partial(global_pool, kind="Max"), "GlobalAveragePool": partial(global_pool, kind="Avg"),
    "ReduceMax": partial(reduce, kind="Max"), "ReduceMin": partial(reduce, kind="Min"),
    "ReduceMean": partial(reduce, kind="Avg"), "ReduceSum": partial(reduce, kind="Sum"),
    "ReduceL1": partial(reduce, kind="Sum", of=functor("Abs")), "ReduceL2": euclidean_norm,
    "ReduceSumSquare": partial(reduce, kind="Sum", of=functor("Square")),
}
