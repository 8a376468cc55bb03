#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx.py CXX FOLDER: what tools/from_onnx.py makes of ONNX graphs, compiled and run.

Each graph becomes a header and weights; one program has all of them, loads the weights (whose self-test is replayed) and
gives what onnxruntime gives for other rows. Then what is refused, with its node, operator and reason.
"""
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

generator = np.random.default_rng(3)


def weights(*shape):
    return (generator.random(shape) - 0.5).astype(np.float32)


def model(text, opset=17, **constants):
    """A graph in ONNX's text form, with its constants."""
    graph = onnx.parser.parse_graph(text)
    for name, value in constants.items():
        graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(value), name))
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)


def positive(*shape):
    return (generator.random(shape) + 0.5).astype(np.float32)


def whole(*numbers):
    return np.array(numbers, np.int64)


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
    "Upward": (model("""upward (float[N, 6] x) => (float[N, 2, 5, 5] y) {
        a = Reshape (x, sizes) b = ConvTranspose <strides = [2, 2], kernel_shape = [3, 3], output_padding = [1, 1]> (a, w, c)
        d = ConvTranspose <kernel_shape = [2, 2]> (b, u) e = Dropout (d) f = Mul (e, s)
        y = HardSwish (f) }""", sizes=whole(0, 6, 1, 1), w=weights(6, 4, 3, 3), c=weights(4), u=weights(4, 2, 2, 2), s=weights(2, 1, 1)),
        "ConvTranspose2d<4, 3, sinter::Stride<2>, sinter::OutputPadding<1>>"),
}

TWO = model("two (float[N, 3] x, float[N, 3] z) => (float[N, 3] y) { a = Relu (x) b = Tanh (z) c = Add (a, b) y = Sigmoid (c) }")
REFUSED = [
    (model("g (float[N, 4] x) => (float[N, 4] y) { a = Cos (x) b = Sin (a) y = Tan (b) }", 18),
     ["(op Tan): sinter has no layer", "(op Sin): sinter has no layer", "(op Cos): sinter has no layer"]),
    (TWO, ["the graph has the inputs ['x', 'z']", "--from"]),
    (model("g (float[N, 4, T] x) => (float[N, 4, T] y) { y = Relu (x) }"), ["input 'x' has an open size, number 2 (T)", "--shape x=SIZES"]),
    (model("g (float[N, 2, 4, 4] x) => (float[N, 2, 4, 4] y) { y = Conv <pads = [1, 1, 0, 0]> (x, w) }", w=weights(2, 2, 2, 2)),
     ["(op Conv): pads of [1, 1] before and [0, 0] after"]),
    (model("g (float[N, 2, 4] x) => (float[N, 4, 2] y) { y = Transpose <perm = [0, 2, 1]> (x) }"), ["(op Transpose): it moves sizes ([0, 2, 1])"]),
    (model("g (float[N, 4, 6] x) => (float[N, 4, 3] y) { y = MatMul (x, w) }", w=weights(6, 3)), ["(op MatMul): it multiplies samples"]),
    (model("g (float[N, 2, 3] x) => (float[N, 2, 3] y) { y = Add (x, c) }", c=weights(2, 3)), ["(op Add): its constant", "differs within a channel"]),
    (model("g (float[N, 1, 4] x) => (float[N, 1, 6] y) { a = Pad <mode = \"reflect\"> (x, p) y = Relu (a) }", p=whole(0, 0, 1, 0, 0, 1)),
     ["(op Pad): it pads in the mode 'reflect'"]),
    (model("g (float[N, 3] x) => (float[N, 3] y) { a = Tanh (x) y = Sub (x, a) }"), ["(op Sub): it subtracts two values"]),
    (model("g (float[N, 2, 6, 6] x) => (float[N, 2, 3, 3] y) { y = MaxPool <kernel_shape = [3, 3], strides = [2, 2], ceil_mode = 1> (x) }"),
     ["(op MaxPool): ceil_mode"]),
    (model("g (float[N, 3] x) => (float[N, 3] y) { y = Relu (x) }", 8), ["is of opset 8; known are 9 to 23"]),
]

def wanted_of(session, rows):
    name = session.get_inputs()[0].name
    return np.concatenate([np.concatenate([y.reshape(-1) for y in session.run(None, {name: row[None]})]) for row in rows])


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    wanted, good = {}, True
    cases = [(name, graph, text, {}) for name, (graph, text) in MODELS.items()]
    cases.append(("Part", TWO, "Input<3>, sinter::Sigmoid", {"begin": "c"}))
    for name, graph, text, options in cases:
        path = folder / f"{name}.onnx"
        onnx.save(graph, path)
        if options:
            subprocess.run([sys.executable, root / "tools" / "from_onnx.py", path, name, folder, "--from", options["begin"]], check=True)
            graph = model("part (float[N, 3] c) => (float[N, 3] y) { y = Sigmoid (c) }")
        else:
            from_onnx.convert(path, name, folder)
        header = (folder / f"{name}.hpp").read_text().replace("\n    ", " ")
        good &= check(text in header, f"{name}: the header says {text}")
        session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
        given = session.get_inputs()[0]
        shape = (9, *given.shape[1:])
        x = generator.integers(0, 2, shape) if "int" in given.type else (generator.random(shape) * 4 - 2).astype(np.float32)
        wanted[name] = wanted_of(session, x)
        (folder / f"{name}.rows").write_bytes(x.astype("<f4").tobytes())

    for name, values in converted.outputs(cxx, root, folder, list(wanted)).items():
        given, numbers = np.array(values), wanted[name]
        error = np.linalg.norm(given - numbers) / np.linalg.norm(numbers) if given.shape == numbers.shape else np.inf
        good &= check(error < 3e-6, f"{name}: sinter gives what onnxruntime gives, relative error {error:.1e}")
    subprocess.run([cxx, *converted.flags(root, folder), folder / "Part.cpp", "-o", folder / "part"], check=True)
    said = subprocess.run([folder / "part"], cwd=folder, check=True, capture_output=True, text=True).stdout
    good &= check(said == "y: 0.5 ..\n", f"the program made for Part prints {said!r}")

    for graph, texts in REFUSED:
        path = folder / "refused.onnx"
        onnx.save(graph, path)
        good &= refused(path, folder, texts)
    path.write_text("no graph")
    good &= refused(path, folder, ["is no ONNX file"])
    good &= refused(folder / "lacking.onnx", folder, ["lacking.onnx cannot be read"])
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


def refused(path, folder, texts):
    try:
        from_onnx.convert(path, "Refused", folder)
        said = "(nothing)"
    except from_onnx.Refused as problem:
        said = str(problem)
    return check(all(text in said for text in texts), f"refused: {said}")


if __name__ == "__main__":
    sys.exit(main())
