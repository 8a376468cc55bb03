#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx.py CXX FOLDER: what tools/from_onnx.py makes of ONNX graphs, compiled and run.

Each graph becomes a header and weights; one program has all of them, loads the weights (whose self-test is replayed) and
gives what onnxruntime gives for other rows. Then what is refused, with its node, operator and reason.
"""
import functools
import math
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import converted  # noqa: E402
import from_onnx  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
import onnxruntime  # noqa: E402
from converted import check  # noqa: E402

refused = functools.partial(converted.refused_by, from_onnx)

generator = np.random.default_rng(3)


def weights(*shape):
    return (generator.random(shape) - 0.5).astype(np.float32)


def model(text, opset=17, **constants):
    """A graph in ONNX's text form, with its constants."""
    graph = onnx.parser.parse_graph(text)
    for name, value in constants.items():
        graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(value), name))
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)


def with_sparse(model):
    """A model with a matrix w that keeps its numbers other than zero."""
    kept = onnx.numpy_helper.from_array(np.float32([1, 2]), "w"), onnx.numpy_helper.from_array(whole(1, 5))
    model.graph.sparse_initializer.append(onnx.helper.make_sparse_tensor(*kept, [3, 2]))
    return model


def without_sizes(model):
    model.graph.input[0].type.tensor_type.ClearField("shape")
    return model


def positive(*shape):
    return (generator.random(shape) + 0.5).astype(np.float32)


def whole(*numbers):
    return np.array(numbers, np.int64)


