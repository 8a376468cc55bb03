# SPDX-License-Identifier: MIT
"""What the operators before a value compute from another one together: an activation, a normalisation, a softmax, or a move of
numbers.

onnx_functions.py, onnx_idioms.py and onnx_moves.py tell which it is. from_onnx.py needs this file beside it.
"""
import math
from functools import partial

import numpy as np

from graph_builder import each, part, permuted, shaped
from layer_graph import Node, spelled
from onnx_attention import MOVES, Finder
from onnx_file import named
from onnx_functions import ELEMENTS, Group, activation_of, short
from onnx_idioms import REDUCTIONS, axes_of, evaluate, is_smooth, normalisation_along, softmax_along, without_size
from onnx_moves import in_row, whole
from onnx_weights import Table, encoded


def groups_before(reader, name, is_known, most):
    """Nodes of some operators that compute a value from one other, the last one first, and that other one: from the shortest way on."""
    inside, left = [], {name}
    while len(inside) < most:
        last = max(left, key=lambda value: reader.position.get(value, -1))
        node = reader.producers.get(last)
        if node is None or not is_known(node) or reader.is_whole(node):
            return
        inside.append(node)
        left = (left - {last}) | {value for value in node.input if value and value not in reader.constants}
        if len(left) == 1:
            yield inside, next(iter(left))


def computed(reader, name, leaf, inside, given):
    known = {leaf: given}
    shapes = {key: reader.values[key].shape for node in inside for key in node.output}
    evaluate(inside[::-1], known, reader.constants, shapes)
    return known[name]


def composed_activation(reader, name):
    """The activation that operators on single numbers compute from one value, or None."""
    for inside, leaf in groups_before(reader, name, lambda node: node.op_type in ELEMENTS, 24):
        if any(reader.constants[value].size != 1 for node in inside for value in node.input if value in reader.constants):
            return None
        group = Group(inside[::-1], name, leaf, reader.constants, reader.opset)
        found = activation_of(group)
        if found is not None:
            source, table = reader.source(leaf), reader.weighted.get(leaf)
            if isinstance(table, Table) and reader.reads[leaf] == sum(list(node.input).count(leaf) for node in inside):
                table.change(lambda rows: group.values(rows)[0])
                reader.weighted[name] = table
                return source
            return each(source, found, f"value {name!r}") if found else source
    return None


def composed_along_axes(reader, name):
    """The normalisation or softmax that operators compute from one value, of several the one from farthest back, or None."""
    best = None
    for inside, leaf in groups_before(reader, name, lambda node: is_smooth(node, reader.constants), 40):
        shape = reader.values[leaf].shape
        axes = sorted({axes_of(node, reader.constants, reader.values[node.input[0]].ndim) for node in inside
                       if node.op_type in REDUCTIONS and reader.values[node.input[0]].shape == shape})
        if not axes or shape != reader.values[name].shape or 0 in axes[0]:
            continue
        function = partial(computed, reader, name, leaf, inside)
        numbers = [reader.constants[value] for node in inside for value in node.input
                   if value in reader.constants and reader.constants[value].dtype.kind == "f"]
        numbers = [array for array in numbers if not without_size(array)]
        single = [float(array.reshape(())) for array in numbers if array.size == 1]
        epsilons = sorted({number for number in single if 0 < number < 0.1})
        if len(axes[0]) == 1 and not numbers and (found := softmax_along(function, shape, axes[0])):
            best = (found,), name, leaf, axes[0]
        elif epsilons and (found := normalisation_along(function, shape, axes[0], epsilons)):
            best = found, name, leaf, axes[0]
    return layer_along_axes(reader, *best) if best else None


def layer_along_axes(reader, found, name, leaf, axes):
    source, rank = reader.source(leaf), reader.values[leaf].ndim
    dims = [reader.dim(leaf, axis) - 1 for axis in axes]
    if len(found) == 1:
        text = found[0] if len(source.shape) == 1 else spelled(f"{found[0]}Along", dims[0] + 1)
        return Node("layer", [source], source.shape, f"value {name!r}", text)
    kind, epsilon, weight, bias = found
    others = [dim for dim in range(len(source.shape)) if dim not in dims]
    moved = permuted(source, others + dims)
    bare = not bias.any()
    text = spelled(kind, spelled("NormalizedShape", *weight.shape) if others or kind == "RMSNorm" else None,
                   spelled("Epsilon", short(epsilon)), "NoBias" if bare and kind == "LayerNorm" else None)
    tensors = {"weight": weight.astype(np.float32)} | ({} if bare or kind == "RMSNorm" else {"bias": bias.astype(np.float32)})
    made = Node("layer", [moved], moved.shape, f"value {name!r}", text, tensors={key: encoded(tensor) for key, tensor in tensors.items()})
    return permuted(made, [(others + dims).index(dim) for dim in range(rank - (reader.values[leaf].shape[0] == 1))])


def through_moves(reader, node, name):
    """A value of up to three sizes that takes and moves numbers of another one by way of values of more sizes. Otherwise None."""
    finder, way = Finder(reader), [name]
    while (maker := reader.producers.get(way[-1])) is not None and maker.op_type in MOVES and len(live := finder.live(maker)) == 1:
        way += live
    if max(len(reader.sample(value)) for value in (name, way[-1])) > 3 or all(len(reader.sample(value)) <= 3 for value in way):
        return None
    found = finder.origin(name, lambda value: value == way[-1])
    taken = in_row(found.at, reader.values[way[-1]].size) if found else None
    if taken is None or len(whole(taken)[0]) > 3:
        return None
    source = reader.source(way[-1])
    for i, digit in enumerate(taken):
        if digit.count < digit.size:
            before, inner = math.prod(other.count for other in taken[:i]), digit.stride
            rows = (digit.size * inner,) if before == 1 else (before, digit.size * inner)
            source = part(shaped(source, rows), len(rows) - 1, digit.first * inner, digit.count * inner, named(node))
    sizes, order = whole(taken)
    return reader.reshape(permuted(shaped(source, tuple(sizes)), order), name)
