# SPDX-License-Identifier: MIT
"""Reads the graph of an ONNX file as Nodes: from its ends back to its inputs, each value by the operator that makes it.

Operators that compute something together come first; others have a function each. from_onnx.py needs this file beside it.
"""
import numpy as np
import onnx

import onnx_activations
import onnx_arithmetic
import onnx_casts
import onnx_conditions
import onnx_convolutions
import onnx_normalisations
import onnx_pools
import onnx_products
import onnx_recurrent
import onnx_shapes
from graph_builder import shaped
from layer_graph import Node, Refused, labelled, require, several_inputs
from onnx_file import named
from onnx_idioms import KNOWN, SAME_NUMBERS
from onnx_recognition import composed_activation, composed_along_axes, through_moves
from onnx_values import ARITHMETIC, WHOLE_NUMBERS
from onnx_weights import encoded

CONTROL = {"If", "Loop", "Scan"}
RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
# What reads an operator: a function of the reader, the node and the name of the value that it makes.
OPERATORS = (onnx_activations.OPERATORS | onnx_arithmetic.OPERATORS | onnx_casts.OPERATORS |
             onnx_conditions.OPERATORS | onnx_convolutions.OPERATORS | onnx_normalisations.OPERATORS |
             onnx_pools.OPERATORS | onnx_products.OPERATORS | onnx_recurrent.OPERATORS | onnx_shapes.OPERATORS)


class Reader:
    """Reads the nodes of a graph as layers."""

    def __init__(self, model, opset, values, begins, ends, choices=()):
        """`values`: those of one row; `choices`: rows of the inputs of each Where."""
        self.opset, self.values, self.ends, self.choices = opset, values, ends, choices
        graph = model.graph
        self.constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.producers, self.position, self.reads = {}, {}, {}
        for i, node in enumerate(graph.node):
            for name in node.output:
                self.producers[name], self.position[name] = node, i
            for name in node.input:
                self.reads[name] = self.reads.get(name, 0) + 1
            if all(name in self.constants for name in node.input if name) and node.op_type not in RANDOM:
                self.constants |= {name: values[name] for name in node.output if name}
        for name in ends:
            self.reads[name] = self.reads.get(name, 0) + 2
        self.odd, self.weighted, self.problems = {}, {}, []  # `odd`: why values cannot be read as they are
        self.factors, self.shifts = {}, {}  # what values are multiples of, and what they are sums of, by their Nodes
        self.nodes = self.inputs(begins)
        for name in ends:
            self.source(name)
        if self.problems:
            raise Refused(*dict.fromkeys(self.problems))

    def inputs(self, begins):
        """The input, or several."""
        if len(begins) == 1:
            return {begins[0]: Node("input", [], self.sample(begins[0]), f"input {begins[0]!r}")}
        return dict(zip(begins, several_inputs([(name, self.sample(name)) for name in begins])[1]))

    def sample(self, name):
        """The sizes of one sample. A value whose first size is not the batch's is one sample as a whole."""
        shape = tuple(int(n) for n in self.values[name].shape)
        return (shape[1:] if shape[:1] == (1,) else shape) or (1,)

    def dim(self, name, axis):
        """The dimension of a sample that an axis of a value is."""
        shape = self.values[name].shape
        return axis % len(shape) + (0 if shape[0] == 1 else 1)

    def input_node(self):
        node = next(iter(self.nodes.values()))
        while node.sources:
            node = node.sources[0]
        return node

    def value(self, name):
        """The Node of a value."""
        require(name not in self.constants, f"{name!r} is a constant, where the network's own values are expected")
        if name not in self.nodes:
            node = self.producers[name]
            try:
                self.nodes[name] = labelled(self.layer(node, name), node.name)
            except (Refused, ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as why:
                unknown = "" if isinstance(why, Refused) else f"its inputs or attributes have a form that is not known here ({type(why).__name__}: "
                self.problems.append(f"{named(node)}: {unknown}{why}{')' if unknown else ''}")
                sources = [self.value(other) for other in node.input if other and other not in self.constants and
                           other in self.nodes | self.producers]
                shape = self.sample(name) if isinstance(self.values[name], np.ndarray) else ()
                self.nodes[name] = Node("layer", sources, shape, "refused", "Refused")
        return self.nodes[name]

    def source(self, name):
        """The Node of a value that is read as it is: of no more sizes than samples have."""
        node = self.value(name)
        if name in self.odd and not self.problems:
            raise Refused(self.odd[name])
        return node

    def channels(self, name):
        """The same for a value whose first size is the batch and whose second one are channels or features."""
        shape = list(self.values[name].shape)
        require(shape[:1] == [1], f"its value {name!r} of the sizes {shape} has no batch as its first size. If an input of the file has a batch of more "
                "than 1, give the sizes of one sample by --shape TENSOR=SIZES")
        return self.source(name)

    def constant(self, name, what):
        require(name in self.constants, f"{what} {name!r} is computed while the network runs")
        return self.constants[name]

    def given(self, node, i):
        """Input i of a node as a constant, or None where it is left out."""
        return self.constant(node.input[i], f"input {i}") if len(node.input) > i and node.input[i] else None

    def reshape(self, before, name):
        """The same numbers in the sizes of another value."""
        shape = self.sample(name)
        if len(shape) <= 3:
            return shaped(before, shape)
        self.odd[name] = f"value {name!r} of the sizes {list(self.values[name].shape)} is not a batch of samples of up to three sizes"
        return Node("layer", [before], shape, name, "Reshape<>")

    def one(self, node, text, shape, tensors=None, source=None):
        """A layer on the first input."""
        source = source or self.source(node.input[0])
        return Node("layer", [source], shape, named(node), text,
                    tensors={name: encoded(tensor) for name, tensor in (tensors or {}).items()})

    def layer(self, node, name):
        require(node.op_type not in CONTROL, "it is control flow; sinter computes the same layers for all inputs" + (
            ". If its condition is an input, --set makes it a constant" if node.op_type == "If" else ""))
        require(isinstance(self.values[name], np.ndarray), "it gives no tensor")
        require(self.values[name].size, f"its value {name!r} of the sizes {list(self.values[name].shape)} has no numbers")
        require(node.op_type not in RANDOM, "its numbers are random; sinter gives the same for the same input. Export the model for inference, after model.eval()")
        require(not self.is_whole(node), WHOLE_NUMBERS)
        read = OPERATORS.get(node.op_type) if node.domain in ("", "ai.onnx") else None
        if read and node.op_type not in KNOWN - SAME_NUMBERS:
            return through_moves(self, node, name) or read(self, node, name)
        made = composed_activation(self, name) or composed_along_axes(self, name)
        if made:
            return made
        require(read, "sinter has no layer for this operator" + (f" of {node.domain}" if node.domain else ""))
        return read(self, node, name)

    def is_whole(self, node):
        """Whether a node computes with whole numbers."""
        return node.op_type in ARITHMETIC and self.values[node.output[0]].dtype.kind in "iu"
