# SPDX-License-Identifier: MIT
"""Recurrent layers, and the lengths of their sequences.

Their rows in ONNX are those of i, o, f, g and of z, r, n; in PyTorch of i, f, g, o and of r, z, n. from_onnx.py needs this file beside it.
"""
import math
from functools import partial

import numpy as np
import onnx

from graph_builder import part, shaped
from layer_graph import Node, require, row_of, spelled
from onnx_file import cut, named
from onnx_functions import attributes_of
from onnx_values import run

# Operators that give numbers of their first input as they are.
MOVE_NUMBERS = ("Cast", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze")


def lengths_of(node):
    """The lengths of the sequences that a recurrent node is given."""
    return node.input[4:5] if node.op_type in ("LSTM", "GRU", "RNN") and any(node.input[4:5]) else []


def length_places(model, inputs):
    """Where rows of the inputs have lengths of sequences, which may be moved before they are read: the name of an input, the
    place of a number in it, and how many steps there are. Refuses lengths that are computed."""
    makers = {name: node for node in model.graph.node for name in node.output}
    sizes = {entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim] for entry in inputs}
    shapes = {entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
              for entry in [*inputs, *onnx.shape_inference.infer_shapes(model).graph.value_info]}
    constants = {tensor.name for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        for lengths in lengths_of(node):
            begin = lengths
            while begin in makers:
                moved = makers[begin].op_type in MOVE_NUMBERS and all(name in constants for name in makers[begin].input[1:] if name)
                require(moved, f"{named(node)}: the lengths of its sequences are computed; sinter takes an input, or a number of one")
                begin = makers[begin].input[0]
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "layout"), 0)
            steps = shapes.get(node.input[0], [0, 0])[axis]
            if begin not in sizes or not steps:
                continue
            kind = next(onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type) for entry in inputs if entry.name == begin)
            counted = np.arange(math.prod(sizes[begin])).reshape(sizes[begin]).astype(kind)
            places = [0]
            if begin != lengths:
                way = cut(model, [begin], [lengths], {begin: counted, lengths: counted})
                places = run(way, [lengths], {begin: counted})[lengths]
            found += [(begin, int(place), steps) for place in np.reshape(places, -1)]
    return found


# -- layers ------------------------------------------------------------------------------------------------------------


