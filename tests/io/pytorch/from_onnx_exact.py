#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx_exact.py CXX FOLDER: graphs that are near to what tools/from_onnx.py knows, and something else.

Each differs from a known function by a cast, a small constant, a bound, a threshold or the place of an epsilon. What
the tool writes must give what onnxruntime gives for rows that show the difference, and pass its self-test; what it
cannot write it must refuse, in words.
"""
import functools
import pathlib
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

generator = np.random.default_rng(5)
f32 = np.float32


def weights(*shape):
    return (generator.random(shape) - 0.5).astype(f32)


def whole(*numbers):
    return np.array(numbers, np.int64)


def about(size, middle=0.0):
    """Rows of numbers on both sides of one, at most so far from it."""
    return lambda shape: middle + size * (2 * generator.random(shape) - 1)


def below(count):
    return lambda shape: generator.integers(0, count, shape)


def model(text, opset=17, **constants):
    """A graph of x to y, of 4 numbers where the text does not say it."""
    text = text if "=>" in text else f"g (float[N, 4] x) => (float[N, 4] y) {{ {text} }}"
    graph = onnx.parser.parse_graph(text)
    for name, value in constants.items():
        graph.initializer.append(onnx.numpy_helper.from_array(np.asarray(value), name))
    return onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", opset)], ir_version=8)


def of_whole(text, sizes="N, 4", **constants):
    return model(f"g (int64[N, 4] x) => (float[{sizes}] y) {{ {text} }}", **constants)


LN = ("m = ReduceMean <axes = [1]> (b) d = Sub (b, m) q = Mul (d, d) v = ReduceMean <axes = [1]> (q) w = Add (v, e) "
      "s = Sqrt (w) y = Div (d, s)")
RMS = "q = Mul (b, b) v = ReduceMean <axes = [1]> (q) w = Add (v, e) s = Sqrt (w) n = Div (b, s)"
SOFTMAX = "m = ReduceMax <axes = [1]> (b) d = Sub (b, m) p = Exp (d) s = ReduceSum (p, o) n = Div (p, s)"
HALF = model("g (float16[N, 4] x) => (float16[N, 3] y) { a = MatMul (x, w) b = Tanh (a) c = MatMul (b, u) "
             "d = Cast <to = 1> (c) e = Add (d, k) y = Cast <to = 10> (e) }",
             w=weights(4, 9).astype(np.float16), u=weights(9, 3).astype(np.float16), k=weights(3))
CASTS = {  # to conditions: 1 of what is not 0
    "Truth": (model("b = Cast <to = 9> (x) y = Cast <to = 1> (b)"), below(3)),
    "TruthOfWhole": (of_whole("b = Cast <to = 9> (x) y = Cast <to = 1> (b)"), below(5)),
    "TruthBefore": (of_whole("b = Cast <to = 9> (x) u = Unsqueeze (b, o) y = Cast <to = 1> (u)", "N, 1, 4",
            o=whole(1)), below(5)),
    "Untruth": (of_whole("b = Cast <to = 9> (x) n = Not (b) y = Cast <to = 1> (n)"), below(5)),
    "TruthChoice": (of_whole("b = Cast <to = 9> (x) y = Where (b, p, q)", p=weights(4), q=weights(4)), below(5)),
    "TruthAnd": (of_whole("b = Cast <to = 9> (x) k = Greater (x, one) a = And (b, k) c = Cast <to = 9> (a) "
            "d = Or (c, b) e = Cast <to = 6> (d) f = Cast <to = 9> (e) y = Cast <to = 1> (f)",
            one=np.int64(1)), below(5)),
    "Narrower": (of_whole("a = Cast <to = 6> (x) b = Cast <to = 7> (a) y = Gather (t, b)", "N, 4, 2",
            t=weights(5, 2)), below(5)),
}
CONSTANTS = {
    "LogSquares": (model("r = Mul (x, x) a = Add (r, e) y = Log (a)", e=f32(1e-6)), about(1e-3)),
    "LogSigmoids": (model("r = Sigmoid (x) a = Add (r, e) y = Log (a)", e=f32(1e-6)), about(12)),
    "LogSoftmaxes": (model("p = Softmax (x) a = Add (p, e) y = Log (a)", e=f32(1e-7)), about(50)),
    "LogWritten": (model(f"b = Identity (x) {SOFTMAX} a = Add (n, e) y = Log (a)", o=whole(1), e=f32(1e-8)),
            about(50)),
    "Shifted": (model("a = Sub (x, e) y = Mul (a, k)", e=f32(2e-6), k=f32(1e5)), about(1e-4)),
    "Stretched": (model("a = Mul (x, e) b = Sub (a, x) y = Mul (b, k)", e=f32(1 + 2**-20), k=f32(2**17)), about(100)),
    "Roots": (model("r = Mul (x, x) a = Add (r, e) y = Sqrt (a)", e=f32(1e-6)), about(1e-3)),
    "Softsigns": (model("r = Abs (x) a = Add (r, e) y = Div (x, a)", e=f32(1e-6)), about(1e-5)),
    "Activated": (model("a = Selu (x) b = Celu <alpha = 0.5> (a) y = Softsign (b)"), about(1)),
    "ShiftedNorm": (model(f"b = Identity (x) {RMS} a = Add (n, k) r = Mul (a, a) y = Log (r)", e=f32(1e-3),
            k=f32(1e-6)), about(1e-8)),
}
BOUNDS = {
    "ClippedNorm": (model(f"b = Clip (x, l, h) {RMS} y = Identity (n)", e=f32(1e-5), l=f32(-30), h=f32(30)),
            about(100)),
    "BoundedNorm": (model(f"c = Min (x, h) b = Max (c, l) {LN}", e=f32(1e-5), l=f32(-30), h=f32(30)), about(100)),
    "ToppedNorm": (model(f"b = Min (x, h) {LN}", e=f32(1e-5), h=f32(20)), about(100)),
    "ClippedSoftmax": (model(f"b = Clip (x, l, h) {SOFTMAX} y = Identity (n)", o=whole(1), l=f32(-15), h=f32(15)),
            about(60)),
    "ClippedInside": (model("m = ReduceMax <axes = [1]> (x) d = Sub (x, m) c = Clip (d, l) p = Exp (c) "
            "s = ReduceSum (p, o) y = Div (p, s)", o=whole(1), l=f32(-30)), about(60)),
    "Unit": (model("n = ReduceL2 <keepdims = 1, axes = [1]> (x) m = Clip (n, e) y = Div (x, m)", e=f32(1e-9)),
            about(1e-4)),
    "UnitOfFew": (model("n = ReduceL2 <keepdims = 1, axes = [1]> (x) m = Max (n, e) y = Div (x, m)", e=f32(1e-4)),
            about(1e-4)),
    "BoundedDeviation": (model(f"b = Identity (x) {LN}".replace("Add (v, e)", "Max (v, e)"), e=f32(1e-5)),
            about(2e-3)),
    "OutsideRoot": (model(f"b = Identity (x) {LN}".replace("Add (v, e) s = Sqrt (w)", "Sqrt (v) s = Add (w, e)"),
            e=f32(1e-6)), about(1e-5)),
}
PIECES = {
    "FewDigits": (model("a = Div (x, r) b = Erf (a) c = Add (b, k) d = Mul (x, c) y = Mul (d, h)", r=f32(1.41421),
            k=f32(1), h=f32(0.5)), about(9)),
    "Threshold": (model("c = Greater (x, t) y = Where (c, x, z)", t=f32(0.01), z=f32(0)), about(0.02)),
    "Shrunk": (model("a = Abs (x) c = Greater (a, t) y = Where (c, x, z)", t=f32(0.01), z=f32(0)), about(0.02)),
    "Capped": (model("r = Mul (x, x) a = Abs (x) c = Less (a, t) y = Where (c, r, k)", t=f32(40), k=f32(1600)),
            about(100)),
    "CappedTanh": (model("a = Tanh (x) c = Greater (x, t) y = Where (c, k, a)", t=f32(31), k=f32(5)), about(100)),
    "Gap": (model("a = Sub (x, t) b = Abs (a) c = Less (b, u) y = Where (c, z, x)", t=f32(0.55), u=f32(0.04),
            z=f32(0)), about(0.1, 0.55)),
    "Between": (model("a = Greater (x, t) b = Less (x, u) p = Where (a, z, x) q = Where (b, x, p) "
            "y = Where (a, q, x)", t=f32(0.02), u=f32(0.09), z=f32(0)), about(0.3)),
    "LeakyLater": (model("c = GreaterOrEqual (x, t) k = Mul (x, a) y = Where (c, x, k)", t=f32(-0.012),
            a=f32(0.2)), about(0.02)),
    "FarPart": (model("a = Abs (x) c = Greater (a, t) y = Where (c, z, a)", t=f32(60), z=f32(0.25)), about(100)),
}
OTHERS = {
    "FromFar": (model("g (float[N, 8] x) => (float[N, 3] y) { y = Slice (x, a, b, c) }", a=whole(-100), b=whole(3),
            c=whole(1)), about(1)),
    "OneWeight": (model("g (float[N, 3, 4] x) => (float[N, 3, 4] y) { y = LayerNormalization <axis = 1> (x, s) }",
            s=weights(4)), about(1)),
    "TwoTanh": (model("g (float[N, 5, 4] x) => (float[1, N, 2] y) { t = Transpose <perm = [1, 0, 2]> (x) "
            "a, y = RNN <hidden_size = 2, activations = [\"Tanh\", \"Tanh\"]> (t, w, r) }",
            w=weights(1, 2, 4), r=weights(1, 2, 2)), about(1)),
    "RowsOfOne": (model("g (float[3, 4] x) => (float[3, 4] y) { a = LayerNormalization <axis = 1> (x, s, b) "
            "y = RMSNormalization <axis = 0> (a, t) }", 23, s=weights(4), b=weights(4), t=weights(3, 4)), about(1)),
    "Single": (model("g (float x) => (float y) { y = Tanh (x) }"), about(1)),
    "Half": (HALF, about(1)),
    "RuntimeMask": (model("g (float[N, 3, 4] x, float[N, 4] m) => (float[N, 3, 4] y) { u = Unsqueeze (m, o) "
            "n = Sub (k, u) b = Mul (n, far) a = Add (x, b) y = Softmax (a) }",
            o=whole(1), k=f32(1), far=f32(-1e9)), below(2)),
    "AttentionMask": (model("g (float[N, 5, 4] x) => (float[N, 5, 4] y) { "
            "y = Attention <q_num_heads = 2, kv_num_heads = 2> (x, x, x, m) }", 23, m=weights(5, 5)), about(2)),
    "KnownMask": (model("a = Add (x, k) b = Add (a, k) y = Softmax (b)",
            k=np.array([0, np.finfo(f32).min, 0, 0], f32)), about(9)),
    "MaskOfSteps": (model("g (float[N, 3, 4] x) => (float[N, 3, 4] y) { a = Add (x, k) b = Add (a, k) "
            "y = Softmax (b) }", k=np.triu(np.full((3, 4), np.finfo(f32).min, f32), 1)), about(9)),
}
RIGHT = CASTS | CONSTANTS | BOUNDS | PIECES | OTHERS

WHOLE = "it rounds to whole numbers; sinter does not"
INFINITE = "can be infinite or no number where the other one is chosen"
SCALES = "are not 2, as is [2, 8, 8] to [2, 4, 4], and places follow from them; sinter's Upsample has whole ones"
LARGER = ", beside which floats do not differ; use at most 1e30"
ONE_HOT = """g (float[N, 3] x) => (float[N, 3, 2] y) {
    u = Unsqueeze (x, t) e = Equal (u, r) f = Cast <to = 1> (e) y = MatMul (f, w) }"""
MASKED = """g (float[N, 4] x, float[N, 4] m) => (float[N, 4] y) {
    n = Sub (o, m) k = Mul (n, far) a = Add (x, k) y = Softmax (a) }"""
ROWS = """g (float[N, 3, 4] x) => (float[N, 3, 2] y) {
    r = Reshape (x, s) a = Gemm (r, w, c) y = Reshape (a, t) }"""
ENLARGED = "g (float[N, 2, 4, 4] x) => (float[N, 2, 8, 8] y) { y = %s }"
NEAREST = 'Resize <mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"> (x, , s)'
REFUSED = [
    *[(model(text, o=whole(1)), WHOLE) for text in (
        "z = Cast <to = 6> (x) y = Cast <to = 1> (z)", "z = Cast <to = 2> (x) y = Cast <to = 1> (z)",
        "z = Cast <to = 7> (x) u = Cast <to = 1> (z) y = Sub (x, u)",
        "z = Cast <to = 6> (x) u = Cast <to = 7> (z) y = Cast <to = 1> (u)",
        "z = Cast <to = 6> (x) u = Unsqueeze (z, o) v = Cast <to = 1> (u) y = Squeeze (v, o)")],
    (model(f"z = Cast <to = 7> (x) b = Cast <to = 1> (z) {LN}", e=f32(1e-5)), WHOLE),
    (model("g (float[N, 4] x) => (int64[N, 4] y) { y = Cast <to = 7> (x) }"), WHOLE),
    (of_whole("a = Cast <to = 2> (x) y = Cast <to = 1> (a)"), "it makes uint8 of int64, which changes numbers that do"),
    (model(ONE_HOT, t=whole(2), r=np.arange(4, dtype=f32), w=weights(4, 2)), "(op Equal): "),
    (model("e = Exp (x) c = Greater (x, t) y = Where (c, k, e)", t=f32(50), k=f32(7)), INFINITE),
    (model("e = Log (x) c = Greater (x, z) y = Where (c, e, z)", z=f32(0)), INFINITE),
    *[(model(ENLARGED % text, opset, s=np.array([1, 1, 2.1, 2.1], f32)), SCALES) for text, opset in (
        (NEAREST, 17), ('Resize <mode = "linear"> (x, , s)', 17), ("Resize (x, s)", 10), ("Upsample (x, s)", 9))],
    (model("y = Add (x, k)", k=f32(1e35)), "(op Add): it adds 1e+35" + LARGER),
    (model(MASKED, o=f32(1), far=f32(-3.4e38)), "(op Mul): it multiplies by 3.4e+38" + LARGER),
    (model("a = Mul (x, w) y = Relu (a)", w=np.array([np.inf, 1, 1, 1], f32)), "(op Mul): it multiplies by inf"),
    (model("a = Mul (x, w) r = Relu (a) y = Where (c, r, x)", w=np.array([np.nan, 1, 1, 1], f32),
           c=np.array([False, True, True, True])), "(op Mul): its constant has what is no number"),
    (model("a = MatMul (x, w) y = Tanh (a)", w=np.array([[np.inf, 1, 1, 1]] * 4, f32)),
     "(op MatMul): its weights have NaN or infinity, which load() refuses"),
    (model("g (float[N, 3, 4] x) => (float[N, 3, 1] m) { y, m = LayerNormalization (x, s) }", s=weights(4)),
     "its mean or its deviation is read"),
    (model("g (float[N, 3, 4] x) => (float[N, 3, 4] y) { y = LayerNormalization (x, s) }", s=weights(3, 4)),
     "a weight or bias of the sizes [3, 4] for the normalised sizes [4]"),
    (model("g (float[3, 3, 4] x) => (float[3, 3, 4] y) { y = InstanceNormalization (x, s, b) }", s=weights(3),
           b=weights(3)), "its value 'x' of the sizes [3, 3, 4] has no batch as its first size"),
    (model(ROWS, s=whole(3, 4), t=whole(-1, 3, 2), w=weights(4, 2), c=weights(3, 1)),
     "its C of the sizes [3, 1] differs from row to row"),
]


def wanted_of(graph, make, count=9):
    """Rows, with several inputs side by side, and what onnxruntime gives of them."""
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    kinds, rows, wanted = {"tensor(int64)": np.int64, "tensor(float16)": np.float16}, [], []
    for _ in range(count):
        given = {}
        for entry in session.get_inputs():
            shape = [size if isinstance(size, int) else 1 for size in entry.shape]
            given[entry.name] = np.asarray(make(shape)).astype(kinds.get(entry.type, f32))
        rows += [x.reshape(-1) for x in given.values()]
        wanted += [y.reshape(-1) for y in session.run(None, given)]
    return np.concatenate(rows), np.concatenate(wanted).astype(np.float64)


def near(given, wanted, error):
    """Whether numbers are those that are wanted, but for this error of each and a hundredth of that of the largest."""
    return given.shape == wanted.shape and np.allclose(given, wanted, rtol=error,
            atol=error / 100 * np.abs(wanted).max())


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    good, wanted = True, {}
    for name, (graph, make) in RIGHT.items():
        onnx.save(graph, path := folder / f"{name}.onnx")
        try:
            from_onnx.convert(path, name, folder)
        except from_onnx.Refused as problem:
            good &= check(False, f"{name}: refused: {problem}")
            continue
        rows, wanted[name] = wanted_of(graph, make)
        (folder / f"{name}.rows").write_bytes(rows.astype("<f4").tobytes())
    for name, values in converted.outputs(cxx, root, folder, list(wanted)).items():
        good &= check(near(np.array(values), wanted[name], 5e-3 if name == "Half" else 2e-4),
                f"{name}: sinter gives what onnxruntime gives")
    path = folder / "refused.onnx"
    for graph, text in REFUSED:
        onnx.save(graph, path)
        good &= refused(path, folder, [text])
    onnx.save(model("z = Relu (x) y = Tanh (z)"), path)
    good &= refused(path, folder, ["'z' was given twice"], ends=["z", "z"])
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
