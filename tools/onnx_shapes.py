# SPDX-License-Identifier: MIT
"""Operators that give numbers other sizes or another order, take parts of them, or put them beside others. from_onnx.py needs this
file beside it."""
import math

import numpy as np

from graph_builder import around, part, permuted, shaped, spread
from layer_graph import Node, require, row_of, spelled
from onnx_file import named
from onnx_functions import attributes_of
from onnx_idioms import SAME_NUMBERS
from onnx_weights import Table, affine


def same_numbers(reader, node, name):
    before = reader.value(node.input[0])
    pass_on(reader, node.input[0], name)
    return reader.reshape(before, name)


def pass_on(reader, before, name):
    """Weights of one value take in what is done to another, which is the same numbers along the same channels."""
    if before in reader.weighted and reader.reads[before] == 1 and reader.sample(before)[0] == reader.sample(name)[0]:
        if reader.weighted[before].dim == 1 or reader.sample(before) == reader.sample(name):
            reader.weighted[name] = reader.weighted[before]


def transpose(reader, node, name):
    shape = reader.values[node.input[0]].shape
    order = list(attributes_of(node).get("perm", range(len(shape))[::-1]))
    before = reader.value(node.input[0])
    if order == [0, 2, 1] and (before.text or "").startswith("Embedding<") and reader.reads[node.input[0]] == 1:
        text = before.text[:-1] + ", ChannelsFirst>"
        return Node("layer", before.sources, reader.sample(name), before.described, text, tensors=before.tensors)
    moved = [axis for axis in order if shape[axis] != 1]
    if moved == sorted(moved):
        return same_numbers(reader, node, name)
    require(0 not in order[1:] or shape[0] == 1 or order[0] == 0 or len(moved) <= 3, f"it moves sizes ({order})")
    return reader.reshape(turned(before, tuple(shape), order), name)


def turned(before, shape, order):
    """The numbers of a Node of the sizes `shape`, with its dimensions in another order. Dimensions of one number do not count."""
    kept = [dim for dim in range(len(shape)) if shape[dim] != 1]
    moved = [dim for dim in order if shape[dim] != 1]
    if moved != kept:
        require(len(kept) <= 3, f"it moves the sizes of samples of {shape}; sinter moves up to three")
        before = shaped(before, tuple(shape[dim] for dim in kept)) if len(kept) < len(shape) else before
        before = permuted(before, [kept.index(dim) for dim in moved])
    return shaped(before, tuple(shape[dim] for dim in order)) if len(order) <= 3 else before


def expand(reader, node, name):
    return expanded(reader, node.input[0], name)


def expanded(reader, value, name):
    """A value in the sizes of another one."""
    lacking = reader.values[name].ndim - reader.values[value].ndim
    return spread_over(reader.source(value), reader.sample(value), reader.sample(name), lacking)


def spread_over(source, sample, shape, lacking):
    """A value in a larger shape, by repeating its numbers along dimensions in which it has one."""
    given = (1,) * (len(shape) - len(sample)) + sample if lacking or len(sample) < len(shape) else sample
    require(len(given) == len(shape), f"it combines samples of {sample} and {shape}")
    return spread(source, given, shape)


# -- parts -------------------------------------------------------------------------------------------------------------


def take_slice(reader, node, name):
    given, shape = attributes_of(node), reader.values[node.input[0]].shape
    if reader.opset < 10:
        starts, axes, steps = given["starts"], given.get("axes"), None
    else:
        starts, axes, steps = reader.given(node, 1), reader.given(node, 3), reader.given(node, 4)
    axes = [int(axis) % len(shape) for axis in (axes if axes is not None else range(len(starts)))]
    steps = [1] * len(axes) if steps is None else steps
    after, taken = reader.values[name].shape, {}
    for axis, start, step in zip(axes, starts, steps):
        if after[axis] == shape[axis] and step == 1:
            continue
        whole = step == -1 and after[axis] == shape[axis]
        require((axis > 0 or shape[0] != 1) and (step == 1 or whole),
                f"it takes a part of size {axis} in steps of {step}; sinter's Slice takes neighbours")
        taken[axis] = None if whole else max(int(start) if start >= 0 else int(start) + shape[axis], 0)
    if None in taken.values():
        require(set(taken.values()) == {None}, "it takes parts of some sizes and reverses others")
        return reader.one(node, spelled("Flip", *[reader.dim(node.input[0], axis) for axis in taken]), reader.sample(name))
    made = reader.source(node.input[0])
    if not taken:
        pass_on(reader, node.input[0], name)
    for axis, first in taken.items():
        made = part(made, reader.dim(node.input[0], axis) - 1, first, after[axis], named(node))
    return reader.reshape(made, name)


