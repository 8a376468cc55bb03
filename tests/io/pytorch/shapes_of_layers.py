#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""shapes_of_layers.py CXX FOLDER: the shapes that tools/layer_shapes.py says layers take and give, against those that the compiler has.

Random layers on random shapes become static_asserts on what the compiler makes of each: its shape, or that the layer does not take it.
Those that fit, one after another, become networks, whose outputs are compared, too.
"""
import pathlib
import random
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import layer_shapes  # noqa: E402
from converted import check, flags  # noqa: E402

chance = random.Random(5)
INPUTS = [(3,), (2, 4), (1, 2, 5)]
KNOWN = {"shared": {"Tower": layer_shapes.parsed("Path<Linear<6>, ReLU>")}, "inputs": INPUTS}
# Layers with numbers that they do not have, or just have.
BOUNDED = {
    (4,): ["Dropout<1.5>", "Dropout<1.0>", "GRUCell<0>", "GRUCell<1048577>", "LayerNorm<Epsilon<0.0>>"], (4, 3): ["BatchNorm1d<Momentum<1.5>>", "BatchNorm1d<Momentum<1.0>>", "BatchNorm1d<Epsilon<-0.1>>"],
    (3, 4): ["MultiheadAttention<4, 2, WithDropout<1.0>>", "MultiheadAttention<4, 2, WithDropout<0.5>>", "MultiheadAttention<4, 0>", "TransformerEncoderLayer<4, 2, 5, WithDropout<1.0>>",
             "TransformerEncoderLayer<4, 2, 0>", "TransformerEncoderLayer<4, 2, 5, Epsilon<0.0>>", "GRU<0>", "LSTM<2, DropoutBetween<0.5>>", "LSTM<2, NumLayers<2>, DropoutBetween<1.5>>",
             "LSTM<2, NumLayers<2>, DropoutBetween<1.0>>", "MatrixProduct<Path<>, Path<>, TransposeSecond, Factor<0.0>>", "MatrixProduct<Path<>, Path<>, TransposeSecond, Factor<0.5>>", "Upsample<0>",
             "MultiheadAttention<2097152, 2>", "GRU<1048577>", "LSTM<2147483647>", "Conv1d<2, 2, Dilation<16777216>, Causal>", "Conv1d<2, 2, Dilation<16777215>, Causal>", "Conv1d<2, 2, Padding<16777217>>", "Conv1d<2, 2, Stride<16777217>>"],
    (4, 2, 2): ["PixelShuffle<0>", "PixelUnshuffle<0>", "PixelUnshuffle<2>", "Conv2d<2, 2, Padding<16777217>>", "Conv2d<2, 2, Dilation<2147483647>>"],
}
# Those whose functors assert it.
ASSERTED = {"ELU": ["ELU<-1.0>", "ELU<1e999>", "ELU<1e39>", "Activation<fn::ELU<-1.0>>"], "LeakyReLU": ["LeakyReLU<1e999>", "LeakyReLU<-1e39>"], "Hardtanh": ["Hardtanh<1.0, -1.0>", "Hardtanh<0.5, 0.5>"], "Pow": ["Activation<fn::Pow<1e9>>", "Activation<sinter::fn::~Pow<-1e+10>>"],
            "Softplus": ["Softplus<-1.0, 20.0>", "Softplus<0.0, 20.0>", "Softplus<1e999, 20.0>", "Softplus<1e-40, 20.0>"]}
BEGIN = """#include <sinter/inference.hpp>
using namespace sinter;
using sinter::internal::features, sinter::internal::series, sinter::internal::image;
struct Both : Inputs<Input<3>, Input<2, 4>, Input<1, 2, 5>> {};
struct Tower : Shared<Linear<6>, ReLU> {};
template <class Layer>
constexpr auto after(sinter::internal::Dims in) {
  return sinter::internal::detail::Chain<Layer>::result(in);
}
template <class Net>
inline constexpr auto output = sinter::internal::Program<Net>::output;
"""


def some(*numbers):
    return chance.choice(numbers)


def text(name, *arguments):
    return f"{name}<{', '.join(str(one) for one in arguments if one is not None)}>"


def maybe(name, *numbers):
    return text(name, *numbers) if some(True, False) else None


def sizes(rank, name, *numbers):
    """An option with one number, or two."""
    return maybe(name, *[some(*numbers) for _ in range(some(1, 2) if rank == 2 else 1)])


def window(rank):
    return text("Kernel", some(1, 2, 3), some(1, 3, 5)) if rank == 2 and some(True, False) else some(1, 2, 3, 4)


def convolution(rank):
    groups = some(None, None, "Groups<2>", "Groups<3>")
    causal = some(True, False, False) if rank == 1 else False
    return text(f"Conv{rank}d", some(2, 3, 6), window(rank), sizes(rank, "Stride", 1, 2, 3), "Causal" if causal else sizes(rank, "Padding", 0, 1, 2), sizes(rank, "Dilation", 1, 2), groups,
                some(None, "NoBias"))


def transposed():
    return text("ConvTranspose2d", some(2, 3, 6), window(2), sizes(2, "Stride", 1, 2, 3), sizes(2, "Padding", 0, 1, 2), sizes(2, "OutputPadding", 0, 1, 2), sizes(2, "Dilation", 1, 2),
                some(None, "Groups<2>"))


def pool(rank):
    return text(some("MaxPool", "AvgPool") + f"{rank}d", window(rank), sizes(rank, "Stride", 1, 2, 3), sizes(rank, "Padding", 0, 1, 2))


def adaptive(rank):
    return text(some("AdaptiveAvgPool", "AdaptiveMaxPool") + f"{rank}d", *[some(1, 2, 3, 7) for _ in range(some(1, rank))])


def recurrent(final=True):
    hidden, name = some(2, 3, 5), some("RNN", "GRU", "LSTM")
    return text(name, hidden, maybe("ProjectionSize", 2) if name == "LSTM" and hidden > 2 else None, maybe("NumLayers", some(1, 2)), some(None, "Bidirectional"),
                some(None, "FinalState") if final else None, some(None, "NoBias"))


def normalisation():
    return some(text("LayerNorm", maybe("NormalizedShape", *[some(2, 3, 4, 6) for _ in range(some(1, 2))]), maybe("Epsilon", 1e-3)), text("RMSNorm", text("NormalizedShape", some(2, 3, 4, 6))),
                text("GroupNorm", some(0, 1, 2, 3)), text("InstanceNorm1d"), text("InstanceNorm2d"), text("BatchNorm1d"), text("BatchNorm2d", maybe("Momentum", 0.2)))


def moved():
    orders = ["0, 1", "0, 2, 1", "0, 1, 2", "0, 3, 1, 2", "0, 2, 3, 1", "0, 3, 2, 1"]
    dims = [some(1, 2, 3, -1, -2) for _ in range(some(1, 2))]
    return some(text("Permute", some(*orders)), text("Transpose", some(1, 2, -1), some(1, 2, 3, -2)), text("Flip", *dims), text("Mean", *dims), text("Sum", *dims),
                text("Slice", some(0, 1, 2), some(1, 2, 3), some(None, 1, 2, 3, -1)), text("SoftmaxAlong", dims[0]), text("LogSoftmaxAlong", dims[0]))


def padded():
    rank = some(1, 2)
    count = some(1, 2 * rank)
    return text(some("ZeroPad", "ReflectionPad", "ReplicationPad") + f"{rank}d", *[some(0, 1, 2, 3) for _ in range(count)])


def path(shape, longest=2):
    """Layers of which most fit."""
    layers = []
    for _ in range(some(*range(longest + 1))):
        layer = of_shape(shape)
        try:
            shape = layer_shapes.after(layer, shape, KNOWN)
        except layer_shapes.Misfit:
            if some(True, True, False):
                continue
        layers.append(layer)
    return text("Path", *layers)


def with_paths(shape):
    first, second = path(shape), path(shape)
    steps = text("Path", *([text("Reshape", *[n for n in shape if n > 1] or [1], some(1, 2))] if some(True, False) else []))
    branches = [one for one in (text("InitialState", *(["Flatten"] if len(shape) > 1 else []), text("Linear", some(2, 3, 4, 5, 6))) if some(True, False) else None,
                                text("Lengths", *(["Flatten"] if len(shape) > 1 else []), text("Slice", 0, some(1, 1, 2))) if some(True, False) else None) if one]
    return some(text("Concat", first, second, *([path(shape)] if some(True, False) else [])), text("Concat", first, first), text("Product", first, first), text("Product", first, second),
                text("Maximum", first, first), text("Maximum", first, second),
                text("Residual", first), text("Residual", first, second.replace("Path", "Shortcut", 1)), text("Residual", text("Path", "ReLU")), text("Concat", first),
                text("MatrixProduct", first, second, some(None, "TransposeFirst", "TransposeSecond"), some(None, "Factor<0.5>", "Causal")),
                text("MatrixProduct", "Path<>", "Path<>", some("TransposeFirst", "TransposeSecond")), text("Heads", first, second), text("Heads", first, text("Named", '"a > b, \\"c"', second)),
                text("Recurrent", recurrent(), steps, *branches))


def of_shape(shape):
    """A layer that may take a shape."""
    kinds = [lambda: some("ReLU", "GELU", "LeakyReLU<0.1>", "Softplus<1.0, 20.0>", "Activation<sinter::fn::Square>", "PReLU<>", "PReLU<PerChannel>", "Hardtanh<-1.0, 2.5>", "ELU<1.0>", "Dropout<0.25>",
                          "Dropout2d<0.5>", "Softmax", "LogSoftmax", "Tower"),
             lambda: text("Linear", some(1, 4, 6)), lambda: text("PositionwiseLinear", some(1, 4, 6), some(None, "NoBias")), lambda: "Flatten",
             lambda: text("Reshape", *some([6], [2, 3], [3, 2, 1], [layer_shapes.product(shape)], [1, layer_shapes.product(shape)], [layer_shapes.product(shape), 1, 1])),
             lambda: text("Embedding", some(4, 10), some(2, 3), some(None, "ChannelsFirst")), lambda: convolution(1), lambda: convolution(2), transposed, lambda: pool(1), lambda: pool(2),
             lambda: adaptive(1), lambda: adaptive(2), recurrent, normalisation, moved, moved, padded, lambda: text("Upsample", some(1, 2, 3), *some([], ["Bilinear"], ["Bilinear", "AlignCorners"])),
             lambda: text("PixelShuffle", some(1, 2, 3)), lambda: text("PixelUnshuffle", some(1, 2, 3)), lambda: text(some("LSTMCell", "GRUCell"), some(1, 2, 3)),
             lambda: text("MultiheadAttention", some(shape[-1], 4), some(1, 2), some(None, "Causal")),
             lambda: text("TransformerEncoderLayer", some(shape[-1], 4), some(1, 2), 5, some(None, "NormFirst"), some(None, "WithActivation<GELU>"), "WithDropout<0.1>"),
             lambda: "PositionalEncoding", lambda: text("PositionEmbedding", *some(shape, (3, 4)) if len(shape) == 2 else (3, 4)), lambda: text("TakeInput", "Both", some(0, 1, 2))]
    return some(*kinds)()


def dims(shape):
    return f"{('features', 'series', 'image')[len(shape) - 1]}({', '.join(map(str, shape))})" if shape else "sinter::internal::Dims{}"


def shape_by_rules(layer, shape):
    try:
        return layer_shapes.after(layer, shape, KNOWN)
    except layer_shapes.Misfit:
        return None


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    shapes = [(6,), (19,), (1,), (9,), (3, 4), (2, 3), (6, 9), (1, 8), (4, 1), (3, 5, 6), (4, 8, 8), (2, 1, 4), (6, 3, 3), (12, 2, 1), (21,)]
    cases, networks, taken, refused = {}, [], set(), set()
    for round_ in range(1500):
        begin = shape = some(*shapes)
        layers = []
        for _ in range(4):
            layer = with_paths(shape) if some(*[False] * 5, True) else of_shape(shape)
            after = shape_by_rules(layer, shape)
            cases[layer, shape] = after
            (taken if after else refused).add(layer.split("<")[0])
            if after and layer_shapes.product(after) < 2000 and not layer.startswith("TakeInput"):
                layers.append(layer)
                shape = after
        if layers and round_ % 50 == 0:
            networks.append((begin, layers, shape))
    cases[text("Linear", 3), (1 << 20,)] = (3,)
    cases |= {(layer, shape): shape_by_rules(layer, shape) for shape, layers in BOUNDED.items() for layer in layers}
    lines = [f"static_assert(after<{layer}>({dims(shape)}) == {dims(after)});" for (layer, shape), after in cases.items()]
    lines += [f"struct Net{i} : Sequential<Input<{', '.join(map(str, begin))}>, {', '.join(layers)}> {{}};\nstatic_assert(output<Net{i}> == {dims(end)});" for i, (begin, layers, end) in enumerate(networks)]
    lacking = set(layer_shapes.RULES) - taken - {"Path"} - {"Tanh", "Sigmoid", "SiLU", "Hardswish", "Hardsigmoid", "ReLU6", "GELUTanh"}
    good = check(not lacking, f"layers of all rules took some shape{', but for ' + ', '.join(sorted(lacking)) if lacking else ''}")
    good &= check(len(refused) > 35, f"{sum(after is None for after in cases.values())} of {len(cases)} layers, of {len(refused)} kinds, do not take their shape; {len(networks)} networks")
    source = folder / "shapes.cpp"
    source.write_text(BEGIN + "\n".join(lines) + "\n")
    said = subprocess.run([cxx, *flags(root, folder), "-fsyntax-only", "-fmax-errors=20" if "clang" not in cxx else "-ferror-limit=20", source], capture_output=True, text=True)
    good &= check(said.returncode == 0, f"the compiler has the same shapes {said.stderr[:6000]}")

    functors = {path.stem: path.read_text() for path in (root / "include/sinter/fn").glob("*.hpp")}
    asserting = {name for text in functors.values() if "static_assert" in text for name in layer_shapes.re.findall(r'"sinter: (\w+)<', text)}
    good &= check(asserting == set(layer_shapes.BOUNDS) == set(ASSERTED), f"the rules have the bounds of all functors that assert some: {', '.join(sorted(asserting))}")
    given = [layer for layers in ASSERTED.values() for layer in layers]
    good &= check(all(shape_by_rules(layer, (4,)) is None for layer in given), f"what these do not take is no layer: {', '.join(given)}")
    outside = source.with_name("outside.cpp")
    outside.write_text(BEGIN + "\n".join(f"struct Outside{i} : Sequential<Input<4>, {layer.replace('~', '')}> {{}};\ntemplate class sinter::Network<Outside{i}>;" for i, layer in enumerate(given)) + "\n")
    said = subprocess.run([cxx, *flags(root, folder), "-fsyntax-only", outside], capture_output=True, text=True).stderr
    good &= check(all(f"sinter: {name}<" in said for name in ASSERTED), "and the compiler refuses them")

    wrong = source.with_name("wrong.cpp")  # the comparison sees what differs
    wrong.write_text(BEGIN + "static_assert(after<Linear<4>>(features(3)) == features(5));\n")
    good &= check(subprocess.run([cxx, *flags(root, folder), "-fsyntax-only", wrong], capture_output=True).returncode != 0, "another shape is noticed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
