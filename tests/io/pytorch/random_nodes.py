# SPDX-License-Identifier: MIT
"""Random nodes of ONNX graphs, by kinds of operators, for random_onnx.py."""

import numpy as np
import onnx

UNARY = {
    9: "Relu Tanh Sigmoid Abs Neg Exp Sqrt Log Erf Softplus Elu LeakyRelu HardSigmoid Identity Flatten Dropout "
    "Reciprocal GlobalAveragePool GlobalMaxPool",
    14: "HardSwish",
    18: "Mish",
    20: "Gelu",
}
OTHERS = "Selu Sign Floor Ceil Sin Cos Softsign ThresholdedRelu Not IsNaN Shape Size LRN LpNormalization Hardmax ArgMax"
NORMS = {
    9: "BatchNormalization InstanceNormalization Softmax LogSoftmax MeanVarianceNormalization",
    17: "LayerNormalization",
    18: "GroupNormalization",
    23: "RMSNormalization",
}
REDUCTIONS = "Mean Sum Max Min Prod L1 L2 LogSum LogSumExp SumSquare".split()


class Nodes:
    """Nodes on a value `x` of a shape, of which the first size is the batch."""

    def unary(self, x, shape):
        op = self.pick(*OTHERS.split()) if self.chance(0.1) else self.known(UNARY)
        given = {}
        if op in ("Elu", "LeakyRelu", "HardSigmoid", "Celu", "ThresholdedRelu") and self.chance(0.7):
            given = {"alpha": self.pick(0.1, 0.2, 1.0, 1 / 6, -0.5)}
        if op == "Gelu":
            given = {"approximate": self.pick("none", "tanh")}
        if op in ("Flatten", "ArgMax", "Hardmax", "LpNormalization"):
            given = {"axis": self.pick(-1, 0, 1, 2)}
        if op == "LRN":
            given = {"size": 3}
        return self.node(op, [x], **given)

    def known(self, operators):
        """One of the operators of the opset."""
        return self.pick(*" ".join(names for opset, names in operators.items() if opset <= self.opset).split())

    def like(self, shape):
        """A constant that is added to a value of this shape, or another value."""
        same = [name for name, other in self.live.items() if other == shape]
        if self.chance(0.3) and same:
            return self.random.choice(same)
        sizes = [self.pick(1, size) for size in shape[1:]]
        return self.floats(*self.pick((), (1, *sizes), sizes, sizes[-1:], (1, *shape[1:]), shape[1:], (2, *shape[1:])))

    def binary(self, x, shape):
        op = self.pick(
            "Add",
            "Sub",
            "Mul",
            "Div",
            "Pow",
            "Max",
            "Min",
            "Add",
            "Mul",
            "PRelu",
            "Sum",
            "Mean",
            "Greater",
            "Equal",
            "Mod",
        )
        pair = [x, self.like(shape)]
        return self.node(op, pair if self.chance(0.7) else pair[::-1])

    def clipped(self, x, shape):
        if self.opset < 11:
            return self.node("Clip", [x], min=self.pick(None, -0.5, 0.0), max=self.pick(None, 0.5, 6.0))
        bounds = [self.pick("", self.constant(low, np.float32)) for low in (self.pick(-0.5, 0.0), self.pick(0.5, 6.0))]
        return self.node("Clip", [x, *bounds[: self.random.randint(0, 2)]])

    def chosen(self, x, shape):
        condition = self.node(self.pick("Greater", "Less"), [x, self.like(shape)])
        return [condition, self.node("Where", [condition.output[0], x, self.like(shape)])]

    def of_channels(self, x, shape):
        rank = len(shape) - 2
        if rank < 1:
            return None
        taps, groups = [self.random.randint(1, 3) for _ in range(rank)], self.pick(1, 1, 1, shape[1])
        given = {
            "strides": self.pick(None, [self.random.randint(1, 2) for _ in range(rank)]),
            "group": self.pick(None, groups),
        }
        given |= {"dilations": self.pick(None, None, [2] * rank), "kernel_shape": self.pick(None, taps)}
        given |= self.pick(
            {},
            {"pads": [self.random.randint(0, 1) for _ in range(2 * rank)]},
            {"auto_pad": self.pick("SAME_UPPER", "SAME_LOWER", "VALID")},
        )
        out = self.pick(1, 2, 3) * groups
        if self.chance(0.75):
            op, sizes = "Conv", (out, shape[1] // groups, *taps)
        else:
            op, sizes = "ConvTranspose", (shape[1], out // groups, *taps)
        return self.node(op, [x, self.floats(*sizes), self.pick("", self.floats(out))][: self.pick(2, 3)], **given)

    def product(self, x, shape):
        out = self.pick(1, 3, 5)
        if len(shape) == 2 and self.chance(0.5):
            transposed = self.pick(0, 1)
            weight = self.floats(*((out, shape[1]) if transposed else (shape[1], out)))
            bias = [self.floats(*self.pick((out,), (1, out), (1,), ()))] if self.chance(0.6) else []
            return self.node(
                "Gemm",
                [x, weight, *bias],
                transB=transposed or None,
                alpha=self.pick(None, 0.5),
                beta=self.pick(None, 2.0),
                transA=self.pick(None, None, None, 1),
            )
        if self.chance(0.2) and len(shape) > 2:
            turned = self.node("Transpose", [x], perm=[*range(len(shape) - 2), len(shape) - 1, len(shape) - 2])
            return [turned, self.node("MatMul", self.pick([x, turned.output[0]], [turned.output[0], x]))]
        if self.chance(0.2) and len(shape) > 2:
            return self.node("MatMul", [self.floats(out, shape[-2]), x])
        return self.node("MatMul", [x, self.floats(shape[-1], out)])

    def reduction(self, x, shape):
        op, axes = "Reduce" + self.pick(*REDUCTIONS), self.random.sample(
            range(len(shape)), self.random.randint(1, len(shape))
        )
        axes = [axis - self.pick(0, len(shape)) for axis in axes if axis or self.chance(0.1)]
        given = {"keepdims": self.pick(None, 0, 1)}
        if self.opset >= 18 or (op == "ReduceSum" and self.opset >= 13):
            return self.node(
                op,
                [x, *self.pick([self.whole(*axes)], [], [""])],
                noop_with_empty_axes=self.pick(None, None, 1),
                **given,
            )
        return self.node(op, [x], axes=axes or None, **given)

    def moved(self, x, shape):
        op, rank = self.pick(
            "Transpose",
            "Reshape",
            "Squeeze",
            "Unsqueeze",
            "Concat",
            "Expand",
            "Pad",
            "Tile",
            "DepthToSpace",
            "SpaceToDepth",
            "Resize",
        ), len(shape)
        if op == "Transpose":
            return self.node(
                op,
                [x],
                perm=self.pick(
                    None, [0, *self.random.sample(range(1, rank), rank - 1)], self.random.sample(range(rank), rank)
                ),
            )
        if op == "Reshape":
            sizes = self.pick(
                (0, -1),
                (-1, shape[-1]),
                (1, -1),
                (0, 1, -1),
                (*shape[:1], *shape[:0:-1]),
                (0, -1, 1, 1),
                (0, 2, -1),
                (-1,),
                (-1, *shape[1:]),
            )
            return self.node(op, [x, self.whole(*sizes)])
        if op in ("Squeeze", "Unsqueeze"):
            axes = [self.random.randint(-1, rank)]
            return self.node(op, [x], axes=axes) if self.opset < 13 else self.node(op, [x, self.whole(*axes)])
        if op == "Concat":
            return self.node(
                op,
                [self.pick(x, self.floats(*shape)), self.random.choice(list(self.live)), x][: self.pick(1, 2, 3)],
                axis=self.pick(1, 1, -1, 0, 2),
            )
        if op == "Expand":
            return self.node(op, [x, self.whole(1, *[self.pick(1, size, 3) for size in shape[1:]])])
        if op == "Tile":
            return self.node(op, [x, self.whole(1, *[self.pick(1, 1, 2) for _ in shape[1:]])])
        if op == "Pad":
            pads, mode = [0, *[self.pick(0, 1, 2) for _ in shape[1:]]] * 2, self.pick(
                "constant", "reflect", "edge", "wrap"
            )
            return (
                self.node(op, [x], pads=pads, mode=mode)
                if self.opset < 11
                else self.node(op, [x, self.whole(*pads), self.pick("", self.constant(0.5, np.float32))], mode=mode)
            )
        if op == "Resize":
            scales = self.constant([1, 1, *[self.pick(2, 2, 3, 0.5, 1.5)] * (rank - 2)][:rank], np.float32)
            if self.opset < 11:
                return self.node(
                    "Upsample" if self.opset == 9 else op, [x, scales], mode=self.pick("nearest", "linear")
                )
            more = {
                "coordinate_transformation_mode": self.pick(None, "asymmetric", "align_corners", "half_pixel"),
                "nearest_mode": self.pick(None, "floor"),
            }
            return self.node(op, [x, "", scales], mode=self.pick("nearest", "linear", "cubic"), **more)
        return self.node(
            op,
            [x],
            blocksize=self.pick(1, 2),
            **({"mode": self.pick("DCR", "CRD")} if op == "DepthToSpace" and self.opset > 10 else {}),
        )

    def part(self, x, shape):
        op, axis = self.pick("Slice", "Split", "Gather"), (
            self.random.randrange(len(shape)) if self.chance(0.1) else self.random.randrange(1, len(shape))
        )
        size = shape[axis]
        if op == "Slice":
            first, end, step = (
                self.random.randint(-size - 1, size),
                self.pick(size, self.random.randint(-size, size + 2), 1 << 40),
                self.pick(1, 1, 1, 2, -1),
            )
            if self.opset < 10:
                return self.node(op, [x], starts=[first], ends=[end], axes=[axis])
            return self.node(
                op, [x, self.whole(first), self.whole(end), self.whole(axis), *self.pick([], [self.whole(step)])]
            )
        if op == "Split":
            parts = [size // 2, size - size // 2]
            if self.opset < 13:
                return self.node(op, [x], 2, axis=axis, split=self.pick(None, parts))
            return self.node(
                op,
                [x, *self.pick([], [self.whole(*parts)])],
                2,
                axis=axis,
                num_outputs=2 if self.opset >= 18 and self.chance(0.5) else None,
            )
        rows = self.pick(self.random.randrange(size), [0], [size - 1, 0], [-1], list(range(size)), [[0, 0]])
        return self.node(op, [x, self.constant(rows, np.int64)], axis=self.pick(axis, axis - len(shape)))

    def pool(self, x, shape):
        rank = len(shape) - 2
        if rank < 1:
            return None
        given = {
            "kernel_shape": [self.random.randint(1, 3) for _ in range(rank)],
            "strides": self.pick(None, [self.random.randint(1, 3) for _ in range(rank)]),
        }
        given |= self.pick(
            {},
            {"pads": [self.random.randint(0, 1) for _ in range(2 * rank)]},
            {"auto_pad": self.pick("SAME_UPPER", "SAME_LOWER")},
        )
        if self.chance(0.5):
            return self.node(
                "MaxPool", [x], self.pick(1, 1, 1, 2), ceil_mode=self.pick(None, 1) if self.opset > 9 else None, **given
            )
        return self.node(
            "AveragePool",
            [x],
            count_include_pad=self.pick(None, 1),
            ceil_mode=self.pick(None, 1) if self.opset > 9 else None,
            **given,
        )

    def norm(self, x, shape):
        op, channels, eps = self.known(NORMS), shape[1], self.pick(None, 0.01)
        if op == "BatchNormalization":
            variance = self.constant(self.numbers.integers(1, 9, channels) / 8, np.float32)
            return self.node(
                op,
                [x, self.floats(channels), self.floats(channels), self.floats(channels), variance],
                epsilon=eps,
                momentum=self.pick(None, 0.8),
            )
        if op in ("Softmax", "LogSoftmax"):
            return self.node(op, [x], axis=self.pick(None, 1, -1, 2, 0))
        if op == "MeanVarianceNormalization":
            return self.node(op, [x], axes=self.pick(None, [1], [2]))
        if op in ("LayerNormalization", "RMSNormalization"):
            axis = self.pick(-1, 1, len(shape) - 1)
            weight = [self.floats(*shape[axis:]) for _ in range(2 if op == "LayerNormalization" else 1)]
            return self.node(
                op,
                [x, *weight[: self.pick(1, 2)]],
                self.pick(1, 1, 1, 3) if op == "LayerNormalization" else 1,
                axis=self.pick(axis, None),
                epsilon=eps,
            )
        if op == "GroupNormalization":
            count = channels if self.opset >= 21 else 1
            return self.node(op, [x, self.floats(count), self.floats(count)], num_groups=1, epsilon=eps)
        return self.node(op, [x, self.floats(channels), self.floats(channels)], epsilon=eps)

    def recurrent(self, x, shape):
        if len(shape) != 3:
            return None
        op, hidden, turned = (
            self.pick("LSTM", "GRU", "RNN"),
            self.pick(1, 2),
            self.node("Transpose", [x], perm=[1, 0, 2]),
        )
        direction, gates = self.pick("forward", "reverse", "bidirectional"), {"LSTM": 4, "GRU": 3, "RNN": 1}[op]
        both, given = 1 + (direction == "bidirectional"), (
            {"linear_before_reset": 1} if op == "GRU" and self.chance(0.7) else {}
        )
        if self.chance(0.1):
            given["activations"] = self.pick(["Relu"], ["Sigmoid", "Tanh", "Tanh"], ["Affine"] * 6)
        weights = [self.floats(both, gates * hidden, shape[2]), self.floats(both, gates * hidden, hidden)]
        more = [
            self.pick("", self.floats(both, 2 * gates * hidden)),
            self.pick("", "", self.constant([shape[1]], np.int32)),
            self.pick("", "", self.floats(both, 1, hidden)),
        ]
        made = self.node(
            op,
            [turned.output[0], *weights, *more[: self.random.randint(0, 3)]],
            self.pick(1, 2),
            hidden_size=hidden,
            direction=direction,
            **given,
        )
        end = self.pick(*range(len(made.output)))
        axis = 1 if end == 0 else 0
        last = (
            self.node("Squeeze", [made.output[end]], axes=[axis])
            if self.opset < 13
            else self.node("Squeeze", [made.output[end], self.whole(axis)])
        )
        return (
            [turned, made, last, self.node("Transpose", [last.output[0]], perm=[1, 0, 2])]
            if end == 0
            else [turned, made, last]
        )

    def any_operator(self, x, shape):
        """One of all operators, with what its schema says that it takes."""
        schemas = [schema for schema in onnx.defs.get_all_schemas() if schema.domain == ""]
        schema = self.random.choice(schemas)
        given = {}
        for name, attribute in schema.attributes.items():
            if attribute.required or self.chance(0.3):
                kind = str(attribute.type).split(".")[-1]
                values = {
                    "INT": [0, 1, -1, 2, 7],
                    "INTS": [[0], [1], [1, 1]],
                    "FLOAT": [0.0, 0.5],
                    "FLOATS": [[0.5]],
                    "STRING": ["none", "linear"],
                    "STRINGS": [["Relu"]],
                }
                if kind in values:
                    given[name] = self.random.choice(values[kind])
        fewest, most = max(1, schema.min_input), max(schema.min_input, min(4, schema.max_input), 1)
        others = (x, self.random.choice(list(self.live)), self.floats(*shape[1:]), self.whole(1), "")
        inputs = [self.pick(x, *others) for _ in range(self.random.randint(fewest, most))]
        outputs = self.random.randint(max(1, schema.min_output), max(1, schema.min_output, min(3, schema.max_output)))
        return self.node(schema.name, inputs, outputs, **given)