def recurrent(reader, node, name, layer, gates, functions):
    given, hidden = attributes_of(node), attributes_of(node)["hidden_size"]
    both, reverse = (given.get("direction", b"forward") == kind for kind in (b"bidirectional", b"reverse"))
    directions, output = 1 + both, list(node.output).index(name)
    activations = tuple(given.get("activations", functions * directions))[:len(functions) * directions]  # those of an RNN are two
    require(activations == functions * directions, f"its activations are {', '.join(kind.decode() for kind in activations)}; sinter's are "
            f"{', '.join(kind.decode() for kind in functions)}")
    require(not given.get("clip") and not given.get("input_forget", 0), "clip or input_forget")
    lengths = node.input[4] if len(node.input) > 4 and node.input[4] else None
    if lengths in reader.constants:
        require((reader.constants[lengths] == steps_of(reader, node)).all(), "its sequences are shorter than its steps, all alike")
        lengths = None
    require(len(node.input) < 8 or not node.input[7], "peepholes")
    states = [value for value in node.input[5:7] if value and np.any(reader.constants.get(value, 1))]
    w, r, b = (reader.given(node, i) for i in (1, 2, 3))
    b = np.zeros((directions, 2 * len(gates) * hidden), np.float32) if b is None else b

    def rows(array):  # [gates x hidden, ..], in PyTorch's order
        return array.reshape(len(gates), hidden, *array.shape[1:])[list(gates)].reshape(array.shape)

    tensors = {}
    for direction, end in zip(range(directions), ("", "_reverse")):
        first, second = np.split(b[direction], 2)
        tensors |= {f"weight_ih_l0{end}": rows(w[direction]), f"weight_hh_l0{end}": rows(r[direction]),
                    f"bias_ih_l0{end}": rows(first), f"bias_hh_l0{end}": rows(second)}
    steps, x = steps_of(reader, node), reader.value(node.input[0])
    require(math.prod(x.shape) == steps * w.shape[2], f"it takes {math.prod(reader.values[node.input[0]].shape)} numbers for {steps} steps of {w.shape[2]} features, a batch that "
            "the file fixes; leave it open when the model is exported, or give the sizes of a sample by --shape TENSOR=SIZES")
    x = shaped(x, (steps, w.shape[2]))
    if states:
        require(len(states) == (2 if layer == "LSTM" else 1) and not any(value in reader.constants for value in states),
                "its initial state is a constant, or a part of it is; sinter's is 0, or computed from the input as a whole")
        if directions == steps == 1 and layer != "RNN" and lengths is None:
            return reader.reshape(cell(reader, node, x, layer, states, tensors)[0 if output < 2 else 1], name)
    require(output < 2, "its cell state is read; sinter's LSTM gives the hidden state")
    if output and reader.reads.get(node.output[0], 0) and not both and lengths is None:  # the last of all steps
        every = reader.value(node.output[0])
        return reader.reshape(part(shaped(every, (steps, hidden)), 0, 0 if reverse else steps - 1, 1, named(node)), name)
    x = reader.one(node, "Flip<1>", x.shape, source=x) if reverse else x
    made = reader.one(node, spelled(layer, hidden, "Bidirectional" if both else None, "FinalState" if output else None),
                      (directions * hidden,) if output else (steps, directions * hidden), tensors, x)
    if lengths is not None:
        require(not reverse, "sequences of several lengths, from their ends to their beginnings alone")
        made.sources.append(shaped(reader.value(lengths), (1,)))
        made.branches += ("Lengths",)
    if states:
        made.sources.append(row_of([shaped(reader.value(state), (directions * hidden,)) for state in states], made.described))
        made.branches += ("InitialState",)
    made.kind = "recurrent" if made.branches else "layer"
    if both and not output and len(reader.sample(name)) > 2:
        reader.odd[name] = f"value {name!r} has the steps of both directions apart; read them by a Transpose with perm = [0, 2, 1, 3]"
    return reader.reshape(reader.one(node, "Flip<1>", made.shape, source=made) if reverse and not output else made, name)


def steps_of(reader, node):
    return reader.values[node.input[0]].shape[attributes_of(node).get("layout", 0)]


def cell(reader, node, x, layer, states, tensors):
    """The state after one step: h, and c of an LSTM."""
    if (node.output[0], "step") not in reader.nodes:
        hidden, described = attributes_of(node)["hidden_size"], named(node)
        row = row_of([shaped(x, (math.prod(x.shape),)), *[shaped(reader.value(state), (hidden,)) for state in states]], described)
        made = reader.one(node, spelled(f"{layer}Cell", hidden), (len(states) * hidden,),
                          {key[:-3]: tensor for key, tensor in tensors.items()}, row)
        reader.nodes[node.output[0], "step"] = [Node("slice", [made], (hidden,), described, first=k * hidden) for k in range(len(states))]
    return reader.nodes[node.output[0], "step"]


def gru(reader, node, name):
    require(attributes_of(node).get("linear_before_reset", 0), "linear_before_reset is 0; sinter's GRU is that of PyTorch, where it is 1")
    return recurrent(reader, node, name, "GRU", (1, 0, 2), (b"Sigmoid", b"Tanh"))


OPERATORS = {
    "GRU": gru, "LSTM": partial(recurrent, layer="LSTM", gates=(0, 2, 3, 1), functions=(b"Sigmoid", b"Tanh", b"Tanh")),
    "RNN": partial(recurrent, layer="RNN", gates=(0,), functions=(b"Tanh",)),
}
