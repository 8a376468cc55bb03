#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes tests/support/random_graphs.hpp: networks drawn by seed, each of a few layers of every kind that go together.

    python3 tests/support/make_random_graphs.py > tests/support/random_graphs.hpp

A bias right before a normalisation has no gradient to compare, nor has a single weight: there are none. Between two layers with
weights stands an activation, so that it does not get there on a straight way either.
"""
import random
import sys

GRAPHS, SEQUENCES = 48, 12  # the latter have recurrent layers


class Graph:
    """Draws the layers of one network. A shape is (features), (channels, length) or (channels, height, width)."""

    def __init__(self, seed):
        self.seed, self.random = seed, random.Random(seed)
        self.shared = []  # declarations in front of the network

    def pick(self, *choices):
        return choices[int(self.random.random() * len(choices))]

    def number(self, low, high):
        return low + int(self.random.random() * (high - low + 1))

    def activation(self):
        return self.pick("ReLU", "ReLU", "Tanh", "Sigmoid", "SiLU")

    def share(self, *layers):
        self.shared.append(f"struct Shared{self.seed} : Shared<{', '.join(layers)}> {{}};")
        return f"Shared{self.seed}"

    def features(self, n):
        """A block of layers on n features, and how many it makes."""
        act, m = self.activation(), self.number(1, 12)
        kind = self.pick("linear", "norm", "mask", "residual", "shortcut", "concat", "concat", "shared", "highway", "slice", "product", "power")
        if kind == "shared" and self.shared:
            kind = "residual"
        if kind == "linear":
            return [f"Linear<{m}>", act], m
        if kind == "norm":
            return self.pick(([f"Linear<{m}, NoBias>", "BatchNorm1d<>", act], m), ([f"Linear<{m + 3}, NoBias>", "LayerNorm<>", act], m + 3))
        if kind == "mask":
            return [f"Linear<{m}>", "Dropout<0.3>", act], m
        if kind == "residual":
            return [f"Residual<Path<Linear<{m}>, {act}, Linear<{n}>>>", self.activation()], n
        if kind == "shortcut":
            path = self.pick(f"Linear<{m}, NoBias>, BatchNorm1d<>, {act}", f"Linear<{n + 1}>, {act}, Linear<{m}>")
            return [f"Residual<Path<{path}>, Shortcut<Linear<{m}>>>", self.activation()], m
        if kind == "concat":
            k = self.number(1, 4)
            paths = self.pick((f"Path<>, Path<Linear<{m}>, {act}>", n + m), (f"Path<Linear<{m}>, {act}>, Path<Dropout<0.4>>, Path<Linear<{k}>>", m + n + k),
                              (f"Path<Tanh>, Path<Residual<Path<Linear<{n}>>>>", 2 * n))
            return [f"Concat<{paths[0]}>", act], paths[1]
        if kind == "shared":
            name = self.share(f"Linear<{n}>", self.pick("Tanh", "Sigmoid"))
            return [name, self.pick("Dropout<0.2>", "LayerNorm<>") if n > 3 else act, name], n
        if kind == "highway":
            return [f"Highway<Path<Linear<{n}>, {act}>, Path<Linear<{n}>>>"], n
        if kind == "product":
            return [f"Product<Path<Linear<{m}>, Sigmoid>, Path<Linear<{m}>>>"], m
        if kind == "power":
            power = self.pick("Square", "Pow<3.0>", "Exp")
            return [f"Linear<{m}>", "Tanh", f"Activation<fn::{power}>"], m
        half = (n + 1) // 2
        return [f"Concat<Path<Slice<0, {half}>, Linear<{m}>>, Path<Slice<{n - half}, {half}>>>", act], m + half

    def image(self, shape):
        c, h, w = shape
        act, m, k = self.activation(), self.number(1, 6), self.number(1, 3)
        kind = self.pick("convolution", "convolution", "norm", "norm", "pool", "residual", "shortcut", "concat", "concat", "shared", "grow", "groups",
                         "product", "pad", "upsample", "shuffle", "permute", "last", "along", "adaptive", "patches")
        if kind == "shared" and self.shared:
            kind = "residual"
        if kind in ("pool", "shortcut", "patches") and min(h, w) < 3 or kind in ("grow", "upsample", "shuffle") and max(h, w) > 5:
            kind = "norm"
        k = min(k, h, w)
        if c == 1 and (kind == "last" or kind == "norm" and k == 1):  # a single weight, which the norm takes away
            kind = "convolution"
        if kind == "convolution":
            s = self.number(1, 2) if min(h, w) > 4 else 1
            p = k // 2
            out = [(side + 2 * p - k) // s + 1 for side in (h, w)]
            return [f"Conv2d<{m}, {k}, Padding<{p}>, Stride<{s}>>", act], (m, *out)
        if kind == "norm":
            norm = self.pick("BatchNorm2d<>", "BatchNorm2d<>", f"GroupNorm<{2 if m % 2 == 0 else 1}>")
            return [f"Conv2d<{m}, {k}, NoBias>", norm, act], (m, h - k + 1, w - k + 1)
        if kind == "pool":
            pool = self.pick(("MaxPool2d<2>", 2, 2, 0), ("AvgPool2d<2>", 2, 2, 0), ("MaxPool2d<3, Stride<2>, Padding<1>>", 3, 2, 1))
            layers = [f"Conv2d<{m}, 3, Padding<1>>", pool[0], act] if self.pick(0, 1) else [f"Conv2d<{m}, 1>", "Dropout2d<0.3>", act, pool[0]]
            return layers, (m, *((side + 2 * pool[3] - pool[1]) // pool[2] + 1 for side in (h, w)))
        if kind == "residual":
            first = self.pick(f"Conv2d<{m}, 3, Padding<1>>", f"Conv2d<{m}, 3, Padding<1>, NoBias>, BatchNorm2d<>")
            return [f"Residual<Path<{first}, {act}, Conv2d<{c}, 3, Padding<1>>>>", self.activation()], shape
        if kind == "shortcut":
            options = self.pick(f"3, Stride<2>, Padding<1>, NoBias>, BatchNorm2d<>, {act}", f"3, Stride<2>, Padding<1>>, {act}, Conv2d<{m}, 1>")
            return [f"Residual<Path<Conv2d<{m}, {options}>, Shortcut<Conv2d<{m}, 1, Stride<2>>>>", self.activation()], (m, (h + 1) // 2, (w + 1) // 2)
        if kind == "concat":
            paths = self.pick((f"Path<>, Path<Conv2d<{m}, 3, Padding<1>>, {act}>", c + m),
                              (f"Path<Conv2d<{m}, 1>>, Path<MaxPool2d<3, Stride<1>, Padding<1>>>", m + c),
                              (f"Path<Conv2d<{m}, 3, Padding<1>>, {act}>, Path<Dropout2d<0.4>>, Path<Residual<Path<Conv2d<{c}, 1>>>>", m + 2 * c))
            return [f"Concat<{paths[0]}>", self.activation()], (paths[1], h, w)
        if kind == "shared":
            name = self.share(f"Conv2d<{c}, 3, Padding<1>>", self.pick("Tanh", "SiLU"))
            return [name, self.pick("Dropout<0.2>", "Sigmoid"), name], shape
        if kind == "product":
            return [f"Product<Path<Conv2d<{m}, 1>, Sigmoid>, Path<Conv2d<{m}, 3, Padding<1>>>>"], (m, h, w)
        if kind == "pad":
            pad = self.pick("ZeroPad2d", "ReplicationPad2d") if min(h, w) < 2 else self.pick("ZeroPad2d", "ReflectionPad2d", "ReplicationPad2d")
            return [f"{pad}<1>", f"Conv2d<{m}, {k}>", act], (m, h + 3 - k, w + 3 - k)
        if kind == "upsample":
            return [self.pick("Upsample<2>", "Upsample<2, Bilinear>"), f"Conv2d<{m}, 3>", act], (m, 2 * h - 2, 2 * w - 2)
        if kind == "shuffle":
            return [f"Conv2d<{4 * k}, 1>", act, "PixelShuffle<2>"], (k, 2 * h, 2 * w)
        if kind == "permute":
            return [f"Conv2d<{m}, 1>", act] + self.pick(["Permute<0, 2, 1, 3>"], ["Transpose<1, 2>", "PReLU<>"]), (h, m, w)
        if kind == "last":  # along the last dimensions
            norm = self.pick(f"RMSNorm<NormalizedShape<{w}>>", f"LayerNorm<NormalizedShape<{h}, {w}>>")
            return [f"Conv2d<{m}, 1, NoBias>", norm, act], (m, h, w)
        if kind == "along":
            return [f"Conv2d<{m + 1}, {k}, NoBias>", f"SoftmaxAlong<{self.number(1, 3)}>"], (m + 1, h - k + 1, w - k + 1)
        if kind == "adaptive":
            pool = self.pick("AdaptiveMaxPool2d", "AdaptiveAvgPool2d")
            return [f"Conv2d<{m}, 1>", act, f"{pool}<{(h + 1) // 2}, {(w + 1) // 2}>"], (m, (h + 1) // 2, (w + 1) // 2)
        if kind == "patches":  # a stride as wide as the window
            side = min(h, w, 3)
            return [f"Conv2d<{4 * m}, {side}, Stride<{side}>>", act], (4 * m, (h - side) // side + 1, (w - side) // side + 1)
        if kind == "grow":
            return [f"ConvTranspose2d<{m}, 2, Stride<2>>", act], (m, 2 * h, 2 * w)
        return [f"Conv2d<{2 * c}, {k}, Groups<{c}>>", act], (2 * c, h - k + 1, w - k + 1)

    def series(self, shape):
        c, length = shape
        act, m, k = self.activation(), self.number(1, 6), self.number(1, min(4, length))
        kind = self.pick("causal", "convolution", "norm", "pool", "residual", "concat", "transpose", "attention", "flip", "product")
        if kind == "pool" and length < 4 or kind == "attention" and length < 2:
            kind = "causal"
        if kind == "transpose":
            return ["Transpose<1, 2>", f"Conv1d<{m}, 1>", act], (m, c)
        if kind == "attention":
            heads = self.pick(1, 2) if length % 2 == 0 else 1
            return [f"Residual<Path<MultiheadAttention<{length}, {', '.join([str(heads), *self.pick([], ['Causal'])])}>>>", "LayerNorm<>"], shape
        if kind == "flip":
            return [f"Conv1d<{m}, {k}>", act, "Flip<-1>"], (m, length - k + 1)
        if kind == "product":
            return [f"Product<Path<Conv1d<{m}, {k}, Causal>, Sigmoid>, Path<Conv1d<{m}, 1>, Tanh>>"], (m, length)
        if kind == "causal":
            return [f"Conv1d<{m}, {k}, Causal, Dilation<{self.number(1, 2)}>>", act], (m, length)
        if kind == "convolution":
            s = self.number(1, 2) if length > 5 else 1
            return [f"Conv1d<{m}, {k}, Padding<{k // 2}>, Stride<{s}>>", act], (m, (length + 2 * (k // 2) - k) // s + 1)
        if kind == "norm":
            return [f"Conv1d<{m}, {k}, NoBias>", self.pick("BatchNorm1d<>", "GroupNorm<1>"), act], (m, length - k + 1)
        if kind == "pool":
            return [f"Conv1d<{m}, 1>", act, self.pick("MaxPool1d<2>", "AvgPool1d<2>")], (m, length // 2)
        if kind == "residual":
            return [f"Residual<Path<Conv1d<{m}, {k}, Causal>, {act}, Conv1d<{c}, 1>>>", self.activation()], shape
        return [f"Concat<Path<>, Path<Conv1d<{m}, {k}, Causal>, {act}>>", self.activation()], (c + m, length)

    def recurrent(self, most=9, *more):
        """A recurrent layer, its units, and how many numbers it makes of a step."""
        kind, n = self.pick("RNN", "GRU", "LSTM"), self.number(2, most)
        options = [option for option in ("NumLayers<2>", "Bidirectional", "NoBias") if self.number(1, 4) == 1]
        if "NumLayers<2>" in options:
            options.append("DropoutBetween<0.3>")
        return f"{kind}<{', '.join(map(str, [n, *options, *more]))}>", n, n * (2 if "Bidirectional" in options else 1)

    def steps(self, shape):
        """A block of layers on a sequence of steps of some features."""
        time, n = shape
        layer, _, m = self.recurrent()
        kind = self.pick("plain", "plain", "activation", "mask", "norm", "residual", "concat", "shared")
        if kind == "shared" and self.shared:
            kind = "residual"
        if kind == "activation":
            return [layer, self.activation()], (time, m)
        if kind == "mask":
            return ["Dropout<0.3>", layer], (time, m)
        if kind == "norm":
            return [layer, self.pick("LayerNorm<>", "BatchNorm1d<>")], (time, m)
        if kind == "residual":
            return [f"Residual<Path<{self.pick('RNN', 'GRU', 'LSTM')}<{n}>>>"], shape
        if kind == "concat":  # one sequence after the other
            return [f"Concat<Path<GRU<{m}>, Tanh>, Path<LSTM<{m}, NoBias>>>"], (2 * time, m)
        if kind == "shared":
            name = self.share(f"{self.pick('RNN', 'GRU', 'LSTM')}<{n}>")
            return [name, self.pick("Dropout<0.2>", "Tanh"), name], shape
        return [layer], (time, m)

    def draw_sequence(self):
        shape = (self.number(1, 7), self.number(1, 5))
        layers = [f"Input<{', '.join(map(str, shape))}>"]
        for _ in range(self.number(1, 2)):
            more, shape = self.steps(shape)
            layers += more
        if self.pick(0, 1):
            layers.append(self.recurrent(9, "FinalState")[0])
            return layers + self.pick([], ["Linear<3>"], ["Tanh", "Linear<2>"])
        return layers + self.pick([], ["Flatten", "Linear<3>"])

    def draw(self):
        """The layers of the network, and how many numbers come out."""
        kind = self.pick("features", "image", "image", "series")
        if kind == "features":
            shape, block, most = self.number(3, 12), self.features, 24
        elif kind == "image":
            shape, block, most = (self.number(1, 3), self.number(4, 8), self.number(4, 8)), self.image, 9
        else:
            shape, block, most = (self.number(1, 4), self.number(6, 13)), self.series, 9
        layers = [f"Input<{shape}>" if kind == "features" else f"Input<{', '.join(map(str, shape))}>"]
        for _ in range(self.number(2, 3)):
            more, shape = block(shape)
            layers += more
            if kind != "features" and shape[0] > most:
                layers += [f"Conv{'1' if kind == 'series' else '2'}d<3, 1>", self.activation()]
                shape = (3, *shape[1:])
        end = self.pick("linear", "linear", "heads", "none")
        if end == "heads":
            flat = [] if kind == "features" else ["Flatten"]
            last = [*flat, "Linear<3>", "Tanh", "Linear<2>"] if kind == "features" or self.pick(0, 1) else ["Tanh"]  # an image is an output, too
            heads = [", ".join([*flat, f"Linear<{self.number(1, 5)}>"]), ", ".join(last)]
            layers += [f"Heads<{', '.join(f'Path<{head}>' for head in heads)}>"]
        elif end == "linear":
            layers += ([] if kind == "features" else ["Flatten"]) + [f"Linear<{self.number(2, 7)}>"]
        return layers


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    graphs = [Graph(seed) for seed in range(GRAPHS)]
    drawn = [graph.draw() for graph in graphs]
    sequences = [Graph(1000 + seed) for seed in range(SEQUENCES)]
    drawn += [graph.draw_sequence() for graph in sequences]
    out = ["// SPDX-License-Identifier: MIT", "// Written by make_random_graphs.py: change that, and write this anew.", "#pragma once", "",
           '#include "sinter/layers/all.hpp"', '#include "support/heads_networks.hpp"', '#include "support/shared_networks.hpp"', "",
           "/// Networks drawn by seed. Odd sizes, branches, normalisations and shared layers are at random places.",
           "namespace sinter_test::random_graphs {", "using namespace sinter::internal;", "", "// clang-format off"]
    for graph, layers in zip(graphs + sequences, drawn):
        out += graph.shared + [f"struct Graph{graph.seed} : Sequential<{', '.join(layers)}> {{}};"]
    out += ["", f"using All = TypeList<{', '.join(f'Graph{seed}' for seed in range(GRAPHS))}>;",
            f"using Sequences = TypeList<{', '.join(f'Graph{graph.seed}' for graph in sequences)}>;", "// clang-format on", "", "}  // namespace sinter_test::random_graphs"]
    print("\n".join(out))


if __name__ == "__main__":
    main()
