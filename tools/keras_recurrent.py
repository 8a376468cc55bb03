# SPDX-License-Identifier: MIT
"""Keras' layers over steps. from_keras.py needs this file beside it."""
import numpy as np

from graph_builder import part
from keras_activations import LAYERS as ACTIVATIONS
from keras_activations import times
from keras_layers import dense, nothing
from keras_layouts import together
from layer_graph import Node, require, spelled
from numpy_weights import encoded
from numpy_weights import layer as layer_with

# The layer of sinter, its gates in PyTorch's order as places in Keras', and the activations of the state and of gates.
CELLS = {
    "SimpleRNN": ("RNN", (0,), "tanh", None), "GRU": ("GRU", (1, 0, 2), "tanh", "sigmoid"),
    "LSTM": ("LSTM", (0, 1, 2, 3), "tanh", "sigmoid")}


class Cell:
    """One direction of a layer, with its tensors as PyTorch has them."""

    def __init__(self, layer, inputs):
        given = layer.given
        self.kind, order, state, gates = CELLS[layer.kind]
        for key, wanted in (("activation", state), ("recurrent_activation", gates)):
            said = given.get(key, wanted) if wanted else None
            require(said == wanted, f"its {key} is {said!r:.60}; that of sinter's {self.kind} is {wanted}")
        require(self.kind != "GRU" or given.flag("reset_after", True),
                "reset_after is false; sinter's GRU is that of PyTorch, where it is true")
        given.get("dropout"), given.get("recurrent_dropout")
        self.backwards, self.every = given.flag("go_backwards", False), given.flag("return_sequences", False)
        self.units, self.biased = given.whole("units"), given.flag("use_bias", True)
        wide = len(order) * self.units
        biases = ((2, wide) if self.kind == "GRU" else (wide,)) if self.biased else None
        kernel, recurrent, bias = layer.weights((inputs, wide), (self.units, wide), biases, inside="cell")

        def rows(array):
            parts = np.split(array, len(order), -1)
            return np.concatenate([parts[place] for place in order], -1).T

        self.tensors = {"weight_ih": rows(kernel), "weight_hh": rows(recurrent)}
        if self.biased:
            first, second = bias if self.kind == "GRU" else (bias, np.zeros(wide))
            self.tensors |= {"bias_ih": rows(first), "bias_hh": rows(second)}


def made_of(x, cells, every):
    """A layer of one direction or both."""
    cell, steps = cells[0], x.shape[0]
    tensors = {
        f"{key}_l0{end}": encoded(tensor) for each, end in zip(cells, ("", "_reverse"))
        for key, tensor in each.tensors.items()}
    both, size = len(cells) == 2, len(cells) * cell.units
    text = spelled(cell.kind, cell.units, "Bidirectional" if both else None, None if every else "FinalState",
                   None if cell.biased else "NoBias")
    return Node("layer", [x], (steps, size) if every else (size,), x.described, text, tensors=tensors)


def require_steps(x):
    require(len(x.shape) == 2, f"samples of {list(x.shape)}; it takes steps of features")


def recurrent(layer, x):
    require_steps(x)
    cell = Cell(layer, x.shape[1])
    if cell.backwards:
        x = layer_with(x, "Flip<1>", x.shape, x.described)
    return made_of(x, [cell], cell.every)


def bidirectional(layer, x):
    require_steps(x)
    mode = layer.given.choice("merge_mode", "concat", "sum", "ave", "mul")
    forward, backward = layer.inner("layer", "forward_layer"), layer.inner("backward_layer", "backward_layer")
    require(forward.kind in CELLS and backward.kind == forward.kind,
            f"{forward.kind} and {backward.kind} inside of it; sinter has {', '.join(CELLS)}")
    cells = [Cell(inside, x.shape[1]) for inside in (forward, backward)]
    forward.given.refuse_rest(), backward.given.refuse_rest()
    one, other = cells
    require(not one.backwards and other.backwards, "its first layer goes backwards, or the second one does not")
    require((one.units, one.biased, one.every) == (other.units, other.biased, other.every),
            "its two layers have other units or options")
    y = made_of(x, cells, one.every)
    if mode == "concat":
        return y
    dim = len(y.shape) - 1
    parts = [part(y, dim, first, one.units, x.described) for first in (0, one.units)]
    merged = together("multiply" if mode == "mul" else "add", parts, x.described)
    return times(merged, 0.5) if mode == "ave" else merged


def time_distributed(layer, x):
    inside = layer.inner("layer", "layer")
    functions = {
        "Dense": dense, "Dropout": nothing("rate"),
        **{kind: lambda one, x, kind=kind: ACTIVATIONS[kind](one.given, x) for kind in ACTIVATIONS}}
    require(inside.kind in functions and len(x.shape) > 1,
            f"{inside.kind} inside of it; sinter has {', '.join(functions)}")
    y = functions[inside.kind](inside, x)
    inside.given.refuse_rest()
    return y


LAYERS = {**dict.fromkeys(CELLS, recurrent), "Bidirectional": bidirectional, "TimeDistributed": time_distributed}
