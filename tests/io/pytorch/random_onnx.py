# SPDX-License-Identifier: MIT
"""Random ONNX models for fuzz_onnx.py: most are as exporters write them, and in some something is wrong or odd."""

import random

import numpy as np
import onnx
from onnx import TensorProto, helper
from random_nodes import Nodes
from spoiled_onnx import spoil

# IR versions that know an opset.
IR_OF = {9: 4, 10: 5, 11: 6, 12: 7, 13: 7, 14: 7, 15: 8, 16: 8, 17: 8, 18: 8, 19: 9, 20: 9, 21: 10, 22: 10, 23: 11}


class Drawn(Nodes):
    """A model of one seed."""

    def __init__(self, seed):
        self.random, self.numbers = random.Random(seed), np.random.default_rng(seed)
        self.opset = self.random.randint(9, 23)
        self.nodes, self.constants, self.options, self.count = [], {}, {}, 0
        self.shape = self.pick((4,), (6,), (1,), (3, 4), (4, 5), (1, 6), (2, 5, 6), (3, 4, 4), (2, 1, 6), (2, 7, 7))
        self.shape = (2, 3, 4, 5) if self.chance(0.01) else self.shape
        self.inputs = [("x", self.shape, TensorProto.FLOAT)]
        self.live = {"x": (1, *self.shape)}
        if self.chance(0.2):
            self.inputs.append(("x2", self.shape, TensorProto.FLOAT))
            self.live["x2"] = (1, *self.shape)
        for _ in range(self.random.randint(1, 7)):
            self.add_node()
        if self.chance(0.15):  # the last one: onnx's inference of sizes may end this program at some
            self.nodes.append(self.any_operator(*self.random.choice(list(self.live.items()))))
        self.model = self.build()
        if self.chance(0.25):
            spoil(self)

    def pick(self, *choices):
        return self.random.choice(choices)

    def chance(self, share):
        return self.random.random() < share

    def name(self):
        self.count += 1
        return f"v{self.count}"

    def constant(self, array, kind=None):
        name = f"c{len(self.constants)}"
        self.constants[name] = np.asarray(array, kind)
        return name

    def floats(self, *shape):
        return self.constant(self.numbers.integers(-8, 9, shape) / 8, np.float32)

    def whole(self, *given):
        return self.constant(np.array(given, np.int64))

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def add_node(self):
        before = self.random.choice(list(self.live))
        kinds = (
            self.unary,
            self.binary,
            self.of_channels,
            self.product,
            self.reduction,
            self.moved,
            self.part,
            self.pool,
        )
        kinds += (self.norm, self.norm, self.recurrent, self.chosen, self.clipped, self.unary, self.product)
        made = self.random.choice(kinds)(before, self.live[before])
        for node in [made] if isinstance(made, onnx.NodeProto) else made or []:
            self.keep(node)

    def keep(self, node):
        """Adds a node whose sizes fit; sometimes one whose sizes are not known."""
        self.nodes.append(node)
        try:
            typed = onnx.shape_inference.infer_shapes(self.build(), strict_mode=True)
        except Exception:
            if not self.chance(0.05):
                self.nodes.pop()
            return
        shapes = {}
        for entry in [*typed.graph.value_info, *typed.graph.output]:
            sizes = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
            if entry.type.tensor_type.elem_type == TensorProto.FLOAT and 1 < len(sizes) < 6 and min(sizes[1:]) > 0:
                shapes[entry.name] = tuple(1 if i == 0 and size == 0 else size for i, size in enumerate(sizes))
        self.live |= {name: shapes[name] for name in node.output if name in shapes and np.prod(shapes[name]) < 3000}

    def node(self, op, inputs, outputs=1, **attributes):
        given = {key: value for key, value in attributes.items() if value is not None}
        return helper.make_node(
            op, inputs, [self.name() for _ in range(outputs)], self.pick("", f"n{self.count}"), **given
        )

    def build(self):
        inputs = [helper.make_tensor_value_info(name, kind, ["N", *shape]) for name, shape, kind in self.inputs]
        read = {name for node in self.nodes for name in node.input}
        ends = [name for node in self.nodes for name in node.output if name not in read]
        kept = [onnx.numpy_helper.from_array(value, name) for name, value in self.constants.items() if name in read]
        graph = helper.make_graph(
            self.nodes, "g", inputs, [onnx.ValueInfoProto(name=name) for name in ends[-3:] or ["x"]], kept
        )
        return helper.make_model(
            graph, opset_imports=[helper.make_opsetid("", self.opset)], ir_version=self.pick_version()
        )

    def pick_version(self):
        return IR_OF[self.opset]
