# SPDX-License-Identifier: MIT
"""Self-attention in the nodes of an ONNX graph, however a file splits and joins the heads.

Where the numbers of queries, keys and values come from is found by moving their positions through the graph. from_onnx.py needs
this file beside it.
"""
import dataclasses
import math

import numpy as np
import onnx
from onnx.reference import ReferenceEvaluator

from onnx_functions import attributes_of
from onnx_idioms import SAME_NUMBERS

MOVES = SAME_NUMBERS | {"Transpose", "Slice", "Split", "Gather", "Expand"}
ARITHMETIC = {"Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide}
MASKED = -1e4  # what is added to numbers that a softmax is to leave out is less


@dataclasses.dataclass
class Origin:
    """The numbers of a value: scale x[at] + shift, of another value `name` with its numbers in a row."""
    name: str
    at: np.ndarray
    scale: np.ndarray
    shift: np.ndarray

    def shaped(self, *shape):
        return Origin(self.name, *(array.reshape(shape) for array in (self.at, self.scale, self.shift)))


@dataclasses.dataclass
class Attention:
    """softmax(q k^T / sqrt(size / heads)) v of a sequence `name`: of q, k and v the weight [3 size, size] and the bias [3 size].
    `order`: where the numbers of the heads, one head after another, are in the result."""
    name: str
    steps: int
    size: int
    heads: int
    causal: bool
    weight: np.ndarray
    bias: np.ndarray
    order: np.ndarray


class Finder:
    def __init__(self, reader):
        self.reader, self.constants, self.values, self.producers = reader, reader.constants, reader.values, reader.producers

    def live(self, node):
        return [name for name in node.input if name and name not in self.constants]

    def maker(self, name, op):
        """The node that makes a value, if it is that operator."""
        node = self.producers.get(name)
        return node if node is not None and node.op_type == op else None

    def of_two(self, name):
        """Whether a value is a product of two values."""
        node = self.maker(name, "MatMul")
        return node is not None and len(self.live(node)) == 2

    def linear(self, name):
        """Of a product with a constant matrix: what it multiplies, the matrix [in, out] and the bias. Otherwise None."""
        node = self.maker(name, "MatMul") or self.maker(name, "Gemm")
        if node is None or node.input[0] in self.constants or node.input[1] not in self.constants or len(self.live(node)) > 1:
            return None
        given, weight = attributes_of(node), self.constants[node.input[1]].astype(np.float64)
        if weight.ndim != 2 or given.get("transA", 0):
            return None
        weight = (weight.T if given.get("transB", 0) else weight) * given.get("alpha", 1.0)
        bias = self.constants[node.input[2]] * given.get("beta", 1.0) if len(node.input) > 2 and node.input[2] else 0
        return node.input[0], weight, np.broadcast_to(bias, (1, weight.shape[1])).reshape(-1).astype(np.float64)

    def origin(self, name, is_begin):
        """Where the numbers of a value come from, up to the first value that is a begin. None if they are not only moved there,
        scaled and shifted by constants."""
        way = []
        while not is_begin(name):
            node = self.producers.get(name)
            if node is None or node.op_type not in MOVES | ARITHMETIC.keys() | {"Where"} or len(self.live(node)) != 1:
                return None
            way.append((node, name))
            name = self.live(node)[0]
        shape = self.values[name].shape
        begin = Origin(name, np.arange(math.prod(shape)).reshape(shape), np.ones(shape), np.zeros(shape))
        for node, made in reversed(way):
            begin = self.moved(node, made, begin) if node.op_type in MOVES else self.changed(node, begin)
            if begin is None or begin.at.shape != self.values[made].shape:
                return None
        return begin

    def moved(self, node, made, before):
        def move(array):
            if node.op_type in SAME_NUMBERS:
                return array.reshape(self.values[made].shape)
            given = {name: self.constants.get(name, array) for name in node.input if name}
            return ReferenceEvaluator(node, opsets={"": self.reader.opset}).run(None, given)[list(node.output).index(made)]
        return Origin(before.name, move(before.at), move(before.scale), move(before.shift))

    def changed(self, node, before):
        """After an operator with a constant."""
        constant = next(self.constants[name].astype(np.float64) for name in node.input[-2:] if name in self.constants) if node.op_type != "Where" else None
        first = node.input[-2] in self.constants
        if node.op_type == "Where":
            if node.input[0] not in self.constants or not any(name in self.constants for name in node.input[1:]):
                return None
            kept = np.broadcast_to(self.constants[node.input[0]].astype(bool) != first, before.at.shape)
            other = self.constants[node.input[1 if first else 2]].astype(np.float64)
            return Origin(before.name, before.at, np.where(kept, before.scale, 0), np.where(kept, before.shift, other))
        if first and node.op_type == "Div":
            return None
        apply = ARITHMETIC[node.op_type]
        if node.op_type in ("Mul", "Div"):
            return Origin(before.name, before.at, apply(before.scale, constant), apply(before.shift, constant))
        scale = -before.scale if first and node.op_type == "Sub" else before.scale
        return Origin(before.name, before.at, scale, apply(*((constant, before.shift) if first else (before.shift, constant))))

    def scores(self, name):
        """Of the input of a softmax: the product of queries and keys, its factor, and whether later steps are masked. Otherwise None."""
        found = self.origin(name, self.of_two)
        if found is None or (found.at.reshape(-1) != np.arange(found.at.size)).any():
            return None
        rows, columns = found.at.shape[-2:]
        later = np.broadcast_to(np.triu(np.ones((rows, columns), bool), 1), found.at.shape)
        causal = bool(later.any()) and bool((found.shift[later] <= MASKED).all())
        seen = ~later if causal else np.ones_like(later)
        factor = found.scale[seen][0]
        if found.shift[seen].any() or (found.scale[seen] != factor).any():
            return None
        return self.producers[found.name], float(factor), causal

    def part(self, name, heads, axes):
        """Queries, keys or values [heads, steps, size of a head]: the sequence that they are made of, and the weight and the bias of each of
        their numbers. Otherwise None."""
        found = self.origin(name, lambda value: self.linear(value) is not None)
        if found is None:
            return None
        x, weight, bias = self.linear(found.name)
        found = found.shaped(heads, *found.at.shape[-2:])
        at, scale, shift = (array.transpose(axes) for array in (found.at, found.scale, found.shift))
        step, column = np.divmod(at, weight.shape[1])
        same = all((array == array[:, :1]).all() for array in (column, scale, shift))
        if not same or (step != np.arange(at.shape[1])[None, :, None]).any():
            return None
        column, scale, shift = (array[:, 0].reshape(-1) for array in (column, scale, shift))
        return self.same_numbers(x), weight[:, column].T * scale[:, None], bias[column] * scale + shift

    def same_numbers(self, name):
        """The value of which another is the same numbers."""
        while True:
            node = self.producers.get(name)
            if node is None or not self.live(node) or node.op_type not in SAME_NUMBERS | {"Transpose"}:
                return name
            shape = self.values[node.input[0]].shape
            moved = [axis for axis in attributes_of(node).get("perm", range(len(shape))[::-1]) if shape[axis] != 1]
            if node.op_type == "Transpose" and moved != sorted(moved):
                return name
            name = node.input[0]

    def find(self, name):
        """The Attention that a value is the result of, before its last product; None of others."""
        found = self.origin(name, self.of_two)
        if found is None or (found.scale != 1).any() or found.shift.any():
            return None
        product = self.producers[found.name]
        softmax, shape = self.maker(product.input[0], "Softmax"), self.values[found.name].shape
        rank = len(shape)
        if softmax is None or attributes_of(softmax).get("axis", 1 if self.reader.opset < 13 else -1) not in (-1, rank - 1):
            return None
        scores = self.scores(softmax.input[0])
        if scores is None:
            return None
        heads, (steps, each) = math.prod(shape[:-2]), shape[-2:]
        queries, keys = (self.part(value, heads, axes) for value, axes in zip(scores[0].input, ((0, 1, 2), (0, 2, 1))))
        parts = queries, keys, self.part(product.input[1], heads, (0, 1, 2))
        if None in parts or len({x for x, _, _ in parts}) > 1:
            return None
        x, size = parts[0][0], heads * each
        if any(weight.shape != (size, size) for _, weight, _ in parts) or self.values[x].size != steps * size or found.at.size != steps * size:
            return None
        head, step, number = np.unravel_index(found.at.reshape(steps, size), (heads, steps, each))
        order = head * each + number
        if (step != np.arange(steps)[:, None]).any() or (order != order[:1]).any():
            return None
        factors = (scores[1] * math.sqrt(each), 1, 1)
        return Attention(x, steps, size, heads, scores[2], np.concatenate([weight * factor for (_, weight, _), factor in zip(parts, factors)]),
                         np.concatenate([bias * factor for (_, _, bias), factor in zip(parts, factors)]), np.argsort(order[0]))


# -- the operator Attention of opset 23 ----------------------------------------------------------------------------------


def write_out(model, values):
    """The model with the products, masks and softmax of its nodes Attention instead of these, and the values that they make. Nodes with a past,
    several outputs or a softcap stay."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    nodes, made = list(model.graph.node), []
    del model.graph.node[:]
    for node in nodes:
        plain = node.op_type == "Attention" and all(name in values for name in node.input[:3]) and not any([*node.input[4:], *node.output[1:]])
        plain = plain and not attributes_of(node).get("softcap")
        written = Written(model, node, values).nodes if plain else []
        made += [name for other in written[:-1] for name in other.output]
        model.graph.node.extend(written or [node])
    return model, made


class Written:
    """The nodes that compute the same as a node of Attention."""

    def __init__(self, model, node, values):
        self.model, self.node, self.nodes, given = model, node, [], attributes_of(node)
        q, k, v = node.input[:3]
        kind, flat = values[q].dtype, values[q].ndim == 3
        counts = (given.get(f"{side}_num_heads") for side in ("q", "kv", "kv"))
        shapes = [self.heads(values[name].shape, count) for name, count in zip((q, k, v), counts)]
        if flat:
            q, k, v = (self.add("Transpose", self.add("Reshape", name, np.array([shape[i] for i in (0, 2, 1, 3)])), perm=[0, 2, 1, 3])
                       for name, shape in zip((q, k, v), shapes))
        k, v = (self.for_all(name, shape, shapes[0][1]) for name, shape in zip((k, v), shapes[1:]))
        scores = self.add("MatMul", q, self.add("Transpose", k, perm=[0, 1, 3, 2]))
        scores = self.add("Mul", scores, np.array(given.get("scale", 1 / math.sqrt(shapes[0][3])), kind))
        if given.get("is_causal", 0):
            scores = self.add("Add", scores, np.triu(np.full((shapes[0][2], shapes[1][2]), -np.inf, kind), 1))
        if len(node.input) > 3 and node.input[3]:
            scores = self.masked(scores, node.input[3], kind)
        made = self.add("MatMul", self.add("Softmax", scores, axis=-1), v)
        if flat:
            made = self.add("Reshape", self.add("Transpose", made, perm=[0, 2, 1, 3]), np.array([0, 0, -1]))
        self.nodes.append(onnx.helper.make_node("Identity", [made], [node.output[0]], node.name))

    @staticmethod
    def heads(shape, count):
        """[batch, heads, steps, size of a head]"""
        return shape if len(shape) == 4 else (shape[0], count, shape[1], shape[2] // count)

    def add(self, op, *inputs, **attributes):
        """One more node: its output. Arrays become constants."""
        made = f"{self.node.output[0]}/{op}{len(self.nodes)}"
        names = []
        for i, given in enumerate(inputs):
            names.append(given if isinstance(given, str) else f"{made}/{i}")
            if not isinstance(given, str):
                self.model.graph.initializer.append(onnx.numpy_helper.from_array(given, names[-1]))
        self.nodes.append(onnx.helper.make_node(op, names, [made], f"{self.node.name or self.node.output[0]}/{op}{len(self.nodes)}", **attributes))
        return made

    def for_all(self, name, shape, count):
        """Keys or values repeated for this many heads: each of theirs serves several."""
        batch, heads, steps, each = shape
        if heads == count:
            return name
        spread = self.add("Expand", self.add("Unsqueeze", name, np.array([2])), np.array([batch, heads, count // heads, steps, each]))
        return self.add("Reshape", spread, np.array([batch, count, steps, each]))

    def masked(self, scores, mask, kind):
        """With a mask, which is added, or of booleans, which are true where a number counts."""
        constant = next((onnx.numpy_helper.to_array(tensor) for tensor in self.model.graph.initializer if tensor.name == mask), None)
        if constant is not None and constant.dtype == bool:
            return self.add("Where", mask, scores, np.array(-np.inf, kind))
        return self.add("Add", scores, mask)
