# SPDX-License-Identifier: MIT
"""Faults of from_onnx.py for planted_faults.py: the tool, a line, the line with the fault, and a model that this makes
wrong."""

import numpy as np
import onnx

generator = np.random.default_rng(4)


def numbers(*shape, low=-0.6):
    return (generator.random(shape) + low).astype(np.float32)


def whole(*given):
    return np.array(given, np.int64)


def graph(sizes, steps, ends="y", **constants):
    """A model of one input x with samples of these sizes."""
    text = f"g (float[{', '.join(map(str, ('N', *sizes)))}] x) => (float[N] {ends}) {{ {steps} }}"
    made = onnx.parser.parse_graph(text)
    for name, value in constants.items():
        made.initializer.append(onnx.numpy_helper.from_array(np.asarray(value), name))
    return onnx.helper.make_model(made, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)


CONV = graph(
    (2, 6, 5),
    "y = Conv <dilations = [1, 2], pads = [1, 0, 1, 0], strides = [2, 1]> (x, w, b)",
    w=numbers(4, 2, 3, 2),
    b=numbers(4),
)
GROUPS = graph((4, 6), "y = Conv <group = 2> (x, w)", w=numbers(6, 2, 3))
UP = graph((2, 4, 5), "y = ConvTranspose <strides = [2, 2]> (x, w, b)", w=numbers(2, 2, 3, 3), b=numbers(2))
NORM = graph(
    (3, 4),
    "y = BatchNormalization <epsilon = 0.01> (x, s, b, m, v)",
    s=numbers(3),
    b=numbers(3),
    m=numbers(3),
    v=numbers(3, low=0.5),
)
INSTANCES = graph((3, 4), "y = InstanceNormalization (x, s, b)", s=numbers(3), b=numbers(3))
GEMM = graph((4,), "y = Gemm <transB = 1, alpha = 0.5, beta = 2.0> (x, w, b)", w=numbers(4, 4), b=numbers(4))
LSTM = graph(
    (5, 3),
    "a = Transpose <perm = [1, 0, 2]> (x) b, c, d = LSTM <hidden_size = 4> (a, w, r, v) y = Squeeze (c, axis)",
    w=numbers(1, 16, 3),
    r=numbers(1, 16, 4),
    v=numbers(1, 32),
    axis=whole(0),
)
GRU = graph(
    (5, 3),
    'a = Transpose <perm = [1, 0, 2]> (x) b, c = GRU <hidden_size = 4, direction = "reverse", linear_before_reset = 1> '
    "(a, w, r, v) "
    "d = Squeeze (b, axis) "
    "y = Transpose <perm = [1, 0, 2]> (d)",
    w=numbers(1, 12, 3),
    r=numbers(1, 12, 4),
    v=numbers(1, 24),
    axis=whole(1),
)
SCALED = graph((3, 4), "a = Conv (x, w, b) y = Mul (a, s)", w=numbers(3, 3, 1), b=numbers(3), s=numbers(3, 1))
ATTENTION = graph(
    (4, 6),
    "q = MatMul (x, a) k = MatMul (x, b) v = MatMul (x, c) "
    "q4 = Reshape (q, heads) k4 = Reshape (k, heads) v4 = Reshape (v, heads) "
    "qt = Transpose <perm = [0, 2, 1, 3]> (q4) kt = Transpose <perm = [0, 2, 3, 1]> (k4) "
    "vt = Transpose <perm = [0, 2, 1, 3]> (v4) "
    "s = MatMul (qt, kt) t = Mul (s, half) p = Softmax <axis = -1> (t) o = MatMul (p, vt) "
    "u = Transpose <perm = [0, 2, 1, 3]> (o) "
    "z = Reshape (u, flat) y = MatMul (z, d)",
    a=numbers(6, 6),
    b=numbers(6, 6),
    c=numbers(6, 6),
    d=numbers(6, 6),
    heads=whole(0, 4, 2, 3),
    flat=whole(0, 4, 6),
    half=np.float32(0.5),
)
BRANCHES = graph(
    (4,),
    "a = MatMul (x, w) b = Tanh (a) c = Sigmoid (a) d = Mul (b, c) e = Sub (d, x) y = Concat <axis = 1> (e, b)",
    w=numbers(4, 4),
)

