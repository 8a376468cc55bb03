# SPDX-License-Identifier: MIT
"""Layers over time, each with the numbers that it computes: the parts of which from_nam.py and from_rtneural.py build networks.

A value is a series, [channels, time], or steps, [time, features]. Its numbers are [row, channel, moment] in either case, in double
precision. Windows look back only, and see zeros before the first moment. Needs NumPy, and layer_graph.py beside it.
"""
import json
import math
import pathlib
import sys

import numpy as np

from compile_check import checked
from layer_graph import Layers, Node, Refused, check_names, kernel, number, require, spelled, write, write_network
from quoting import say


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


ACTIVATIONS = {
    "Tanh": np.tanh, "Sigmoid": sigmoid, "ReLU": lambda x: np.maximum(x, 0), "SiLU": lambda x: x * sigmoid(x),
    "Hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "ELU": lambda x, a: np.where(x > 0, x, a * np.expm1(np.minimum(x, 0))),
    "LeakyReLU": lambda x, slope: np.where(x > 0, x, slope * x), "Hardtanh": lambda x, low, high: np.clip(x, low, high),
}


def ungrouped(weight, groups):
    """A weight [out, in / groups, taps] of a grouped convolution as one of all inputs, with zeros."""
    if groups == 1:
        return weight
    out, each, taps = weight.shape
    whole = np.zeros((groups, out // groups, groups, each, taps))
    for group, part in enumerate(weight.reshape(groups, out // groups, each, taps)):
        whole[group, :, group] = part
    return whole.reshape(out, groups * each, taps)


def convolved(x, weight, bias, dilation):
    y = np.zeros((x.shape[0], weight.shape[0], x.shape[2])) + bias[:, None]
    for tap in range(weight.shape[2]):
        delay = (weight.shape[2] - 1 - tap) * dilation
        if delay < x.shape[2]:
            y[..., delay:] += weight[:, :, tap] @ x[..., :x.shape[2] - delay]
    return y


def gru_step(x, weights, state):
    """PyTorch's formulas, with the rows of r, z, n."""
    w_ih, w_hh, b_ih, b_hh = weights
    (xr, xz, xn), (hr, hz, hn) = np.split(x @ w_ih.T + b_ih, 3, -1), np.split(state[0] @ w_hh.T + b_hh, 3, -1)
    z, n = sigmoid(xz + hz), np.tanh(xn + sigmoid(xr + hr) * hn)
    return ((1 - z) * n + z * state[0],)


def lstm_step(x, weights, state):
    """PyTorch's formulas, with the rows of i, f, g, o."""
    w_ih, w_hh, b_ih, b_hh = weights
    i, f, g, o = np.split(x @ w_ih.T + b_ih + state[0] @ w_hh.T + b_hh, 4, -1)
    c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
    return sigmoid(o) * np.tanh(c), c


CELLS = {"GRU": (gru_step, 1), "LSTM": (lstm_step, 2)}


def states_of(cell, cells, inputs):
    """After each moment of inputs [moment, row, feature] the state of each cell: h, or h and c. All begin with zeros."""
    step, count = CELLS[cell]
    states = [(np.zeros((inputs.shape[1], weights[1].shape[1])),) * count for weights in cells]
    for x in inputs:
        for k, weights in enumerate(cells):
            states[k] = step(x, weights, states[k])
            x = states[k][0]
        yield states


class Value:
    """`reach`: so many moments before its own are seen. `compute`: its numbers, from those of its sources."""

    def __init__(self, node, channels, steps, sources, compute, reach):
        self.node, self.channels, self.steps, self.sources, self.compute, self.reach = node, channels, steps, sources, compute, reach


class Network:
    def __init__(self, channels, steps, described="the input"):
        self.values = [Value(Node("input", [], (), described), channels, steps, [], None, 0)]

    @property
    def input(self):
        return self.values[0]

    # Layers.

    def made(self, kind, sources, channels, steps, compute, described="", text=None, tensors=None, reach=0):
        encoded = {name: ("F32", np.shape(tensor), np.asarray(tensor, "<f4").tobytes()) for name, tensor in (tensors or {}).items()}
        node = Node(kind, [source.node for source in sources], (), described, text, tensors=encoded)
        value = Value(node, channels, steps, sources, compute, max(source.reach for source in sources) + reach)
        self.values.append(value)
        for name, (_, _, content) in encoded.items():
            require(np.isfinite(np.frombuffer(content, "<f4")).all(), f"{name!r} of its layer {text} has infinities, or what is no number, as 32-bit floats")
        return value

    def layer(self, source, text, compute, tensors=None, channels=None, reach=0):
        return self.made("layer", [source], channels or source.channels, source.steps, compute, text, text, tensors, reach)

    def turned(self, source, steps):
        """The value as steps, or as a series."""
        if source.steps == steps:
            return source
        return self.made("layer", [source], source.channels, steps, lambda x: x, text="Transpose<1, 2>")

    def convolution(self, source, weight, bias=None, dilation=1, groups=1):
        """y[t] = sum of weight[.., k] x[t - (taps - 1 - k) dilation] + bias.   weight [out, in / groups, taps]"""
        weight = np.asarray(weight, float)
        out, _, taps = weight.shape
        if source.steps and (taps > 1 or groups > 1):
            source = self.turned(source, False)
        whole, shift = ungrouped(weight, groups), np.zeros(out) if bias is None else np.asarray(bias, float)
        require(whole.shape[1] == source.channels, f"its weight takes {whole.shape[1]} channels, and there are {source.channels}")
        tensors, plain = {"weight": weight[:, :, 0] if source.steps else weight}, "NoBias" if bias is None else None
        if bias is not None:
            tensors["bias"] = shift
        text = spelled("PositionwiseLinear", out, plain) if source.steps else spelled(
            "Conv1d", out, kernel(taps, 1), "Causal" if taps > 1 else None, spelled("Dilation", dilation) if dilation > 1 and taps > 1 else None,
            spelled("Groups", groups) if groups > 1 else None, plain)
        return self.layer(source, text, lambda x: convolved(x, whole, shift, dilation), tensors, out, (taps - 1) * dilation)

    def activation(self, source, name, *numbers):
        text = spelled(name, *map(number, numbers)) if numbers else name
        return self.layer(source, text, lambda x: ACTIVATIONS[name](x, *numbers))

    def softmax(self, source):
        return self.layer(source, spelled("SoftmaxAlong", 2 if source.steps else 1), softmax)

    def prelu(self, source, slopes):
        """One slope, or one for each channel."""
        slopes = np.asarray(slopes, float)
        require(slopes.shape in ((1,), (source.channels,)), f"it has slopes of the sizes {list(slopes.shape)} for {source.channels} channels")
        source = self.turned(source, False) if len(slopes) > 1 else source
        return self.layer(source, spelled("PReLU", "PerChannel" if len(slopes) > 1 else None),
                          lambda x: np.maximum(x, 0) + slopes[:, None] * np.minimum(x, 0), {"weight": slopes})

    def batch_norm(self, source, mean, variance, weight, bias, epsilon):
        """y = (x - mean) / sqrt(variance + epsilon) weight + bias. weight and bias may be None."""
        require((np.asarray(variance) >= 0).all(), f"a variance is {np.min(variance):g}; it must be 0 or more")
        source, affine = self.turned(source, False), {} if weight is None else {"weight": weight, "bias": bias}
        w, b = (1, 0) if weight is None else (weight, bias)
        scale = w / np.sqrt(variance + epsilon)
        shift = b - mean * scale
        return self.layer(source, spelled("BatchNorm1d", spelled("Epsilon", number(epsilon)), None if affine else "NoAffine"),
                          lambda x: scale[:, None] * x + shift[:, None], affine | {"running_mean": mean, "running_var": variance})

    def recurrent(self, source, cell, cells):
        """`cells`: w_ih, w_hh, b_ih and b_hh of each layer, with PyTorch's rows. All states begin with zeros."""
        source, hidden = self.turned(source, True), cells[0][1].shape[1]
        names = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        tensors = {f"{name}_l{k}": tensor for k, weights in enumerate(cells) for name, tensor in zip(names, weights)}

        def compute(x):
            return np.stack([states[-1][0] for states in states_of(cell, cells, x.transpose(2, 0, 1))], 2)

        return self.layer(source, spelled(cell, hidden, spelled("NumLayers", len(cells)) if len(cells) > 1 else None), compute, tensors, hidden)

    def part(self, source, first, channels):
        """Some channels of a series, or all where taking them would cost more than it saves."""
        if 4 * channels > 3 * source.channels:
            return source
        value = self.made("slice", [source], channels, source.steps, lambda x: x[:, first:first + channels], "a part")
        value.node.first = first
        return value

    def add(self, one, two):
        return self.made("add", [one, two], one.channels, one.steps, np.add, "a sum")

    def multiply(self, one, two):
        return self.made("multiply", [one, two], one.channels, one.steps, np.multiply, "a product")

    def concat(self, one, two):
        return self.made("concat", [one, two], one.channels + two.channels, one.steps, lambda x, y: np.concatenate([x, y], 1), "a concatenation")

    # The whole.

    def numbers(self, end, x):
        known = {self.input: x}
        for value in self.values[1:]:
            known[value] = value.compute(*[known[source] for source in value.sources])
        return known[end]

    def write(self, end, name, length, maker, about, folder, silence=0):
        """NAME.hpp, NAME.safetensors with a self-test, and NAME.cpp. `silence`: samples that go before the first one of a sound."""
        length = length or max(256, 2 ** math.ceil(math.log2(end.reach + 1)))
        try:
            self.write_rows(end, name, length, maker, about, folder)
        except MemoryError:
            raise Refused(f"sequences of {length} moments need more memory than there is; give it a smaller --length") from None
        write(pathlib.Path(folder) / f"{name}.cpp", EXAMPLE.format(name=name, maker=maker, silence=BEFORE.format(silence=silence) if silence else "").encode())

    def write_rows(self, end, name, length, maker, about, folder):
        for value in self.values:
            value.node.shape = (length, value.channels) if value.steps else (value.channels, length)
        x = np.random.default_rng(1).integers(-128, 129, (2, self.input.channels, length)) / 128
        rows = [(y.transpose(0, 2, 1) if value.steps else y).reshape(2, -1).tolist() for value, y in ((self.input, x), (end, self.numbers(end, x)))]
        write_network(Layers(name, self.input.node, [end.node]), {"inputs": rows[0], "outputs": rows[1]}, maker, about, folder)


EXAMPLE = """// Made by {maker}. g++ -std=c++20 -O3 -march=native -I sinter/include -pthread {name}.cpp
// Reads samples as 32-bit floats and writes what the network makes of them: sox in.wav -t f32 - | ./a.out > out.f32
#include "{name}.hpp"

#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

int main() {{
  sinter::Network<::{name}> net;
  sinter::load(net, "{name}.safetensors");  // replays the self-test
  static const sinter::StreamWeights<::{name}> weights(net);
  static sinter::Stream<::{name}> stream(weights);
  constexpr std::size_t block = 64, inputs = stream.input_size, outputs = stream.output_size;
  static float x[block * inputs], y[block * outputs];
{silence}  while (const std::size_t count = std::fread(x, sizeof(float) * inputs, block, stdin)) {{
    stream.push({{x, count * inputs}}, y);
    std::fwrite(y, sizeof(float) * outputs, count, stdout);
  }}
}}
"""
BEFORE = """  for (int i = 0; i < {silence}; ++i) stream.push({{x, inputs}}, y);  // silence before the sound
"""


# -- files in JSON -------------------------------------------------------------------------------------------------------


def read_json(path, kind):
    path = pathlib.Path(path)
    try:
        given = json.loads(path.read_bytes())
    except OSError as problem:
        raise Refused(f"{path} cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise Refused(f"{path} is not a {kind}, which is JSON: {problem}") from None
    except RecursionError:
        raise Refused(f"{path} is not a {kind}: its lists or objects are nested too deeply") from None
    require(isinstance(given, dict), f"{path} is not a {kind}: it holds {type(given).__name__}, not an object")
    return given


def flattened(given):
    return [number for one in given for number in flattened(one)] if isinstance(given, list) else [given]


def numbers_of(given, what):
    kinds = {type(number).__name__ for number in flattened(given)} - {"int", "float"}
    require(not kinds, f"{what} are not numbers: there is {' and '.join(sorted(kinds))}")
    try:
        with np.errstate(over="ignore"):
            array = np.asarray(given, np.float32).astype(float)
    except (OverflowError, TypeError, ValueError):
        raise Refused(f"{what} are not numbers in rows of one length") from None
    require(np.isfinite(array).all(), f"{what} are not all finite")
    return array


def real(given, what, of=""):
    """A finite number."""
    require(isinstance(given, (int, float)) and not isinstance(given, bool) and math.isfinite(given), f"{what} is {given!r}; it must be a number{of}")
    return given


def flag(given, what):
    require(isinstance(given, bool), f"{what} is {given!r}; it must be true or false")
    return given


def whole(given, what):
    """A positive whole number, or the only one in a list."""
    value = given[0] if isinstance(given, list) and len(given) == 1 else given
    require(isinstance(value, int) and not isinstance(value, bool) and 0 < value < 1 << 31,
            f"{what} is {given!r:.60}; it must be a positive whole number below 2^31")
    return value


def only(given, known, what):
    """Refuses what a file says and nothing here reads: it may change the network."""
    unknown = [repr(key) for key in given if key not in known]
    require(not unknown, f"{', '.join(unknown)} in {what} is not known, and may change what the network computes; known are {', '.join(known)}. Take out of the "
            "file what changes nothing")


class AllRefused(Refused):
    """All reasons to refuse a file."""


class Problems:
    """Collects reasons to refuse a file."""

    def __init__(self):
        self.said = []

    def add(self, where, why):
        self.said.append(f"{where}: {why}")

    def run(self, where, function, *arguments):
        """The result, or None with the reason noted."""
        try:
            return function(*arguments)
        except AllRefused:
            raise
        except Refused as why:
            self.add(where, why)
        except KeyError as missing:
            self.add(where, f"{missing} is missing")
        except (ArithmeticError, AttributeError, IndexError, TypeError, ValueError) as problem:
            self.add(where, f"it is not of the expected form: {problem}")
        return None

    def refuse(self):
        if self.said:
            raise AllRefused(*dict.fromkeys(self.said))


LONGEST = 1 << 20  # moments


def check_given(name, length):
    """The name of a network, and the length of its sequences or None."""
    check_names(name, (1, 1))
    require(length is None or isinstance(length, int) and 0 < length <= LONGEST,
            f"a length of {length} was given; sequences have 1 to {LONGEST:,} moments, and a stream has no length: leave it out")


def run_main(parser, convert):
    """The main function of the two programs: FILE NAME [FOLDER] [--length SAMPLES] [--compile]."""
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--length", type=int)
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    try:
        convert(given.file, given.name, given.folder, given.length)
        done = checked(given.name, given.folder) if given.compile else None
    except (Refused, OSError) as problem:
        say("\n".join(f"{parser.prog}: {line}" for line in str(problem).splitlines()), sys.stderr)
        return 1
    say(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    say(done) if done else None
    return 0