def positions(steps, size):
    angle = np.arange(steps)[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    return np.stack((np.sin(angle), np.cos(angle)), 2).reshape(1, steps, size).astype(np.float32)


# The model, and what the header must say.
MODELS = {
    "Digits": (model("""digits (float[N, 1, 12, 12] x) => (float[N, 5] y) {
        a = Conv <kernel_shape = [3, 5], strides = [1, 2], pads = [1, 2, 1, 2]> (x, w, b)
        c = BatchNormalization <epsilon = 0.001> (a, s, t, m, v)
        d = Relu (c)
        e = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (d)
        f = Conv <kernel_shape = [2, 2], dilations = [2, 1], group = 2> (e, u)
        g = AveragePool <kernel_shape = [2, 2]> (f)
        h = LeakyRelu <alpha = 0.2> (g)
        i = Flatten (h)
        j = MatMul (i, p)
        k = Add (j, q)
        l = Elu (k)
        n = Gemm <transB = 1, alpha = 0.5, beta = 2.0> (l, r, o)
        y = LogSoftmax (n) }""", w=weights(4, 1, 3, 5), b=weights(4), s=positive(4), t=weights(4), m=weights(4), v=positive(4),
        u=weights(6, 2, 2, 2), p=weights(18, 7), q=weights(7), r=weights(5, 7), o=weights(5)),
        "BatchNorm2d<sinter::Epsilon<0.001>>, sinter::ReLU"),
    "Extremes": (model("""extremes (float[N, 6] x) => (float[N, 4] y) {
        a = MatMul (x, w) b = Tanh (a) c = MatMul (x, u) d = Max (a, b, c) y = Min (d, b) }""", w=weights(6, 4), u=weights(6, 4)),
        "Maximum<sinter::Path<"),
    # Activations as files compose them, and the sizes that exporters compute at run time.
    "Composed": (model("""composed (float[N, 6] x) => (float[N, 6] y) {
        half = Constant <value_float = 0.5> () two_ = Constant <value_float = 2.0> () one = Constant <value_float = 1.0> () root = Constant <value_float = 1.41421356> ()
        cubic = Constant <value_float = 0.044715> () outer = Constant <value_float = 0.797884561> () three = Constant <value_float = 3.0> ()
        a = MatMul (x, w) a1 = Div (a, root) a2 = Erf (a1) a3 = Add (a2, one) a4 = Mul (a, a3) a5 = Mul (a4, half)
        b = MatMul (a5, w) b1 = Pow (b, three) b2 = Mul (cubic, b1) b3 = Add (b, b2) b4 = Mul (b3, outer) b5 = Tanh (b4)
        b6 = Add (b5, one) b7 = Mul (b, half) b8 = Mul (b7, b6)
        c = MatMul (b8, w) c1 = Sigmoid (c) c2 = Mul (c1, c)
        d = MatMul (c2, w) d1 = HardSigmoid <alpha = 0.16666667, beta = 0.5> (d) d2 = Mul (d, d1)
        e = MatMul (d2, w) zero = Constant <value_float = 0.0> () e1 = Clip (e, zero)
        shape = Shape (e1) first = Gather (shape, at) sizes = Concat <axis = 0> (first, two)
        e2 = Pow (e1, two_) e3 = Exp (e2) e4 = Log (e3) e5 = Sqrt (e4) e6 = Neg (e5) e7 = Abs (e6) five = Constant <value_float = 5.0> ()
        e8 = HardSigmoid (e7) e9 = Clip (e8, zero, five)
        f = Reshape (e9, sizes) f1 = Sub (f, shift) f2 = Mul (scale, f1) f3 = Softplus (f2)
        y = Flatten (f3) }""", w=weights(6, 6) * 3, at=whole(0), two=whole(3, 2), shift=weights(1, 3, 1), scale=positive(3, 1)),
        "GELU, sinter::Linear<6, sinter::NoBias>, sinter::GELUTanh, sinter::Linear<6, sinter::NoBias>, sinter::SiLU, "
        "sinter::Linear<6, sinter::NoBias>, sinter::Hardswish, sinter::Linear<6, sinter::NoBias>, sinter::ReLU, "
        "sinter::Activation<sinter::fn::Square>, sinter::Activation<sinter::fn::Exp>, sinter::Activation<sinter::fn::Log>, sinter::Activation<sinter::fn::Sqrt>, "
        "sinter::Activation<sinter::fn::Negation>, sinter::Activation<sinter::fn::Abs>, sinter::BatchNorm1d<>, sinter::Hardsigmoid, sinter::Hardtanh<0.0, 5.0>, sinter::Reshape<3, 2>, "
        "sinter::BatchNorm1d"),
    # Branches that cross, a gate, squeeze-and-excitation, channels; several outputs, one of them read further.
    "Branches": (model("""branches (float[N, 2, 6, 6] x) => (float[N, 3, 6, 6] a, float[N, 2] z) {
        p = Pad (x, ones) a = Conv (p, w)
        b = Relu (a) c = Concat <axis = 1> (x, b) d = Conv <pads = [1, 1, 1, 1]> (c, u)
        e, f = Split <axis = 1> (d, parts)
        g = Sigmoid (f) h = Mul (e, g) i = Add (h, b)
        j = GlobalAveragePool (i) k = Conv (j, v) l = Sigmoid (k) m = Mul (i, l)
        n = Slice (m, from, to, from) n1 = Tanh (n) n2 = Relu (n) o = Sum (n, n1, n2)
        q = ReduceMean <axes = [2, 3], keepdims = 0> (o)
        z = Gemm (q, r) }""",
        ones=whole(0, 0, 1, 1, 0, 0, 1, 1), w=weights(3, 2, 3, 3), u=weights(6, 5, 3, 3), parts=whole(3, 3), v=weights(3, 3, 1, 1),
        r=weights(2, 2), **{"from": whole(1), "to": whole(3)}), "Conv2d<3, 3, sinter::Padding<1>, sinter::NoBias>"),
    "Series": (model("""series (int64[N, 5] x) => (float[N, 4] y) {
        a = Gather (t, x) b = Transpose <perm = [0, 2, 1]> (a)
        c = Pad (b, left) d = Conv <dilations = [2]> (c, w, b1)
        e = InstanceNormalization (d, s, z) f = PRelu (e, p) g = GlobalMaxPool (f) h = Squeeze (g, two)
        i = LayerNormalization <axis = 1> (h, o, q)
        y = Softmax (i) }""", t=weights(2, 3), left=whole(0, 0, 4, 0, 0, 0), w=weights(4, 3, 3), b1=weights(4), s=positive(4), z=weights(4),
        p=positive(4, 1), two=whole(2), o=positive(4), q=weights(4)),
        "Embedding<2, 3, sinter::ChannelsFirst>, sinter::Conv1d<4, 3, sinter::Causal, sinter::Dilation<2>>, sinter::GroupNorm<0>"),
    "Moved": (model("""moved (float[N, 3, 4, 6] x) => (float[N, 48, 1] y) {
        a = Pad <mode = "reflect"> (x, around) b = Pad <mode = "edge"> (a, around) c = Tanh (b) d = Pad (c, around) e = Relu (d)
        f = Transpose <perm = [0, 3, 1, 2]> (e) g = Slice (f, from, to, axes) h = Slice (g, last, first, backward, last)
        i = Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (h, none, twice)
        j = Resize <mode = "linear"> (i, none, twice) k = Resize <mode = "linear", coordinate_transformation_mode = "align_corners"> (j, none, twice)
        l = DepthToSpace <blocksize = 2, mode = "CRD"> (k) m = ReduceSum <keepdims = 0> (l, two) r = Softmax <axis = 2> (m) s = LayerNormalization <axis = 2> (r, u, v)
        t = LogSoftmax <axis = 1> (s) n = Transpose <perm = [0, 2, 1]> (t) o, p = Split <axis = 2> (n, halves) q = Mul (o, p) y = ReduceMean <axes = [2]> (q) }""",
        u=positive(48), v=weights(48), around=whole(0, 0, 1, 2, 0, 0, 1, 0), to=whole(9, 3), axes=whole(1, 3), last=whole(-1), first=whole(-99), backward=whole(2),
        none=np.zeros(0, np.float32), twice=np.array([1, 1, 2, 2], np.float32), two=whole(2), halves=whole(1, 1), **{"from": whole(1, 0)}),
        "Permute<0, 3, 1, 2>"),
    # What has attributes where later opsets have inputs, and images enlarged as these opsets do.
    "Ninth": (model("""ninth (float[N, 2, 4, 5] x) => (float[N, 4] y, float[N, 2, 2, 9] z) {
        a = BatchNormalization <epsilon = 0.01> (x, s, t, m, v) b = Clip <min = -0.25, max = 0.5> (a) c = Pad <mode = "reflect", pads = [0, 0, 1, 0, 0, 0, 0, 2]> (b)
        d = Conv <kernel_shape = [2, 2]> (c, w) e = Upsample <mode = "nearest"> (d, twice) f = Slice <axes = [2, 3], starts = [1, -11], ends = [5, 9999]> (e)
        g, h = Split <axis = 1, split = [3, 1]> (f) i = ReduceSum <axes = [2], keepdims = 1> (g) j = Squeeze <axes = [2]> (i) k = ReduceMax <axes = [2], keepdims = 0> (j)
        l = Squeeze <axes = [1]> (h) n = ReduceMean <axes = [1, 2], keepdims = 1> (l) o = Flatten (n) p = Concat <axis = 1> (k, o) q = Dropout <ratio = 0.3> (p)
        y = Softmax (q) r = Slice <axes = [1, 2, 3], starts = [0, 0, 2], ends = [2, 2, 11]> (f) z = Clip <min = 0.0> (r) }""", 9, s=positive(2), t=weights(2), m=weights(2),
        v=positive(2), w=weights(4, 2, 2, 2), twice=np.array([1, 1, 2, 2], np.float32)), "Conv2d<4, 2, sinter::NoBias>, sinter::Upsample<2>"),
    "Tenth": (model("""tenth (float[N, 3, 4] x) => (float[N, 1, 9] y) {
        a = Pad <pads = [0, 0, 1, 0, 0, 0]> (x) b = Resize (a, twice) c = Slice (b, from, to, axes, steps) d = Clip <max = 0.75> (c)
        e = BatchNormalization (d, s, t, m, v) f, g = Split <axis = 1, split = [1, 2]> (e) h = ReduceSum <axes = [1], keepdims = 1> (g) y = Sub (f, h) }""", 10,
        twice=np.array([1, 1, 2], np.float32), to=whole(99), axes=whole(-1), steps=whole(1), s=positive(3), t=weights(3), m=weights(3), v=positive(3),
        **{"from": whole(-9)}), "ZeroPad1d<1, 0>, sinter::Upsample<2>, sinter::Slice<1, 9, 2>"),
    # No number where a row has zeros.
    "Logarithm": (model("logarithm (float[N, 12] x) => (float[N, 12] y) { s = Mul (x, x) y = Log (s) }"), "sinter::Activation<sinter::fn::Square>, sinter::Activation<sinter::fn::Log>"),
    "Powers": (model("powers (float[N, 6] x) => (float[N, 6] y) { a = Abs (x) b = Add (a, one) c = Pow (b, p) d = Pow (x, q) y = Add (c, d) }",
                     one=np.float32(1), p=np.float32(-1.7), q=np.float32(3)), "sinter::fn::Pow<-1.7>"),
    "Halves": (model("halves (float[N, 2, 3, 4] x) => (float[N, 3, 3, 4] mask, float[N, 2] score) { mask = Conv (x, w) t = ReduceMean <axes = [2, 3], keepdims = 0> (x) score = Tanh (t) }",
                     w=positive(3, 2, 1, 1)), "sinter::Heads<sinter::Named<\"mask\", sinter::Path<sinter::Conv2d<3, 1, sinter::NoBias>>>, sinter::Named<\"score\", sinter::Path<"),
    "Upward": (model("""upward (float[N, 6] x) => (float[N, 2, 5, 5] y) {
        a = Reshape (x, sizes) b = ConvTranspose <strides = [2, 2], kernel_shape = [3, 3], output_padding = [1, 1]> (a, w, c)
        d = ConvTranspose <kernel_shape = [2, 2]> (b, u) e = Dropout (d) f = Mul (e, s)
        y = HardSwish (f) }""", sizes=whole(0, 6, 1, 1), w=weights(6, 4, 3, 3), c=weights(4), u=weights(4, 2, 2, 2), s=weights(2, 1, 1)),
        "ConvTranspose2d<4, 3, sinter::Stride<2>, sinter::OutputPadding<1>>"),
}

IDIOMS = {
    # Normalisations and softmax as exporters write them out, along chosen axes, with weights along them.
    "Written": (model("""written (float[N, 6, 4] x) => (float[N, 6, 4] y) {
        s = ReduceSum <keepdims = 1> (x, one) m = Mul (s, sixth) d = Sub (x, m) q = Mul (d, d) v = ReduceMean <axes = [1]> (q) e = Add (v, eps) r = Sqrt (e)
        n = Div (d, r) a = Mul (n, w) b = Add (a, z)
        q2 = Mul (b, b) v2 = ReduceMean <axes = [-1]> (q2) e2 = Add (v2, tiny) r2 = Sqrt (e2) i2 = Reciprocal (r2) c = Mul (b, i2) g = Mul (c, u)
        x3 = ReduceMax <axes = [1]> (g) d3 = Sub (g, x3) p3 = Exp (d3) s3 = ReduceSum (p3, one) t = Div (p3, s3)
        h = MatMul (t, k) f = Add (h, l) o = Add (f, full) y = Sub (o, t) }""",
        one=whole(1), sixth=np.float32(1 / 6), eps=np.float32(1e-3), tiny=np.float32(1e-6), w=weights(6, 1), z=weights(6, 1), u=positive(4),
        k=weights(4, 4), l=weights(4), full=weights(6, 4)), "LayerNorm<sinter::NormalizedShape<6>, sinter::Epsilon<0.001>>"),
    "Ordered": (model("""ordered (float[N, 7, 4] x) => (float[N, 7, 4] y) {
        a = Relu (x)
        b = Add (positions, a)
        y = Tanh (b)
    }""", positions=positions(7, 4)), "sinter::ReLU, sinter::PositionalEncoding, sinter::Tanh"),
    # One-hot before a product is a table, and so are its bias and its activation.
    "Coded": (model("""coded (int64[N, 4] x) => (float[N, 8, 3] y) {
        a = Unsqueeze (x, two) b = Equal (a, range) c = Cast <to = 1> (b) d = MatMul (c, w) e = Add (d, v) f = Relu (e) g = Reshape (f, sizes)
        y = Conv (g, k) }""", two=whole(2), range=np.arange(5)[None, None], w=weights(5, 6), v=weights(6), sizes=whole(0, 8, 3), k=weights(8, 8, 1)),
        "Input<4>, sinter::Embedding<5, 6>, sinter::Reshape<8, 3>"),
    # An image of one column, uneven padding, the smallest and the largest along axes, parts and joins along others.
    "Thin": (model("""thin (float[N, 3, 8, 1] x) => (float[N, 2, 9] y, float[N, 1, 4, 3] z) {
        a = Conv <pads = [2, 0, 0, 0]> (x, w) b = Squeeze (a, three) c = Add (b, bias) d = Transpose <perm = [0, 2, 1]> (c)
        e = ReduceMin <axes = [1]> (d) f = ReduceMax <axes = [2]> (d) g = Sub (d, e) h = Add (g, f)
        i = Concat <axis = 2> (h, d) j = Slice (i, from, to, axes) k = Transpose <perm = [0, 2, 1]> (j) l = Pad (k, behind)
        y = Slice (l, first, second, one) m = Reshape (d, image) n = Neg (m) o = MaxPool <kernel_shape = [2, 3], pads = [0, 0, 1, 0], strides = [1, 2], ceil_mode = 1> (n)
        z = Conv <pads = [0, 1, 0, 2]> (o, u) }""",
        w=weights(4, 3, 3, 1), three=whole(3), bias=weights(4, 1), behind=whole(0, 0, 1, 0, 0, 0), axes=whole(1, 2), to=whole(99, 7),
        first=whole(1), second=whole(3), one=whole(1), image=whole(0, 1, 4, 8), u=weights(1, 1, 1, 5), **{"from": whole(0, 1)}),
        "ZeroPad2d<0, 0, 2, 0>, sinter::Reshape<3, 10>, sinter::Conv1d<4, 3>"),
    # A spectrogram.
    "Spectrum": (model("""spectrum (float[N, 1, 70] x) => (float[N, 3, 7] y) {
        a = Conv <strides = [8]> (x, w) b, c = Split <axis = 1> (a, parts) two = Constant <value_float = 2.0> () d = Pow (b, two) e = Pow (c, two) f = Add (d, e)
        y = Sqrt (f) }""", w=weights(6, 1, 16), parts=whole(3, 3)), "sinter::Conv1d<6, 16, sinter::Stride<8>, sinter::NoBias>"),
    # Convolutions with one place to be at are products; where taps leave numbers out they stay what they are.
    "Single": (model("""single (float[N, 3, 2, 2] x) => (float[N, 4, 1] y) {
        a = Conv <pads = [1, 1, 1, 1], strides = [2, 2]> (x, w, b) c = Relu (a) d = Conv <pads = [1, 0, 1, 0]> (c, u) e = Mul (d, s) f = Tanh (e) g = Reshape (f, sizes)
        h = Conv <dilations = [2]> (g, v) i = Relu (h) y = Conv <pads = [2, 1]> (i, t) }""", w=weights(5, 3, 3, 3), b=weights(5), u=weights(6, 5, 3, 1), s=positive(6, 1, 1),
        sizes=whole(0, 2, 3), v=weights(4, 2, 2), t=weights(4, 4, 4)),
        "Flatten, sinter::Linear<5>, sinter::ReLU, sinter::Linear<6, sinter::NoBias>, sinter::Tanh, sinter::Reshape<2, 3>, sinter::Conv1d<4, 2, sinter::Dilation<2>, sinter::NoBias>"),
    "Steps": (model("""steps (float[N, 5, 3] x) => (float[N, 5, 4] y, float[N, 2] z) {
        a = Transpose <perm = [1, 0, 2]> (x) b, c = LSTM <hidden_size = 2, direction = "bidirectional"> (a, w, r, v)
        d = Transpose <perm = [2, 0, 1, 3]> (b) y = Reshape (d, sizes) f, g = GRU <hidden_size = 2, linear_before_reset = 1> (a, w1, r1, v1)
        h0 = Squeeze (f, one) h1 = ReduceSum <keepdims = 0> (h0, zero) h2 = Squeeze (g, zero) h = Add (h1, h2) i, j = RNN <hidden_size = 2, direction = "reverse"> (a, w2, r2) k = Squeeze (j, zero) z = Add (h, k) }""",
        w=weights(2, 8, 3), r=weights(2, 8, 2), v=weights(2, 16), sizes=whole(0, 5, 4), w1=weights(1, 6, 3), r1=weights(1, 6, 2), v1=weights(1, 12),
        w2=weights(1, 2, 3), r2=weights(1, 2, 2), zero=whole(0), one=whole(1)), "LSTM<2, sinter::Bidirectional>"),
}
MODELS |= IDIOMS

ATTENTION = {
    # Queries, keys and values of one product, with the factor in the queries and no biases; taken apart by Gather.
    "Seen": (model("""seen (float[N, 5, 8] x) => (float[N, 5, 8] y) {
        a = Relu (x) b = MatMul (a, w) c = Reshape (b, apart) d = Transpose <perm = [2, 0, 3, 1, 4]> (c)
        q = Gather (d, zero) k = Gather (d, one) v = Gather (d, two) q1 = Mul (q, half) k1 = Transpose <perm = [0, 1, 3, 2]> (k)
        e = MatMul (q1, k1) f = Softmax <axis = 3> (e) g = MatMul (f, v) h = Transpose <perm = [0, 2, 1, 3]> (g) i = Reshape (h, together)
        j = MatMul (i, u) y = Add (a, j) }""", w=weights(8, 24), apart=whole(0, 5, 3, 2, 4), zero=np.int64(0), one=np.int64(1), two=np.int64(2), half=np.float32(0.5),
        together=whole(0, 5, 8), u=weights(8, 8)), "Input<5, 8>, sinter::ReLU, sinter::Residual<sinter::Path<sinter::MultiheadAttention<8, 2>>>"),
    # Three products with biases; steps before the batch, as PyTorch's layer is exported; a mask of a constant, and one of Where.
    "Masked": (model("""masked (float[N, 6, 8] x) => (float[N, 6, 8] y) {
        t = Transpose <perm = [1, 0, 2]> (x) q = MatMul (t, wq) q1 = Add (q, bq) k = MatMul (t, wk) k1 = Add (bk, k) v = MatMul (t, wv) v1 = Add (v, bv)
        q2 = Reshape (q1, apart) k2 = Reshape (k1, apart) v2 = Reshape (v1, apart) q3 = Transpose <perm = [1, 0, 2]> (q2) k3 = Transpose <perm = [1, 2, 0]> (k2)
        v3 = Transpose <perm = [1, 0, 2]> (v2) s = MatMul (q3, k3) s1 = Div (s, three) s2 = Add (s1, mask) p = Softmax (s2) o = MatMul (p, v3)
        o1 = Transpose <perm = [1, 0, 2]> (o) o2 = Reshape (o1, rows) o3 = Gemm <transB = 1> (o2, u, c) o4 = Reshape (o3, together) z = Transpose <perm = [1, 0, 2]> (o4)
        h = MatMul (z, w) h1 = Reshape (h, heads) qh, kh, vh = Split <axis = 3> (h1, fours) qt = Transpose <perm = [0, 2, 1, 3]> (qh)
        kt = Transpose <perm = [0, 2, 3, 1]> (kh) vt = Transpose <perm = [0, 2, 1, 3]> (vh) m = MatMul (qt, kt) m1 = Where (seen, m, none) m2 = Softmax (m1)
        m3 = MatMul (m2, vt) m4 = Transpose <perm = [0, 2, 1, 3]> (m3) m5 = Reshape (m4, again) y = MatMul (m5, u) }""",
        wq=weights(8, 8), bq=weights(8), wk=weights(8, 8), bk=weights(8), wv=weights(8, 8), bv=weights(8), apart=whole(6, 4, 2), three=np.float32(3),
        mask=np.triu(np.full((6, 6), -np.inf, np.float32), 1), rows=whole(6, 8), u=weights(8, 8), c=weights(8), together=whole(6, 1, 8), w=weights(8, 24),
        heads=whole(0, 6, 2, 12), fours=whole(4, 4, 4), seen=np.tril(np.ones((1, 1, 6, 6), bool)), none=np.float32(-1e9), again=whole(0, 6, 8)),
        "Input<6, 8>, sinter::MultiheadAttention<8, 4, sinter::Causal>, sinter::MultiheadAttention<8, 2, sinter::Causal>>"),
    # Attention without weights: products of values.
    "Alike": (model("""alike (float[N, 5, 3] x) => (float[N, 5, 3] y) {
        a = Transpose <perm = [0, 2, 1]> (x) b = MatMul (x, a) c = Mul (b, half) d = Softmax (c) e = MatMul (d, x) y = Tanh (e) }""", half=np.float32(0.5)),
        "MatrixProduct<sinter::Path<>, sinter::Path<>, sinter::TransposeSecond, sinter::Factor<0.5>>, sinter::SoftmaxAlong<2>"),
    # Divisions, one of which gives 0 where the divisor is 0, and choices by constants.
    "Divided": (model("""divided (float[N, 6] x) => (float[N, 6] y) {
        a = Exp (x) b = Mul (x, x) c = Div (b, a) d = Div (two, a) e = Div (c, four) f = Add (d, e) g = Where (which, f, x) h = Where (last, one, g)
        i = Where (rest, h, none) p = Relu (x) q = Div (b, p) r = Equal (p, nil) s = Where (r, nil, q) y = Add (i, s) }""",
        two=np.float32(2), four=positive(6), which=np.array([1, 1, 0, 1, 1, 0], bool), one=np.float32(1), last=np.array([0, 0, 0, 0, 1, 0], bool),
        rest=np.array([1, 1, 1, 0, 1, 1], bool), none=np.float32(-3), nil=np.float32(0)), "Activation<sinter::fn::Reciprocal>"),
}
MODELS |= ATTENTION

MASK = np.where(np.arange(4) <= np.arange(6)[:, None] + 1, weights(2, 6, 4), -np.inf).astype(np.float32)
PARTS = {
    # Attention to other steps, whose keys and values are one product and are taken apart by way of five sizes; a mask that is no causal one, with a check for rows of
    # which all is masked.
    "Crossed": (model("""crossed (float[N, 6, 8] x) => (float[N, 6, 8] y) {
        m = Slice (x, from, to, from) a = MatMul (m, w) a1 = Add (a, b) a2 = Reshape (a1, apart) a3 = Transpose <perm = [2, 0, 3, 1, 4]> (a2) k = Gather (a3, zero) v = Gather (a3, last)
        q = MatMul (x, wq) q1 = Reshape (q, heads) q2 = Transpose <perm = [0, 2, 1, 3]> (q1) q3 = Mul (q2, root) k1 = Transpose <perm = [0, 1, 3, 2]> (k) k2 = Mul (k1, root)
        s = MatMul (q3, k2) s1 = Add (s, mask) p = Softmax (s1) n = IsNaN (p) p1 = Where (n, nothing, p) o = MatMul (p1, v) o1 = Transpose <perm = [0, 2, 1, 3]> (o)
        o2 = Reshape (o1, together) o3 = MatMul (o2, wo) y = Gelu (o3) }""", 20, **{"from": whole(1)}, to=whole(5), w=weights(8, 16), b=weights(16), apart=whole(0, 4, 2, 2, 4),
        zero=np.int64(0), last=np.int64(-1), wq=weights(8, 8), heads=whole(0, 6, 2, 4), root=np.float32(0.5**0.5), mask=MASK[None], nothing=np.float32(0), together=whole(0, 6, 8),
        wo=weights(8, 8)), "sinter::Reshape<12, 4>, sinter::PositionEmbedding<12, 4>, sinter::Reshape<2, 6, 4>, sinter::SoftmaxAlong<3>"),
    # Constants beside steps, and added to all of them; a constant matrix before a value; norms.
    "Token": (model("""token (float[N, 3, 6] x) => (float[N, 2, 6] y, float[N, 5, 6] z) {
        c = Concat <axis = 1> (first, x, last) p = Add (c, positions) a = MatMul (pool, p) b = ReduceL2 (a, two) d = Clip (b, eps) e = Expand (d, sizes) f = Div (a, e)
        s = ReduceSumSquare (p, two) t = ReduceL1 (p, two) u = Gather <axis = 0> (t, zeros) v = Add (s, u) w = Mul (v, small) z = Mul (p, w) y = LeakyRelu <alpha = 0.3> (f) }""", 18,
        first=weights(1, 1, 6), last=weights(1, 1, 6), positions=weights(1, 5, 6), pool=weights(2, 5), two=whole(2), eps=np.float32(1e-6), sizes=whole(1, 2, 6),
        zeros=whole(0), small=np.float32(0.03)), "Input<3, 6>, sinter::Permute<0, 2, 1>, sinter::ZeroPad1d<1>, sinter::Permute<0, 2, 1>, sinter::PositionEmbedding<5, 6>"),
    # Conditions of the input.
    "Chosen": (model("""chosen (float[N, 3, 4] x, float[N, 4] z) => (float[N, 3, 4] y) {
        a = Greater (x, z) b = Where (a, x, z) c = Less (x, bound) d = LessOrEqual (z, x) e = Or (c, d) f = Where (e, low, b) g = Equal (x, f) h = Not (g)
        i = GreaterOrEqual (x, bound) j = And (h, i) k = Where (j, f, numbers) l = Cast <to = 1> (j) y = Add (k, l) }""", bound=np.float32(-0.2), low=np.float32(-1.5),
        numbers=weights(3, 1)), "sinter::Hardtanh<0.0, 1.0>"),
    # Bounds that are far from 0, or on one side.
    "Clipped": (model("clipped (float[N, 4] x) => (float[N, 4] y) { a = Mul (x, far) b = Clip (a, low) c = Mul (b, turned) d = Clip (c, none, high) e = Add (d, far) y = Clip (e, low, high) }",
                      far=positive(4) * 100, low=np.float32(-60), turned=-positive(4), none=np.float32(-1e3), high=np.float32(90)),
                "Hardtanh<-60.0, 3.4028235e+38>, sinter::BatchNorm1d<>, sinter::Hardtanh<-1000.0, 90.0>, sinter::BatchNorm1d<>, sinter::Hardtanh<-60.0, 90.0>"),
    # A bound above alone, as of torch.clamp(x, max=..), in functions of several operators, too.
    "Topped": (model("""topped (float[N, 4] x) => (float[N, 4] y) { a = Clip (x, , half) b = Tanh (a) c = Clip (b, , zero) d = Mul (x, x) e = Clip (d, , six) f = Relu (e) g = Add (x, three)
        h = Clip (g, zero) i = Clip (h, , six) j = Mul (i, x) k = Div (j, six) l = Add (c, f) y = Add (k, l) }""", half=np.float32(0.5), zero=np.float32(0), six=np.float32(6), three=np.float32(3)),
        "sinter::Hardtanh<-3.4028235e+38, 0.5>, sinter::Tanh, sinter::Hardtanh<-3.4028235e+38, 0.0>"),
    # Numbers for each place of a sample, times a number.
    "Windowed": (model("windowed (float[N, 4, 5] x) => (float[N, 4, 5] y) { a = Mul (x, c) b = Mul (a, two) d = Div (b, c) y = Sub (one, d) }", c=positive(4, 5), two=np.float32(2), one=np.float32(1)),
                 "Flatten, sinter::BatchNorm1d<>, sinter::Reshape<4, 5>"),
    # An embedding for each of some columns, and numbers beside them; a row of a table by itself.
    "Columns": (model("""columns (float[N, 5] x) => (float[N, 8] y) { i = Cast <to = 7> (x) a = Gather <axis = 1> (i, zero) b = Gather <axis = 1> (i, one) c = Gather (t, a) d = Gather (u, b)
        n = Slice (x, from, to, axes) y = Concat <axis = 1> (c, d, n) }""", zero=np.int64(0), one=np.int64(1), t=weights(4, 3), u=weights(4, 2), to=whole(5), axes=whole(1), **{"from": whole(2)}),
        "Path<sinter::Slice<0, 1>, sinter::Embedding<4, 3>, sinter::Flatten>, sinter::Path<sinter::Slice<1, 1>, sinter::Embedding<4, 2>, sinter::Flatten>, sinter::Path<sinter::Slice<2, 3>>"),
    "Looked": (model("looked (int64[N, 2] x) => (float[N, 3] y) { a = Gather <axis = 1> (x, one) b = Gather (t, a) c = Add (b, s) d = Mul (c, two) e = Relu (d) f = Sigmoid (e) y = Mul (e, f) }",
                     one=np.int64(1), t=weights(4, 3), s=weights(3), two=np.float32(2)), "Input<2>, sinter::Slice<1, 1>, sinter::Embedding<4, 3>, sinter::Flatten"),
    "Unreduced": (model("unreduced (float[N, 2, 3] x) => (float[N, 2, 3] y) { a = ReduceSum <noop_with_empty_axes = 1> (x) y = Tanh (a) }"), "Input<2, 3>, sinter::Tanh"),
    # The largest and the smallest of one value and of several, of which one is the network's.
    "Several": (model("several (float[N, 4] x) => (float[N, 4] y) { a = Max (x, low, half) b = Min (one, a, two) c = Max (b) d = Tanh (c) y = Min (d) }", low=np.float32(-9), half=np.float32(-0.5),
                      one=np.float32(1), two=np.float32(2)), "Input<4>, sinter::Hardtanh<-0.5, 3.4028235e+38>, sinter::Hardtanh<-3.4028235e+38, 1.0>, sinter::Tanh> {}"),
    # Dropout that drops nothing, in training mode or out of it.
    "Undropped": (model("undropped (float[N, 4] x) => (float[N, 4] y) { a = Dropout (x, zero, yes) b = Dropout (a, half, no) y = Tanh (b) }", zero=np.float32(0), half=np.float32(0.5),
                        yes=np.array(True), no=np.array(False)), "Input<4>, sinter::Dropout<0.5>, sinter::Tanh> {}"),
    # The operator Attention: with less keys and values than heads, with a causal mask, and with one of booleans.
    "Operator": (model("""operator (float[N, 5, 8] x) => (float[N, 5, 8] y) {
        q = MatMul (x, wq) k = MatMul (x, wk) v = MatMul (x, wv) a = Attention <q_num_heads = 4, kv_num_heads = 2, is_causal = 1> (q, k, v) b = MatMul (a, w) c = Tanh (b)
        h = Reshape (c, heads) h1 = Transpose <perm = [0, 2, 1, 3]> (h) d = Attention <scale = 0.7> (h1, h1, h1, near) e = Transpose <perm = [0, 2, 1, 3]> (d) y = Reshape (e, together) }""",
        23, wq=weights(8, 8), wk=weights(8, 4), wv=weights(8, 4), w=weights(8, 8), heads=whole(0, 5, 2, 4), near=np.abs(np.arange(5) - np.arange(5)[:, None]) < 2,
        together=whole(0, 5, 8)), "Input<5, 8>, sinter::MultiheadAttention<8, 4, sinter::Causal>, sinter::Tanh"),
}
MODELS |= PARTS

TWO = model("two (float[N, 3] x, float[N, 3] z) => (float[N, 3] y) { a = Relu (x) b = Tanh (z) c = Add (a, b) y = Sigmoid (c) }")
# One step with a state: two inputs and two outputs, side by side, and a number that is set.
CELL = model("""cell (float[N, 3] x, float[2, N, 4] state, int64 rate) => (float[N, 2] y, float[2, N, 4] next) {
    p = Pad <mode = "reflect"> (x, behind) a = Unsqueeze (p, zero) h = Gather (state, first) c = Gather (state, second) h1 = Unsqueeze (h, zero) c1 = Unsqueeze (c, zero)
    s, hn, cn = LSTM <hidden_size = 4> (a, w, r, b, , h1, c1) both = Concat <axis = 0> (hn, cn) none = Mul (rate, no) nothing = Cast <to = 1> (none)
    next = Add (both, nothing) o = Squeeze (hn, zero) y = Gemm (o, u) }""", behind=whole(0, 0, 0, 2), zero=whole(0), first=np.int64(0), second=np.int64(1),
    no=np.int64(0), w=weights(1, 16, 5), r=weights(1, 16, 4), b=weights(1, 32), u=weights(4, 2))
GATED = model("""gated (float[N, 3] x, float[N, 4] h) => (float[1, N, 4] next) { a = Unsqueeze (x, zero) b = Unsqueeze (h, zero)
    s, next = GRU <hidden_size = 4, linear_before_reset = 1> (a, w, r, b1, , b) }""", zero=whole(0), w=weights(1, 12, 3), r=weights(1, 12, 4), b1=weights(1, 24))
# Several steps from a state that is given: a speech filter with its state beside the sound, and a decoder that an encoder starts.
FRAMES = model("""frames (float[N, 5, 3] x, float[1, N, 4] h) => (float[N, 5, 4] y, float[1, N, 4] next) {
    a = Transpose <perm = [1, 0, 2]> (x) s, next = GRU <hidden_size = 4, linear_before_reset = 1> (a, w, r, b, , h) o = Squeeze (s, one) y = Transpose <perm = [1, 0, 2]> (o) }""",
    one=whole(1), w=weights(1, 12, 3), r=weights(1, 12, 4), b=weights(1, 24))
DECODER = model("""decoder (float[N, 6, 3] x) => (float[N, 6, 10] y) {
    a = Transpose <perm = [1, 0, 2]> (x) e = ReduceMean <axes = [1], keepdims = 0> (x) h = Gemm (e, u) c = Tanh (h)
    h0 = Reshape (h, two) h1 = Transpose <perm = [1, 0, 2]> (h0) c0 = Reshape (c, two) c1 = Transpose <perm = [1, 0, 2]> (c0)
    s = LSTM <hidden_size = 5, direction = "bidirectional"> (a, w, r, , , h1, c1) t = Transpose <perm = [2, 0, 1, 3]> (s) y = Reshape (t, flat) }""",
    two=whole(-1, 2, 5), flat=whole(0, 0, -1), u=weights(3, 10), w=weights(2, 20, 3), r=weights(2, 20, 5))
# Rows of fewer steps: their lengths beside the steps, as an input of whole numbers, and as the first number of a row.
TAGGER = model("""tagger (float[N, 6, 3] x, int64[N] lengths) => (float[N, 6, 10] y) {
    n = Cast <to = 6> (lengths) a = Transpose <perm = [1, 0, 2]> (x)
    s = LSTM <hidden_size = 5, direction = "bidirectional"> (a, w, r, , n) t = Transpose <perm = [2, 0, 1, 3]> (s) y = Reshape (t, flat) }""",
    flat=whole(0, 0, -1), w=weights(2, 20, 3), r=weights(2, 20, 5))
REVIEW = model("""review (float[N, 13] x) => (float[N, 2] y) {
    l = Slice (x, begin, one, one) l1 = Squeeze (l, one) n = Cast <to = 6> (l1) p = Slice (x, one, end, one) q = Reshape (p, steps)
    a = Transpose <perm = [1, 0, 2]> (q) e = Gemm (x, u) h = Tanh (e) h1 = Unsqueeze (h, begin)
    s, z = GRU <hidden_size = 5, linear_before_reset = 1> (a, w, r, b, n, h1) o = Squeeze (z, begin) y = Gemm (o, v) }""",
    begin=whole(0), one=whole(1), end=whole(13), steps=whole(-1, 4, 3), u=weights(13, 5), w=weights(1, 15, 3), r=weights(1, 15, 5), b=weights(1, 30),
    v=weights(5, 2))
LOOP = model("""loop (float[N, 4, 3] x, float[N, 2] z) => (float[1, N, 6] y) {
    a = Transpose <perm = [1, 0, 2]> (x) h = Gemm (z, u) h1 = Unsqueeze (h, zero) s, y = RNN <hidden_size = 6> (a, w, r, b, , h1) }""",
    zero=whole(0), u=weights(2, 6), w=weights(1, 6, 3), r=weights(1, 6, 6), b=weights(1, 12))
# A mask that is set, of sizes that are open in the file.
PADDED = model("""padded (float[N, T, 3] x, float[N, T] mask) => (float[N, 3] y) {
    a = Unsqueeze (mask, two) b = Mul (x, a) c = ReduceSum <keepdims = 0> (b, one) d = ReduceSum <keepdims = 0> (a, one) y = Div (c, d) }""", two=whole(2), one=whole(1))
# A file of IR version 3 lists its weights, of which some are equal, as inputs.
EARLY = model("""early (float[N, 2, 3] x, float[2, 2, 1] w, float[2] s, float[2] t, float[2] m, float[2] v) => (float[N, 2, 3] y) {
    a = Conv (x, w) b = Relu (a) y = BatchNormalization (b, s, t, m, v) }""", 9, w=weights(2, 2, 1), s=np.ones(2, np.float32), t=np.zeros(2, np.float32),
    m=np.zeros(2, np.float32), v=np.ones(2, np.float32))
EARLY.ir_version = 3
# Several inputs, one of them with a name that is none in C++.
BOTH = model("""both (float[N, 2, 4, 5] picture, float[N, 3] numbers) => (float[N, 2] y) {
    a = Conv (picture, w) b = Relu (a) c = Flatten (b) d = Gemm (numbers, u) e = Concat <axis = 1> (c, d) y = Gemm (e, v) }""",
             w=weights(3, 2, 3, 3), u=weights(3, 4), v=weights(22, 2))
BOTH.graph.input[0].name = BOTH.graph.node[0].input[0] = "The picture"
BOTH.graph.node[-1].name = "the\nend"
CHOICE = model("""choice (float[N, 4] x, bool c) => (float[N, 4] y) { y = If (c) <then_branch = one () => (float[N, 4] a) { a = Relu (x) },
    else_branch = two () => (float[N, 4] b) { b = Tanh (x) }> }""")
# Both are read in several places, also after others, and one is an output.
CROSSING = model("""crossing (float[N, 3] x, float[N, 4] z) => (float[N, 2] y, float[N, 4] z2) {
    a = Gemm (x, w) b = Tanh (a) c = Mul (b, z) d = Gemm (c, u) e = Add (d, x) f = Sigmoid (e) g = Concat <axis = 1> (f, z, b)
    y = Gemm (g, v) z2 = Add (c, z) }""", w=weights(3, 4), u=weights(4, 3), v=weights(11, 2))
# Graphs whose rows depend on one another, or on chance.
MIXED = [model(f"g (float[N, 4] x) => (float[M, 4] y) {{ {nodes} }}", **constants) for nodes, constants in (
    ("m = ReduceMean <axes = [0]> (x) y = Sub (x, m)", {}), ("m = ReduceMean (x) y = Sub (x, m)", {}), ("m = ReduceMax <axes = [0]> (x) y = Sub (x, m)", {}),
    ("m = ReduceL2 <axes = [0]> (x) y = Mul (x, m)", {}), ("y = ReduceSum (x, zero)", {"zero": whole(0)}), ("y = Slice (x, zero, one, zero)", {"zero": whole(0), "one": whole(1)}),
    ("y = Gather (x, zero)", {"zero": whole(0)}), ("t = Tanh (x) y = Concat <axis = 0> (x, t)", {}),
    ("s = Shape (x) n = Gather (s, zero) f = Cast <to = 1> (n) y = Div (x, f)", {"zero": np.int64(0)}),
    ("a = Exp (x) s = ReduceSum (a, zero) y = Div (a, s)", {"zero": whole(0)}),
    ("t = Transpose <perm = [1, 0]> (x) m = ReduceMax <axes = [1]> (t) s = Sub (t, m) y = Transpose <perm = [1, 0]> (s)", {}),
    # What rows of one scale often have in common: their largest and smallest numbers, and functions of these.
    ("a = Abs (x) m = ReduceMax (a) y = Div (x, m)", {}), ("s = Sigmoid (x) m = ReduceMax (s) y = Div (s, m)", {}),
    ("m = ReduceMin (x) o = ReduceMax (x) d = Sub (o, m) e = Sub (x, m) y = Div (e, d)", {}),
    ("m = ReduceMax (x) g = Greater (m, three) d = Div (x, three) y = Where (g, d, x)", {"three": np.float32(3)}),
    ("s = Shape (x) n = Gather (s, zero) f = Cast <to = 1> (n) g = Sub (f, two) h = Relu (g) y = Add (x, h)", {"zero": np.int64(0), "two": np.float32(2)}))]
# Two inputs, of which the file fixes one at a batch of one; rows that differ too seldom to be found by their numbers.
MIXED_IN_PART = [
    (model("g (float[N, 3] x, float[1, 3] s) => (float[N, 3] y) { m = ReduceMean <axes = [0]> (x) d = Sub (x, m) y = Add (d, s) }"), "from node 'm' (op ReduceMean) on: the graph mixes"),
    *[(model(f"g (float[N, 4] x) => (float[N, 4] y) {{ {nodes} }}", zero=np.float32(0), many=np.float32(100)), f"{node} goes over size 0, the batch: the graph mixes")
      for nodes, node in (
          ("m = ReduceMax (x) g = Greater (m, zero) f = Cast <to = 1> (g) y = Mul (x, f)", "node 'm' (op ReduceMax)"), ("s = ReduceSum (x) d = Sub (s, many) p = Relu (d) y = Add (x, p)", "node 's' (op ReduceSum)"))]]
BESIDE_FIXED = model("g (float[N, 3] x, float[1, 3] s) => (float[N, 3] y) { m = ReduceMean <axes = [1]> (x) d = Sub (x, m) y = Add (d, s) }")
RANDOM = [("d = Dropout (x, half, yes) y = Relu (d)", "node 'd' (op Dropout): training_mode is true"), ("d = RandomNormalLike (x) y = Add (x, d)", "(op RandomNormalLike): its numbers are random"),
          ("d = RandomUniform <shape = [1, 4]> () y = Add (x, d)", "(op RandomUniform): its numbers are random"),
          ("d = Multinomial (p) e = Cast <to = 1> (d) y = Mul (x, e)", "(op Multinomial): its numbers are random"),
          ("d = Bernoulli (p) y = Mul (x, d)", "(op RandomUniformLike): its numbers are random")]
REFUSED = [
    # At these onnxruntime would end with a signal.
    *[(model(f"g (float[N, 2, 3] x) => (float[N, 2, 3] y) {{ y{outputs} = BatchNormalization <training_mode = 1> (x, s, t, m, v) }}", s=positive(2), t=weights(2), m=weights(2), v=positive(2)),
       ["node 'y' (op BatchNormalization): training_mode; export the model for inference"]) for outputs in (", , ", ", mean, ", ", , variance", "")],
    (model("g (float[N, 4] x) => (float[N, 4] y) { a = Cast <to = 17> (x) y = Cast <to = 1> (a) }", 19), ["(op Cast): it rounds to numbers of the type float8_e4m3fn"]),
    *[(model(f"g (float[N, 1, 5, 5] x) => (float[N, 1, 7, 7] y) {{ y = {pool} (x) }}"), [f"(op {pool.split()[0]}): pads of [2, 2] for a window of [3, 3]; sinter's are at most half the window"])
      for pool in ("MaxPool <kernel_shape = [3, 3], pads = [2, 2, 2, 2]>", "AveragePool <kernel_shape = [3, 3], pads = [2, 2, 2, 2], count_include_pad = 1>")],
    (model("g (float[N, 20] x) => (float[N, 0] y) { y = Slice (x, first, end, one) }", first=whole(1000), end=whole(2000), one=whole(1)), ["(op Slice): its value 'y' of the sizes [1, 0] has no numbers"]),
    (model("g (float[1, 3, 2] x) => (float[1, 1, 3, 4] y) { y = LSTM <hidden_size = 4> (x, w, r) }", w=weights(1, 16, 2), r=weights(1, 16, 4)),
     ["(op LSTM): it takes 6 numbers for 1 steps of 2 features, a batch that the file fixes"]),
    *[(graph, ["output 'y' of several rows together is not what each of them gives alone, from node", "the graph mixes the rows of a batch"]) for graph in MIXED],
    *[(graph, [text]) for graph, text in MIXED_IN_PART],
    (model("g (float[N, 10] x) => (float[2, N, 5] y) { a = Tanh (x) y = Reshape (a, two) }", two=whole(2, -1, 5)), ["from node 'y' (op Reshape) on: the graph mixes"]),
    *[(model(f"g (float[N, 4] x) => (float[N, 4] y) {{ {nodes} }}", half=np.float32(0.5), yes=np.array(True), p=np.full((1, 4), 0.5, np.float32)), [text]) for nodes, text in RANDOM],
    (model("g (float[N, 4] x, int64[1] a) => (float[N, 1] y) { y = ReduceSum (x, a) }"), ["node 'y' (op ReduceSum): its axes 'a' are computed while the network runs"]),
    (model("g (float[N, 4] x) => (seq(float[N, 4]) y) { y = SequenceConstruct (x, x) }"), ["output 'y' is no tensor; name those that are by --to TENSOR"]),
    (model("g (float[4, N, 2] x) => (float[4, 1, N, 3] y) { y = RNN <hidden_size = 3, activations = [\"Relu\"]> (x, w, r) }", w=weights(1, 3, 2), r=weights(1, 3, 3)),
     ["(op RNN): its activations are Relu; sinter's are Tanh"]),
    (model("g (float[N, 4] x) => (float[N, 4] y) { a = Cos (x) b = Sin (a) y = Tan (b) }", 18),
     ["(op Tan): sinter has no layer", "(op Sin): sinter has no layer", "(op Cos): sinter has no layer"]),
    (model("g (float[N, 4, T] x) => (float[N, 4, T] y) { y = Relu (x) }"), ["input 'x' has an open size, number 2 (T)", "--shape x=SIZES"]),
    (model("g (float[N, 2, 4, 4] x) => (float[N, 2, 5, 5] y) { y = ConvTranspose <pads = [0, 0, 1, 1]> (x, w) }", w=weights(2, 2, 3, 3)),
     ["(op ConvTranspose): pads of [0, 0] before and [1, 1] after"]),
    (model("g (float[N, 2, 4, 6] x) => (float[N, 2, 4, 4] y) { a = ReduceMean <axes = [1]> (x) b = Transpose <perm = [0, 1, 3, 2]> (a) y = MatMul (x, b) }"),
     ["(op MatMul): it multiplies samples of (2, 4, 6) and (1, 6, 4); sinter's MatrixProduct takes as many matrices of both"]),
    (model("g (float[N, 3, 2] x, float[1, N, 4] h) => (float[1, N, 4] z) { a = Transpose <perm = [1, 0, 2]> (x) y, z = LSTM <hidden_size = 4> (a, w, r, , , h, c) }",
           w=weights(1, 16, 2), r=weights(1, 16, 4), c=weights(1, 1, 4)), ["(op LSTM): its initial state is a constant, or a part of it is"]),
    (model("g (float[N, 3, 2] x, float[1, N, 4] h, float[1, N, 4] c) => (float[1, N, 4] z) { a = Transpose <perm = [1, 0, 2]> (x) y, u, z = LSTM <hidden_size = 4> (a, w, r, , , h, c) }",
           w=weights(1, 16, 2), r=weights(1, 16, 4)), ["(op LSTM): its cell state is read"]),
    (model("g (float[N, 3, 2] x) => (float[1, N, 4] z) { a = Transpose <perm = [1, 0, 2]> (x) y, z = GRU <hidden_size = 4> (a, w, r) }",
           w=weights(1, 12, 2), r=weights(1, 12, 4)), ["(op GRU): linear_before_reset is 0"]),
    (model("g (float[N, 1, 4] x) => (float[N, 1, 6] y) { a = Pad <mode = \"wrap\"> (x, p) y = Relu (a) }", 19, p=whole(0, 0, 1, 0, 0, 1)),
     ["(op Pad): it pads in the mode 'wrap'"]),
    (model("g (float[N, 1, 4] x) => (float[N, 1, 6] y) { y = Resize <mode = \"linear\"> (x, e, s) }", e=np.zeros(0, np.float32), s=np.array([1, 1, 1.5], np.float32)),
     ["(op Resize): it makes [1, 6] of [1, 4]; sinter's Upsample enlarges images by one whole factor"]),
    (model("g (float[N, 1, 4] x) => (float[N, 1, 8] y) { y = Resize <mode = \"linear\"> (x, s) }", 10, s=np.array([1, 1, 2], np.float32)),
     ["(op Resize): the mode 'linear' with 'asymmetric'; sinter has nearest with 'asymmetric' and 'floor'"]),
    (model("g (float[N, 2, 6, 6] x) => (float[N, 2, 3, 3] y) { y = AveragePool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x) }"),
     ["(op AveragePool): pads of (0, 0), or ceil_mode, of an average"]),
    # All of a row is masked, and what the softmax then is would be refused, too.
    (model("g (float[N, 4, 4] x) => (float[N, 4, 4] y) { a = Add (x, m) b = Softmax (a) n = IsNaN (b) c = Where (n, zero, b) y = MatMul (c, x) }", m=np.full((4, 4), -np.inf, np.float32),
           zero=np.float32(0)), ["node 'n' (op IsNaN): sinter has no layer"]),
    (model("""g (float[N, 4, 6] x, float[N, 4, 6] z) => (float[N, 4, 6] y) { a = Attention <q_num_heads = 2, kv_num_heads = 2, softcap = 20.0> (x, x, x)
        c = Greater (x, z) d = Less (x, z) b = Xor (c, d) y = Where (b, a, x) }""", 23), ["node 'a' (op Attention): it has a softcap", "node 'b' (op Xor): sinter has no layer"]),
    (model("g (float[N, 4, 6] x) => (float[N, 4, 6] y) { a = Reshape (x, apart) b = Relu (a) y = Reshape (b, together) }", apart=whole(0, 2, 2, 2, 3), together=whole(0, 4, 6)),
     ["node 'b' (op Relu): value 'a' of the sizes [1, 2, 2, 2, 3] is not a batch of samples of up to three sizes"]),
    (model("g (float[N, 4, 2] x) => (float[1, N, 3] z) { m = ReduceSum <keepdims = 0> (x, two) n = Cast <to = 6> (m) a = Transpose <perm = [1, 0, 2]> (x) y, z = GRU <hidden_size = 3, linear_before_reset = 1> (a, w, r, , n) }",
           two=whole(1, 2), w=weights(1, 9, 2), r=weights(1, 9, 3)), ["(op GRU): the lengths of its sequences are computed"]),
    (model("g (float[N, 3] x) => (float[N, 3] y) { y = Elu <alpha = -1.0> (x) }"), ["node 'y' (op Elu): ELU<-1.0> is no layer of sinter: its alpha is finite, and 0 or more"]),
    (model("g (float[N, 3] x) => (float[N, 3] y) { y = Relu (x) }", 8), ["is of opset 8; known are 9 to 23"]),
    (without_sizes(model("g (float[N, 3] x) => (float[N, 2] y) { y = MatMul (x, w) }", w=weights(3, 2))), ["input 'x' has no sizes in the file: give those of a sample by --shape x=SIZES"]),
    (with_sparse(model("g (float[N, 3] x) => (float[N, 2] y) { y = MatMul (x, w) }")), ["keeps 'w' as sparse tensors, which this tool does not read: write them with all their zeros"]),
    (model("g (float[N, 3] x) => (float[N, 2] y, float[3, 2] w) { y = MatMul (x, w) }", w=weights(3, 2)), ["'w' is a constant, and does not depend on the input; name other values"]),
    (model("g (float[N, 3] x) => (float[N, 2] y, float[3, 2] z) { y = MatMul (x, w) z = Neg (w) }", w=weights(3, 2)), ["'z' is a constant, and does not depend on the input; name other values"]),
    # Whole numbers that are computed, also where others are the reason why the file does not run.
    (model("g (int64[N, 4] x) => (float[N, 4, 3] y) { a = Div (x, two) y = Gather (t, a) }", two=np.int64(2), t=weights(9, 3)),
     ["node 'a' (op Div): it computes with whole numbers"]),
    (model("g (int64[N, 4] x) => (float[N, 4, 3] y, float[N, 1] z) { a = Mul (x, two) y = Gather (t, a) b = ReduceSum (x, one) c = Neg (b) z = Cast <to = 1> (c) }", two=np.int64(2),
           one=whole(1), t=weights(9, 3)), ["node 'a' (op Mul): it computes with whole numbers", "node 'b' (op ReduceSum): it computes with", "node 'c' (op Neg): it computes with"]),
    (model("g (int64[N, 4] x) => (float[N, 4, 3] y) { a = Mul (x, five) y = Gather (t, a) }", five=np.int64(5), t=weights(3, 3)),
     ["node 'a' (op Mul): it computes with whole numbers", "node 'y' (op Gather): its sizes, types or numbers do not fit, as onnxruntime says: indices element out of data bounds"]),
    # Sizes and types that disagree.
    (model("g (float[N, 3, 8, 8] x) => (float[N, 4, 6, 6] y) { a = Relu (x) y = Conv (a, w) }", w=weights(4, 2, 3, 3)),
     ["node 'y' (op Conv): its sizes, types or numbers do not fit, as onnxruntime says: Input channels C is not equal to kernel channels * group"]),
    (model("g (float[N, 3, 8] x) => (float[N, 5, 5] y) { a = Relu (x) y = Reshape (a, sizes) }", sizes=whole(0, 5, 5)),
     ["node 'y' (op Reshape): its sizes, types or numbers do not fit, as onnxruntime says: The input tensor cannot be reshaped"]),
    (model("g (float[N, 4] x) => (float[N] y) { a = Relu (x) y = Gather <axis = 1> (a, five) }", five=np.int64(5)),
     ["node 'y' (op Gather): its sizes, types or numbers do not fit, as onnxruntime says: indices element out of data bounds"]),
    (model("g (float[N, 4] x) => (float[N, 3] y) { a = Relu (x) y = MatMul (a, w) }", w=weights(5, 3)),
     ["node 'y' (op MatMul): its sizes, types or numbers do not fit, as onnxruntime says: Incompatible dimensions"]),
    (model("g (int64[N, 4] x) => (int64[N, 4] y) { a = Identity (x) y = Sum (a, a) }"),
     ["node 'y' (op Sum): its sizes, types or numbers do not fit, as onnxruntime says: Type 'tensor(int64)' of input parameter"]),
    (model("g (float[N, 4] x) => (float[N, 4] y) { y = QuantizeLinear (x, s) }", s=np.float32(0.1)), ["node 'y' (op QuantizeLinear): its sizes, types or numbers do not fit"]),
    (model("g (string[N] x) => (string[N] y) { y = Identity (x) }"), ["input 'x' is no tensor of numbers"]),
    (model("g (float[N, 4] x) => (float[N, 4] y) { a = SequenceConstruct (x, x) y = SequenceAt (a, zero) }", zero=np.int64(0)),
     ["node 'y' (op SequenceAt): sinter has no layer", "node 'a' (op SequenceConstruct): it gives no tensor"]),
    (model("g (float[N, 4] x) => (float[N, 4] y) { a = Fold (x) y = Unfold (a) }"),
     ["node 'a' (op Fold): ONNX has no such operator in opset 17", "node 'y' (op Unfold): ONNX has no such operator"]),
    (model("g (float[N, 4] x) => (float[N, 4] y) { y = some.where.Fold (x) }"), ["node 'y' (op Fold): its sizes, types or numbers do not fit, as onnxruntime says: No opset import"]),
    # Control flow.
    (model("g (float[N, 4] x, int64 n) => (float[N, 4] y) { y = Loop (n, , x) <body = b (int64 i, bool c, float[N, 4] v) => (bool d, float[N, 4] w) { d = Identity (c) w = Relu (v) }> }"),
     ["node 'y' (op Loop): it is control flow"]),
    (model("g (float[N, 4, 3] x) => (float[N, 4, 3] y) { y = Scan <num_scan_inputs = 1, scan_input_axes = [1], scan_output_axes = [1], "
           "body = b (float[N, 3] v) => (float[N, 3] w) { w = Relu (v) }> (x) }"), ["node 'y' (op Scan): it is control flow"]),
]


def wanted_of(session, rows, shapes, constants):
    """The outputs of each row, one after another; the inputs are side by side in it."""
    wanted = []
    for row in rows:
        parts = np.split(row, np.cumsum([math.prod(shape) for shape in shapes.values()])[:-1])
        kinds = {entry.name: np.int64 if "int64" in entry.type else row.dtype for entry in session.get_inputs()}
        given = {name: part.reshape(shape).astype(kinds[name]) for (name, shape), part in zip(shapes.items(), parts)}
        wanted += [y.reshape(-1) for y in session.run(None, given | constants)]
    return np.concatenate(wanted)


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    wanted, good = {}, True
    cases = [(name, graph, text, {}) for name, (graph, text) in MODELS.items()]
    cases.append(("Early", EARLY, "Input<2, 3>, sinter::Conv1d<2, 1, sinter::NoBias>, sinter::ReLU", {}))
    cases.append(("Part", TWO, "Input<3>, sinter::Sigmoid", {"begin": "c"}))
    cases.append(("Gated", GATED, "GatedInputs, sinter::GRUCell<4>", {}))
    cases.append(("Cell", CELL, 'struct CellInputs : sinter::Inputs<sinter::Named<"x", sinter::Input<3>>, sinter::Named<"state", sinter::Input<2, 1, 4>>> {};',
                  {"numbers": {"rate": 3}}))
    cases.append(("Frames", FRAMES, 'sinter::Recurrent<sinter::GRU<4>, sinter::Path<sinter::TakeInput<FramesInputs, "x">>, '
                  'sinter::InitialState<sinter::TakeInput<FramesInputs, "h">', {}))
    cases.append(("Decoder", DECODER, "sinter::Recurrent<sinter::LSTM<5, sinter::Bidirectional>, sinter::Path<", {}))
    cases.append(("Tagger", TAGGER, 'sinter::Recurrent<sinter::LSTM<5, sinter::Bidirectional>, sinter::Path<sinter::TakeInput<TaggerInputs, "x">>, '
                  'sinter::Lengths<sinter::TakeInput<TaggerInputs, "lengths">>>', {}))
    cases.append(("Review", REVIEW, "sinter::Recurrent<sinter::GRU<5, sinter::FinalState>, sinter::Path<sinter::Slice<1, 12>, sinter::Reshape<4, 3>>, "
                  "sinter::Lengths<sinter::Slice<0, 1>>, sinter::InitialState<sinter::Linear<5, sinter::NoBias>, sinter::Tanh>>", {}))
    cases.append(("Loop", LOOP, "sinter::Recurrent<sinter::RNN<6, sinter::FinalState>, sinter::Path<", {}))
    cases.append(("Padded", PADDED, "Input<4, 3>, sinter::Sum<1>, sinter::BatchNorm1d<>", {"numbers": {"mask": 1}, "shapes": {"x": (4, 3), "mask": (4,)}}))
    cases.append(("Both", BOTH, 'BothInputs, sinter::Concat<sinter::Path<sinter::TakeInput<BothInputs, "The picture">, sinter::Conv2d<3, 3, sinter::NoBias>, sinter::ReLU, '
                  'sinter::Flatten>, sinter::Path<sinter::TakeInput<BothInputs, "numbers">', {}))
    cases.append(("Apart", BESIDE_FIXED, 'sinter::TakeInput<ApartInputs, "s">', {}))
    cases.append(("Crossing", CROSSING, 'sinter::TakeInput<CrossingInputs, "x">', {}))
    for name, graph, text, options in cases:
        path = folder / f"{name}.onnx"
        onnx.save(graph, path)
        if "begin" in options:
            subprocess.run([sys.executable, root / "tools" / "from_onnx.py", path, name, folder, "--from", options["begin"]], check=True)
            graph = model("part (float[N, 3] c) => (float[N, 3] y) { y = Sigmoid (c) }")
        else:
            from_onnx.convert(path, name, folder, **options)
        header = converted.struct_of(folder / f"{name}.hpp")
        good &= check(text in header, f"{name}: the header says {text}")
        session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        numbers = options.get("numbers", {})
        given = [entry for entry in session.get_inputs() if entry.name not in numbers]
        sizes = options.get("shapes", {})
        shapes = [(1, *sizes[entry.name]) if entry.name in sizes else [size if isinstance(size, int) else 1 for size in entry.shape] for entry in given]
        constants = {entry.name: np.full((1, *sizes[entry.name]) if entry.name in sizes else (), numbers[entry.name], "float32" if "float" in entry.type else "int64")
                     for entry in session.get_inputs() if entry.name in numbers}
        size = (9, sum(map(math.prod, shapes)))
        x = generator.integers(0, 2, size) if "int" in given[0].type else (generator.random(size) * 4 - 2).astype(np.float32)
        for place, steps in {"Tagger": [(18, 6)], "Review": [(0, 4)]}.get(name, []):
            x[:, place] = 1 + np.arange(9) % steps
        if name == "Columns":
            x[:, :2] = generator.integers(0, 4, (9, 2))
        wanted[name] = wanted_of(session, x, dict(zip([entry.name for entry in given], shapes)), constants)
        (folder / f"{name}.rows").write_bytes(x.astype("<f4").tobytes())

    for name, values in converted.outputs(cxx, root, folder, list(wanted)).items():
        given, numbers = np.array(values), wanted[name]
        error = np.linalg.norm(given - numbers) / np.linalg.norm(numbers) if given.shape == numbers.shape else np.inf
        good &= check(error < 3e-6, f"{name}: sinter gives what onnxruntime gives, relative error {error:.1e}")
    said = subprocess.run([converted.built(cxx, root, folder, folder / "Part.cpp")], cwd=folder, check=True, capture_output=True, text=True).stdout
    good &= check(said == "y: 0.5 ..\n", f"the program made for Part prints {said!r}")
    subprocess.run([cxx, *converted.flags(root, folder), "-fsyntax-only", folder / "Both.cpp"], check=True)
    text = "  const sinter::Tensor<float, sinter::Shape<2, 4, 5>> x0(1);  // The picture: zeros\n"
    good &= check(text in (folder / "Both.cpp").read_text(), "the program made for Both has a tensor for each input")

    for name, line in (("Digits", "sinter::Linear<7>,  // k [7]\n    sinter::ELU<1.0>,  // l [7]\n    sinter::Linear<5>,  // n [5]\n    sinter::LogSoftmax> {};  // y [5]\n"),
                       ("Both", "sinter::Linear<2, sinter::NoBias>> {};  // the_end [2]\n")):
        good &= check(line in (folder / f"{name}.hpp").read_text(), f"{name}: comments name the nodes and the shapes")

    onnx.save(PADDED, path := folder / "refused.onnx")
    good &= refused(path, folder, ["input 'mask' has open sizes", "--shape mask=SIZES"], numbers={"mask": 1}, shapes={"x": (4, 3)})
    for graph, texts in REFUSED:
        path = folder / "refused.onnx"
        onnx.save(graph, path)
        good &= refused(path, folder, texts)
    onnx.save(CHOICE, path)
    good &= refused(path, folder, ["node 'y' (op If): it is control flow; sinter computes the same layers for all inputs. If its condition is an input, --set"])
    from_onnx.convert(path, "Chooses", folder, numbers={"c": 1})
    good &= check("Input<4>, sinter::ReLU> {}" in converted.struct_of(folder / "Chooses.hpp"), "with a constant condition it is the branch that is taken")
    onnx.save(model("g (float[8, 4] x) => (float[8, 3] y) { y = MatMul (x, w) }", w=weights(4, 3)), path)
    for options, hint in (([], "input 'x' [8, 4] was taken for one sample; if 8 is the size of a batch, convert again by --shape x=4\n"), (["--shape", "x=4"], "")):
        said = subprocess.run([sys.executable, root / "tools" / "from_onnx.py", path, "Fixed", folder, *options], check=True, capture_output=True, text=True).stdout
        good &= check(said == f"wrote {folder / 'Fixed'}.hpp, .safetensors and .cpp\n{hint}", f"a file with a fixed first size: {said!r}")
    graph = model("g (float[N, 4] x) => (float[N, 3] y) { y = MatMul (x, w) }", w=weights(4, 3))
    onnx.save(graph, path, save_as_external_data=True, location="refused.weights", size_threshold=0)
    (folder / "refused.weights").write_bytes(bytes(47))
    good &= refused(path, folder, ["node 'y' (op MatMul): its weights 'w' are kept in", "refused.weights, which is too short"])
    (folder / "refused.weights").unlink()
    good &= refused(path, folder, ["node 'y' (op MatMul): its weights 'w' are kept in", "refused.weights, which is missing"])
    graph = model("g (float[N, 4] x, int64 n) => (float[N, 4] QQQQ) { QQQQ = Relu (x) }", KKKK=weights(4))
    for place in (b"QQQQ", b"Relu", b"KKKK"):
        path.write_bytes(graph.SerializeToString().replace(place, b"\xff\xfe\xfdQ"))
        good &= refused(path, folder, ["has a name that is no UTF-8, b'\\xff\\xfe\\xfdQ': give its nodes and values other names"])
    onnx.save(graph, path)
    for size in (99999999999999999999, 2**31, 0):
        good &= refused(path, folder, [f"input 'x' was given the sizes ({size},); sizes are 1 to 2147483647"], shapes={"x": (size,)})
        good &= refused(path, folder, [f"input 'x' was given the sizes ({size},); sizes are 1 to 2147483647"], shapes={"x": (size,)}, numbers={"x": 1})
    for number in (1e20, 0.5, math.inf):
        good &= refused(path, folder, [f"input 'n' has numbers of the type int64, and {number} is none"], numbers={"n": number})
    good &= refused(path, folder, ["refused.onnx are constants: nothing is left that the network is given"], numbers={"x": 1, "n": 1})
    path.write_text("no graph")
    good &= refused(path, folder, ["is not an ONNX file"])
    good &= refused(folder / "lacking.onnx", folder, ["lacking.onnx cannot be read"])
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