FAULTS = [
    (
        "onnx_convolutions",
        'option("Stride", strides, rank, 1), padding,',
        'option("Stride", strides[::-1], rank, 1), padding,',
        graph((2, 5, 5), "y = Conv <pads = [1, 1, 1, 1], strides = [2, 1]> (x, w) ", w=numbers(4, 2, 3, 3)),
    ),
    (
        "onnx_convolutions",
        "reader.reshape(with_weights(reader, node, name, source, spell, weight, shape=shape), name)",
        "reader.reshape(with_weights(reader, node, name, source, spell, weight[::-1], shape=shape), name)",
        CONV,
    ),
    (
        "onnx_convolutions",
        "less, more = [n // 2 for n in need], [n - n // 2 for n in need]",
        "more, less = [n // 2 for n in need], [n - n // 2 for n in need]",
        graph((2, 6), 'y = Conv <auto_pad = "SAME_UPPER"> (x, w)', w=numbers(3, 2, 2)),
    ),
    (
        "onnx_convolutions",
        "causal = kind ==",
        "causal = True or kind ==",
        graph((2, 6), "y = Conv <pads = [1, 1]> (x, w)", w=numbers(3, 2, 3)),
    ),
    (
        "onnx_convolutions",
        "seen = [[places.index(i)",
        "seen = [[places.index(size - 1 - i)",
        graph((2, 3), "y = Conv (x, w)", w=numbers(3, 2, 3)),
    ),
    (
        "onnx_convolutions",
        "made = with_weights(reader, node, name, reader.channels(node.input[0]), spell, weight, 1)",
        "made = with_weights(reader, node, name, reader.channels(node.input[0]), spell, weight[..., ::-1], 1)",
        UP,
    ),
    ("onnx_normalisations", "scale, bias, mean, variance = (reader", "bias, scale, mean, variance = (reader", NORM),
    ("onnx_normalisations", "more = [epsilon(node), spelled(", "more = [None, spelled(", NORM),
    (
        "onnx_normalisations",
        'spelled("GroupNorm", 0, epsilon(node))',
        'spelled("GroupNorm", 1, epsilon(node))',
        INSTANCES,
    ),
    (
        "onnx_products",
        'weight if given.get("transB", 0) else weight.T',
        "weight",
        graph((4,), "y = Gemm (x, w)", w=numbers(4, 4)),
    ),
    ("onnx_products", 'np.asarray(given.get("alpha", 1.0), weight.dtype)', "1", GEMM),
    ("onnx_products", 'bias * np.asarray(given.get("beta", 1.0), bias.dtype)', "bias", GEMM),
    (
        "onnx_products",
        "return linear(reader, node, name, weight, bias)",
        "return linear(reader, node, name, weight, None)",
        GEMM,
    ),
    (
        "onnx_products",
        "return linear(reader, node, name, weight.T, None)",
        "return linear(reader, node, name, weight, None)",
        graph((4,), "y = MatMul (x, w)", w=numbers(4, 4)),
    ),
    ("onnx_attention", "factors = (scores[1] * math.sqrt(each), 1, 1)", "factors = (1, 1, 1)", ATTENTION),
    (
        "onnx_attention",
        "zip(scores[0].input, ((0, 1, 2), (0, 2, 1))))",
        "zip(scores[0].input[::-1], ((0, 2, 1), (0, 1, 2))))",
        ATTENTION,
    ),
    ("onnx_recurrent", "gates=(0, 2, 3, 1)", "gates=(0, 1, 2, 3)", LSTM),
    (
        "onnx_recurrent",
        "w, r, b = (reader.given(node, i) for i in (1, 2, 3))",
        "w, r, b = (reader.given(node, i) for i in (1, 2, 99))",
        LSTM,
    ),
    ("onnx_recurrent", '(1, 0, 2), (b"Sigmoid", b"Tanh"))', '(0, 1, 2), (b"Sigmoid", b"Tanh"))', GRU),
    ("onnx_recurrent", "if reverse else x\n", "if not reverse else x\n", GRU),
    (
        "onnx_weights",
        "np.zeros_like(scale, dtype=weight.dtype)) * scale, shift)",
        "np.zeros_like(scale, dtype=weight.dtype)), shift)",
        SCALED,
    ),
    ("onnx_weights", "weight * scale.astype(weight.dtype).reshape(each)", "weight", SCALED),
    ("onnx_weights", "each[self.axis] = -1", "each[1 - self.axis] = -1", SCALED),
    (
        "onnx_weights",
        "if weighted and reader.reads[before] == 1 and",
        "if weighted and",
        graph((4,), "a = MatMul (x, w) b = Mul (a, s) y = Concat <axis = 1> (a, b)", w=numbers(4, 4), s=numbers(4)),
    ),
    (
        "onnx_arithmetic",
        'return Node("add", [first, negative(second)], first.shape, named(node))',
        'return Node("add", [first, second], first.shape, named(node))',
        BRANCHES,
    ),
    (
        "onnx_arithmetic",
        "lambda c, first: (-np.ones_like(c), c) if first else",
        "lambda c, first: (np.ones_like(c), -c) if first else",
        graph((4,), "y = Sub (c, x)", c=numbers(4)),
    ),
    (
        "onnx_activations",
        '"LeakyRelu": partial(with_number, layer="LeakyReLU", attribute="alpha", usual=0.01)',
        '"LeakyRelu": partial(with_number, layer="LeakyReLU", attribute="slope", usual=0.01)',
        graph((4,), "y = LeakyRelu <alpha = 0.3> (x)"),
    ),
    (
        "onnx_activations",
        '"GELUTanh" if attributes_of(node).get("approximate", b"none") == b"tanh" else "GELU"',
        '"GELU"',
        onnx.helper.make_model(
            onnx.parser.parse_graph('g (float[N, 4] x) => (float[N] y) { y = Gelu <approximate = "tanh"> (x) }'),
            opset_imports=[onnx.helper.make_opsetid("", 20)],
            ir_version=9,
        ),
    ),
    (
        "onnx_shapes",
        "first = sum(reader.values[other].shape[axis] for other in earlier)",
        "first = 0",
        graph((4,), "a, b = Split <axis = 1> (x, parts) y = Sub (b, a)", parts=whole(2, 2)),
    ),
    (
        "onnx_shapes",
        "max(int(start) if start >= 0 else int(start) + shape[axis], 0)",
        "max(int(start), 0)",
        graph((5,), "y = Slice (x, from, to, one)", **{"from": whole(-3), "to": whole(-1), "one": whole(1)}),
    ),
    (
        "onnx_pools",
        '"ReduceMean": partial(reduce, kind="Avg")',
        '"ReduceMean": partial(reduce, kind="Sum")',
        graph((3, 4), "y = ReduceMean <axes = [1], keepdims = 0> (x)"),
    ),
    (
        "onnx_pools",
        'source, pads = padded(source, "ReplicationPad", sides',
        'source, pads = padded(source, "ZeroPad", sides',
        graph((2, 5), "y = MaxPool <kernel_shape = [2], strides = [2], pads = [1, 0]> (x)"),
    ),
    ("layer_graph", "begin = self.begin(first)", "begin = 0", BRANCHES),
]