def split(reader, node, name):
    rank, axis = len(reader.values[name].shape), attributes_of(node).get("axis", 0)
    axis %= rank
    require(axis > 0 or reader.values[node.input[0]].shape[0] != 1, "it splits the batch")
    earlier = list(node.output)[:list(node.output).index(name)]
    first = sum(reader.values[other].shape[axis] for other in earlier)
    made = part(reader.source(node.input[0]), reader.dim(node.input[0], axis) - 1, first, reader.values[name].shape[axis], named(node))
    return reader.reshape(made, name)


def gather(reader, node, name):
    axis = attributes_of(node).get("axis", 0)
    if node.input[0] in reader.constants:
        table = reader.constants[node.input[0]]
        require(axis == 0 and table.ndim == 2, f"a table of the sizes {list(table.shape)} along size {axis}; sinter's Embedding has rows")
        source = reader.source(node.input[1])
        require(len(source.shape) == 1, f"rows for samples of {source.shape}; sinter's Embedding takes rows of indices")
        made = Node("layer", [source], (source.shape[0], table.shape[1]), named(node))
        reader.weighted[name] = Table(made, table)
        reader.weighted[name].dim = len(reader.sample(name))  # one index may be no dimension
        return reader.reshape(made, name)
    shape, rows = reader.values[node.input[0]].shape, reader.constant(node.input[1], "its indices")
    axis %= len(shape)
    wanted = [int(row) % shape[axis] for row in rows.reshape(-1)]
    if wanted == list(range(shape[axis])):
        return same_numbers(reader, node, name)
    require((axis > 0 or shape[0] != 1) and wanted == list(range(wanted[0], wanted[0] + len(wanted))),
            "it takes other than neighbouring numbers")
    made = part(reader.source(node.input[0]), reader.dim(node.input[0], axis) - 1, wanted[0], len(wanted), named(node))
    return reader.reshape(made, name)


# -- numbers beside others ---------------------------------------------------------------------------------------------


def concatenation(reader, node, name):
    shape, axis = reader.values[name].shape, attributes_of(node)["axis"]
    axis %= len(shape)
    if len(node.input) == 1:
        return reader.source(node.input[0])
    described = named(node)
    if any(value in reader.constants for value in node.input):
        return joined_with_constants(reader, node, name, axis)
    if math.prod(shape[:axis]) == 1 and axis != 1:  # one after another
        rows = [shaped(reader.value(value), (reader.values[value].size,)) for value in node.input]
        return reader.reshape(row_of(rows, described), name)
    require(axis > 0, "it puts values together along the batch")
    return joined(reader, [(reader.value(value), reader.sample(value)) for value in node.input], reader.dim(name, axis) - 1, described)


def joined(reader, parts, dim, described):
    """Nodes with their sizes, one after another along a dimension, counted from 0."""
    sample = list(parts[0][1])
    sample[dim] = sum(shape[dim] for _, shape in parts)
    order = [dim, *[i for i in range(len(sample)) if i != dim]]
    sources = [turned(made, shape, order) for made, shape in parts]
    return permuted(Node("concat", sources, tuple(sample[i] for i in order), described), [order.index(i) for i in range(len(sample))])


def joined_with_constants(reader, node, name, axis):
    """Constants beside values: zeros around the values, to which they are added."""
    dim, before, sides, numbers = reader.dim(name, axis) - 1, 0, [], []
    for value in node.input:
        numbers.append(reader.constants[value] if value in reader.constants else np.zeros(reader.values[value].shape))
        size = numbers[-1].shape[axis]
        if value not in reader.constants:
            sides.append((value, [before, 0]))
            before = 0
        elif sides:
            sides[-1][1][1] += size
        else:
            before += size
    parts = [around(reader.source(value), "ZeroPad", {dim: zeros}, named(node)) for value, zeros in sides]
    made = parts[0] if len(parts) == 1 else joined(reader, [(part, part.shape) for part in parts], dim, named(node))
    shift = np.concatenate(numbers, axis).reshape(reader.sample(name)).astype(np.float64)
    return affine(reader, node, name, None, made, np.ones_like(shift), shift)


