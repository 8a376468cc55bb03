# SPDX-License-Identifier: MIT
"""What from_pytorch.py and from_onnx.py make of Nodes alike: shapes, orders of dimensions, parts, paddings, functions and reductions.

Dimensions are counted from 0, without the batch. `described` says of what a Node is made, for messages. Needs nothing but Python.
"""
import re

from layer_graph import Node, number, product, require, reshaped, spelled


def functor(name):
    return f"Activation<sinter::fn::~{name}>"  # the mark keeps the name as it is


def power(exponent):
    """The functor of a constant power."""
    return functor({2: "Square", 0.5: "Sqrt", -1: "Reciprocal"}.get(exponent, f"Pow<{number(exponent)}>"))


def layer_on(source, text, shape, described, tensors=None):
    return Node("layer", [source], shape, described, text, tensors=tensors or {})


def shaped(before, shape):
    """The numbers of a Node in another shape."""
    require(len(shape) <= 3, f"it gives samples of {tuple(shape)}; sinter's have one to three sizes")
    while before.kind == "layer" and not before.tensors and re.match(r"(Flatten|Reshape<.*>)?$", before.text or ""):
        before = before.sources[0]
    return before if shape == before.shape else layer_on(before, reshaped(before.shape, shape), shape, before.described)


def order_of(source):
    """The dimensions that a Permute takes; None for other layers."""
    order = re.match(r"Permute<0, (.*)>$", source.text or "")
    return [int(n) - 1 for n in order[1].split(", ")] if order else None


def permuted(source, order):
    """A Node with its dimensions in another order; two such layers are one."""
    earlier = order_of(source)
    if earlier:
        return permuted(source.sources[0], [earlier[i] for i in order])
    if order == sorted(order):
        return source
    return layer_on(source, spelled("Permute", 0, *[i + 1 for i in order]), tuple(source.shape[i] for i in order), source.described)


def each(source, text, described):
    """A function of single numbers. What only moves or shapes them is done afterwards, where it may meet what takes that back."""
    order = order_of(source)
    if order:
        return permuted(each(source.sources[0], text, described), order)
    if source.kind == "layer" and source.is_cheap():
        return shaped(each(source.sources[0], text, described), source.shape)
    return layer_on(source, text, source.shape, described)


def inverse(source):
    return each(source, functor("Reciprocal"), source.described)


def negative(source):
    return each(source, functor("Negation"), source.described)


def part(source, dim, first, count, described):
    """Neighbouring numbers along a dimension. What only moves them is done afterwards."""
    shape = (*source.shape[:dim], count, *source.shape[dim + 1:])
    if shape == source.shape:
        return source
    order = order_of(source)
    if order:
        return permuted(part(source.sources[0], order[dim], first, count, described), order)
    if dim:
        return layer_on(source, spelled("Slice", first, count, dim + 1), shape, described)
    row, inner = shaped(source, (product(source.shape),)), product(source.shape[1:])
    if source.kind == "take":
        return shaped(Node("slice", source.sources, (count * inner,), source.described, first=source.first + first * inner), shape)
    if row.kind in ("slice", "input") and row is not source:  # a part of a row
        return shaped(Node("slice", [row], (count * inner,), source.described, first=first * inner), shape)
    return Node("slice", [source], shape, described, first=first)


def padded(source, layer, sides, described):
    """A value with numbers around its last dimensions: before and after each."""
    rank, all_sides = len(source.shape), [n for pair in sides[::-1] for n in pair]
    all_sides += [0] * (2 * (rank - 1) - len(all_sides))
    shape = [n + before + after for n, (before, after) in zip(source.shape[::-1], [*sides[::-1], (0, 0), (0, 0)])]
    text = spelled(f"{layer}{rank - 1}d", *(all_sides[:1] if len(set(all_sides)) == 1 else all_sides))
    return layer_on(source, text, tuple(shape[::-1]), described)


def around(source, layer, pads, described):
    """A value with numbers around it: before and after along some dimensions. `layer`: ZeroPad, ReflectionPad or ReplicationPad."""
    pads = {dim: sides for dim, sides in pads.items() if any(sides)}
    if not pads:
        return source
    require(len(source.shape) <= 3, f"it pads samples of {source.shape}; sinter's have one to three sizes")
    if len(pads) > 2:
        first = pads.pop(0)
        return around(around(source, layer, pads, described), layer, {0: first}, described)
    if 0 in pads:  # what is padded goes after channels: the others, or one
        others = [dim for dim in range(len(source.shape)) if dim not in pads]
        order = others + sorted(pads)
        after = [size + sum(pads.get(dim, (0, 0))) for dim, size in enumerate(source.shape)]
        moved = permuted(source, order)
        inside = moved if others else shaped(moved, (1, *moved.shape))
        made = padded(inside, layer, [pads[dim] for dim in sorted(pads)], described)
        return permuted(shaped(made, tuple(after[dim] for dim in order)), [order.index(dim) for dim in range(len(order))])
    return padded(source, layer, [pads.get(dim, (0, 0)) for dim in range(1, len(source.shape))], described)


def reduced(source, dims, kind, described):
    """The mean ("Avg"), sum, largest ("Max") or smallest ("Min") of the numbers along some dimensions, which are gone afterwards."""
    kept = [dim for dim in range(len(source.shape)) if dim not in dims]
    left = tuple(source.shape[dim] for dim in kept) or (1,)
    if not dims:
        return source
    if kind in ("Avg", "Sum"):
        return layer_on(source, spelled("Mean" if kind == "Avg" else "Sum", *[dim + 1 for dim in dims]), left, described)
    if kind == "Min":
        return negative(reduced(negative(source), dims, "Max", described))
    size, count = product(source.shape[dim] for dim in dims), product(left)  # along one series for each of the others
    require(size <= 65536, f"it takes the largest or smallest of {size} numbers; a pool of sinter has up to 65,536")
    rows = shaped(permuted(source, kept + list(dims)), (count, size))
    return shaped(layer_on(rows, spelled("MaxPool1d", size), (count, 1), described), left)


def spread(source, sample, shape):
    """A value with samples of the sizes `sample`, as many as those of `shape`, in that larger shape: numbers are repeated along
    dimensions in which it has one."""
    if sample == shape:
        return source
    grown = [dim for dim in range(len(shape)) if sample[dim] != shape[dim]]
    require(all(sample[dim] == 1 for dim in grown), f"it combines samples of {sample} and {shape}")
    kept = [dim for dim in range(len(shape)) if dim not in grown]
    pixels, channels = product(shape[dim] for dim in grown), product(shape[dim] for dim in kept)
    if kept == list(range(len(kept))) and len(shape) - len(kept) in (1, 2) and kept:
        source = shaped(source, sample) if len(kept) == 1 else shaped(source, (channels, *[1] * len(grown)))
        made = layer_on(source, spelled(f"AdaptiveAvgPool{len(grown)}d", *[shape[dim] for dim in grown]), (channels, *[shape[dim] for dim in grown]),
                        source.described)
        return shaped(made, shape)
    made = layer_on(shaped(source, (channels, 1)), spelled("AdaptiveAvgPool1d", pixels), (channels, pixels), source.described)
    order = kept + grown
    return permuted(shaped(made, tuple(shape[dim] for dim in order)), [order.index(dim) for dim in range(len(shape))])
