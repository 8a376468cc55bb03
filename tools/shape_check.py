# SPDX-License-Identifier: MIT
"""Refuses a network whose layers would not have the shapes of its values: the compiler would refuse it, or it would be another network.

Needs nothing but Python, and layer_shapes.py beside it.
"""
from layer_shapes import Misfit, OutOfBounds, after, ends_of_heads, equal, joined, multiplied, need, of_recurrent, parsed


def shape_of(node, known):
    """The shape that a Node has by the rules of its layer, from those of its sources."""
    sources = [source.shape for source in node.sources]
    if node.kind == "layer":
        return after(node.text, sources[0], known) if node.text else sources[0]
    if node.kind == "slice":
        return after(f"Slice<{node.first}, {node.shape[0]}>", sources[0], known)
    if node.kind == "take":
        return after(f"TakeInput<inputs, {node.text}>", sources[0], known)
    if node.kind == "concat":
        need(len(sources) >= 2, "it puts one value together")
        return joined(sources)
    if node.kind == "multiply":  # one number for each channel is spread over an image
        return equal([node.shape if shape == (node.shape[0], *[1] * (len(node.shape) - 1)) else shape for shape in sources])
    if node.kind == "matrix_product":
        return multiplied(*sources, (node.text or "").split(", "))
    if node.kind == "recurrent":
        return of_recurrent(parsed(node.text), sources[0], dict(zip(node.branches, sources[1:])), known)
    return equal(sources)


def problem_of(layers):
    """What is wrong with a network, in words: numbers that sinter's layers do not have, or shapes, which these tools made. None if nothing is."""
    try:
        problem = problem_of_shapes(layers)
    except OutOfBounds as why:
        return str(why)
    return problem and f"{problem}; the header that this program would write does not compile. Please report it with the model"


def problem_of_shapes(layers):
    known = {"shared": {name: parsed(text) for name, text, _ in layers.shared.values()}, "inputs": [shape for _, shape in layers.inputs]}
    for node in layers.order:
        what = f"{node.described}{f' ({node.label})' if node.label and node.label not in node.described else ''}"
        try:
            made = shape_of(node, known)
        except OutOfBounds as why:
            raise OutOfBounds(f"{what}: {why}") from None
        except Misfit as why:
            return f"{what}: {why}"
        if made != tuple(node.shape):
            return f"{what}: its layer {node.text or node.kind} gives samples of {list(made)}, where {list(node.shape)} are expected"
    shape, ends = tuple(layers.input.shape), None
    for number, text in enumerate(layers.all):
        try:
            ends = ends_of_heads(parsed(text), shape, known) if text.startswith("Heads<") else None
            shape = after(text, shape, known)
        except Misfit as why:
            return f"layer {number}: {why}"
        wanted = getattr(text, "shape", None)
        if wanted and shape != tuple(wanted):
            return f"layer {number}, {text}, gives samples of {list(shape)}, where {list(wanted)} are expected"
    given, wanted = ends or [shape], [tuple(end.shape) for end in layers.outputs]
    return None if given == wanted else f"the outputs would have the shapes {given}, where {wanted} are expected"