def pad(reader, node, name):
    mode, shape = attributes_of(node).get("mode", b"constant").decode(), reader.values[node.input[0]].shape
    layer = {"constant": "ZeroPad", "reflect": "ReflectionPad", "edge": "ReplicationPad"}.get(mode)
    require(layer, f"it pads in the mode {mode!r}; sinter pads with zeros, or as reflect and edge do")
    filled = attributes_of(node).get("value", 0.0) if reader.opset < 11 else reader.given(node, 2)
    require(mode != "constant" or filled is None or not np.any(filled), f"it pads with {filled}; sinter pads with zeros")
    rank = len(shape)
    given = list(attributes_of(node)["pads"]) if reader.opset < 11 else [int(n) for n in reader.given(node, 1)]
    axes = reader.given(node, 3) if reader.opset >= 18 else None
    axes = range(rank) if axes is None else [int(axis) % rank for axis in axes]
    pads = {axis: (given[i], given[i + len(given) // 2]) for i, axis in enumerate(axes)}
    pads = {reader.dim(node.input[0], axis) - 1: sides for axis, sides in pads.items() if any(sides)}
    require(all(dim >= 0 for dim in pads) and min(given) >= 0, f"it pads values of the sizes {list(shape)} by {given}")
    return around(reader.source(node.input[0]), layer, pads, named(node))


# -- images ------------------------------------------------------------------------------------------------------------


def resize(reader, node, name):
    given, before, after = attributes_of(node), reader.values[node.input[0]].shape, reader.values[name].shape
    mode = given.get("mode", b"nearest")
    places = given.get("coordinate_transformation_mode", b"half_pixel") if reader.opset > 10 else b"asymmetric"
    factors = {m / n for n, m in zip(before[2:], after[2:])}
    require(after[:2] == before[:2] and len(before) in (3, 4) and len(factors) == 1 and factors.copy().pop() % 1 == 0,
            f"it makes {list(after[1:])} of {list(before[1:])}; sinter's Upsample enlarges images by one whole factor")
    factor = int(factors.pop())
    scales = given.get("scales") if "scales" in given else reader.given(node, 1 if reader.opset <= 10 else 2)
    told = [] if scales is None else [float(scale) for scale in scales]
    whole = [factor] * (len(before) - 2)
    require(told in ([], whole, [1, 1, *whole]), f"its scales {told} are not {factor}, as is "
            f"{list(after[1:])} to {list(before[1:])}, and places follow from them; sinter's Upsample has whole ones")
    options = {
        (b"nearest", b"asymmetric"): (), (b"linear", b"half_pixel"): ("Bilinear",), (b"linear", b"pytorch_half_pixel"): ("Bilinear",),
        (b"linear", b"align_corners"): ("Bilinear", "AlignCorners"),
    }.get((mode, places))
    floor = mode != b"nearest" or reader.opset <= 10 or given.get("nearest_mode", b"round_prefer_floor") == b"floor"
    require(options is not None and floor, f"the mode {mode.decode()!r} with {places.decode()!r}; sinter has nearest with 'asymmetric' and "
            "'floor', and linear with 'half_pixel' or 'align_corners'")
    return reader.one(node, spelled("Upsample", factor, *options), reader.sample(name), source=reader.channels(node.input[0]))


def depth_to_space(reader, node, name):
    given = attributes_of(node)
    require(given.get("mode", b"DCR") == b"CRD", "the mode 'DCR'; sinter's PixelShuffle is that of PyTorch, 'CRD'")
    return reader.one(node, spelled("PixelShuffle", given["blocksize"]), reader.sample(name), source=reader.channels(node.input[0]))


OPERATORS = {
    **dict.fromkeys(SAME_NUMBERS, same_numbers), "Concat": concatenation, "DepthToSpace": depth_to_space,
    "Expand": expand, "Gather": gather, "Pad": pad, "Resize": resize, "Slice": take_slice, "Split": split,
    "Transpose": transpose,
    "Upsample": resize,  # of opset 9
}
