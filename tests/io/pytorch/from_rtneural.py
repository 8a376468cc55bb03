#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_rtneural.py CXX FOLDER: what tools/from_rtneural.py makes of RTNeural's files, compiled and run.

The layers here are Keras', moment by moment, with weights in its layouts and order of gates, as RTNeural computes them.
"""
import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_rtneural  # noqa: E402
import numpy as np  # noqa: E402
import streamed  # noqa: E402
from streamed import check  # noqa: E402

generator = np.random.default_rng(5)
SAMPLES, LENGTH, ROWS = 300, 40, 3


def weights(*shape, low=-0.8):
    return generator.uniform(low, 0.8, shape).astype(np.float32).astype(float)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


ACTIVATIONS = {"": lambda x: x, "tanh": np.tanh, "sigmoid": sigmoid, "relu": lambda x: np.where(x > 0, x, 0), "elu": lambda x: np.where(x > 0, x, np.exp(x) - 1),
               "softmax": lambda x: np.exp(x) / np.exp(x).sum()}


# Each makes an entry of the file, and a function of what all moments so far were, [time, inputs].

def dense(inputs, outputs, activation="", bias=True, kind="dense"):
    w, b = weights(inputs, outputs), weights(outputs)
    return {"type": kind, "activation": activation, "shape": [None, None, outputs], "weights": [w, b] if bias else [w]}, (
        lambda x: ACTIVATIONS[activation](x[-1] @ w + (b if bias else 0)))


def conv1d(inputs, outputs, taps, dilation, activation="", groups=1):
    w, b = weights(taps, inputs // groups, outputs), weights(outputs)

    def function(x):
        x = np.concatenate([np.zeros((taps * dilation, inputs)), x])
        y = b.copy()
        for out in range(outputs):
            first = out // (outputs // groups) * (inputs // groups)
            for tap in range(taps):
                y[out] += x[len(x) - 1 - (taps - 1 - tap) * dilation, first:first + inputs // groups] @ w[tap, :, out]
        return ACTIVATIONS[activation](y)

    return {"type": "conv1d", "activation": activation, "shape": [None, None, outputs], "weights": [w, b], "kernel_size": [taps], "dilation": [dilation],
            "groups": groups}, function


def gru(inputs, units):
    w, u, b = weights(inputs, 3 * units), weights(units, 3 * units), weights(2, 3 * units)

    def function(x):
        h = np.zeros(units)
        for now in x:
            z, r, c = np.split(now @ w + b[0], 3)
            hz, hr, hc = np.split(h @ u + b[1], 3)
            z, r = sigmoid(z + hz), sigmoid(r + hr)
            h = z * h + (1 - z) * np.tanh(c + r * hc)
        return h

    return {"type": "gru", "activation": "tanh", "shape": [None, None, units], "weights": [w, u, b]}, function


def lstm(inputs, units):
    w, u, b = weights(inputs, 4 * units), weights(units, 4 * units), weights(4 * units)

    def function(x):
        h = c = np.zeros(units)
        for now in x:
            i, f, g, o = np.split(now @ w + h @ u + b, 4)
            c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
            h = sigmoid(o) * np.tanh(c)
        return h

    return {"type": "lstm", "activation": "tanh", "shape": [None, None, units], "weights": [w, u, b]}, function


def prelu(size, count):
    slopes = weights(1, count)
    return {"type": "prelu", "activation": "", "shape": [None, None, size], "weights": [slopes]}, lambda x: np.where(x[-1] >= 0, x[-1], slopes[0] * x[-1])


def batchnorm(size, affine=True):
    mean, variance, gamma, beta = weights(size), weights(size, low=0.1), weights(size), weights(size)
    given = {"type": "batchnorm", "activation": "", "shape": [None, None, size], "epsilon": 0.01, "weights": [gamma, beta, mean, variance] if affine else [mean, variance]}
    return given, lambda x: (x[-1] - mean) / np.sqrt(variance + 0.01) * (gamma if affine else 1) + (beta if affine else 0)


def activation(size, name):
    return {"type": "activation", "activation": name, "shape": [None, None, size], "weights": []}, lambda x: ACTIVATIONS[name](x[-1])


# The layers, and what the header must say.
CASES = {
    "Filters": ([dense(1, 6, "tanh"), conv1d(6, 4, 3, 2, "tanh"), batchnorm(4), prelu(4, 4), conv1d(4, 4, 1, 1, "relu"), conv1d(4, 6, 3, 4, "elu", 2), batchnorm(6, False),
                 prelu(6, 1), activation(6, "softmax"), dense(6, 1, "sigmoid")],
                "Conv1d<6, 3, sinter::Causal, sinter::Dilation<4>, sinter::Groups<2>>, sinter::ELU<1.0>, sinter::BatchNorm1d<sinter::Epsilon<0.01>, sinter::NoAffine>"),
    "Gates": ([dense(2, 5, "tanh", kind="time-distributed-dense"), gru(5, 7), dense(7, 4, "softmax"), dense(4, 2, bias=False)],
              "Input<40, 2>, sinter::PositionwiseLinear<5>, sinter::Tanh, sinter::GRU<7>, sinter::PositionwiseLinear<4>, sinter::SoftmaxAlong<2>"),
    "Memory": ([lstm(1, 6), dense(6, 1)], "Input<40, 1>, sinter::LSTM<6>, sinter::PositionwiseLinear<1>"),
    "Mixed": ([dense(1, 4, "tanh"), conv1d(4, 3, 3, 2, "tanh"), gru(3, 5), lstm(5, 4), batchnorm(4), activation(4, "elu"), dense(4, 1)],
              "Input<1, 40>, sinter::Conv1d<4, 1>, sinter::Tanh, sinter::Conv1d<3, 3, sinter::Causal, sinter::Dilation<2>>, sinter::Tanh, sinter::Transpose<1, 2>, sinter::GRU<5>"),
    "Skipped": ([lstm(1, 2), dense(2, 1)], "Input<40, 1>, sinter::Residual<sinter::Path<sinter::LSTM<2>, sinter::PositionwiseLinear<1>>>, sinter::PositionwiseLinear<1, sinter::NoBias>> {}"),
    "Knobs": ([gru(3, 3), dense(3, 1)], "Input<40, 3>, sinter::PositionwiseLinear<3, sinter::NoBias>, sinter::Residual<"),
    "Louder": ([dense(1, 4, "tanh"), conv1d(4, 1, 3, 2)], "Input<1, 40>, sinter::Conv1d<1, 1, sinter::NoBias>, sinter::Conv1d<4, 1>"),
    "Plain": ([dense(3, 8, "relu"), activation(8, "tanh"), dense(8, 2)], "Input<3, 40>, sinter::Conv1d<8, 1>, sinter::ReLU"),
}


# What a player does around the network: its sound is the first channel, and gains are decibels.
PLAYED = {"Skipped": {"in_skip": 1, "in_gain": 0, "out_gain": -6.0, "metadata": {"name": "x"}}, "Knobs": {"in_skip": 1, "in_gain": 3.5, "out_gain": 2},
          "Louder": {"in_skip": 0, "in_gain": -4, "out_gain": 6, "samplerate": "48000"}}


def played(name, layers, x):
    given = PLAYED.get(name, {})
    before, after = (10 ** (given.get(key, 0) / 20) for key in ("in_gain", "out_gain"))
    x = np.concatenate([x[:, :1] * before, x[:, 1:]], 1)
    return after * (outputs(layers, x) + given.get("in_skip", 0) * x[:, :1])


def text_of(layers, inputs, **more):
    given = {"in_shape": [None, None, inputs], "layers": [entry for entry, _ in layers]} | more
    return json.dumps(given, default=lambda array: array.tolist())


def outputs(layers, x):
    """What the layers give at each moment, one moment after another."""
    for _, function in layers:
        x = np.stack([function(x[:end]) for end in range(1, len(x) + 1)])
    return x


def altered(layer, **more):
    return layer[0] | more, None


REFUSED = [
    ([altered(dense(1, 4), type="conv2d", shape=[None, None, 2, 2]), altered(dense(4, 4), activation="swish"), altered(gru(4, 3), activation="relu"),
      altered(dense(3, 3), type="unknown"), dense(3, 1)],
     ["layer 0 (conv2d): sinter has no layer for it; known are dense", "layer 1 (dense): the activation 'swish'; known are tanh", "layer 2 (gru): the activation 'relu'",
      "layer 3 (unknown): RTNeural leaves out layers of this type"]),
    ([altered(gru(1, 3), weights=[*gru(1, 3)[0]["weights"][:2], weights(9)])], ["layer 0 (gru): one bias for input and state, of Keras' reset_after=False"]),
    ([altered(dense(1, 4), weights=[weights(2, 4)])], ["layer 0 (dense): its weights have the sizes [2, 4]; expected are [1, 4]"]),
    ([altered(dense(1, 2), weights=[[[1.0, float("inf")]]])], ["its weights are not all finite"]),
    ([altered(lstm(1, 2), weights=[])], ['layer 0 (lstm): "weights" has 0 arrays; expected are 3']),
    ([altered(prelu(1, 1), weights=[weights(5, 1)])], ["layer 0 (prelu): slopes of the sizes [5, 1]"]),
    ([({"type": "dense"}, None)], ["layer 0 (dense): 'shape' is missing"]),
    *[([altered(dense(1, 2), type=kind)], [f'layer 0 (no type): its "type" is {kind!r}; it must be a name']) for kind in ([], ["dense"], {}, None, 1)],
    ([altered(dense(1, 2), activation=["tanh"])], ["layer 0 (dense): it is not of the expected form"]), ([altered(dense(1, 2), weights=[[[10**400, 1]]])], ["its weights are not numbers"]),
    ([(5, None)], ["layer 0 (no object): it is not an object"]),
    ([altered(conv1d(1, 2, 3, 1), strides=2)], ["layer 0 (conv1d): strides, which RTNeural does not read"]),
    ([altered(conv1d(1, 2, 3, 1), padding="same", filters=2)], ["layer 0 (conv1d): 'filters' in this layer is not known, and may change"]),
    ([altered(conv1d(1, 2, 3, 1), padding="same")], ["layer 0 (conv1d): the padding 'same', which RTNeural does not read"]),
    ([altered(dense(1, 2), kernel_size=[3], dropout=0.5)], ["layer 0 (dense): 'kernel_size', 'dropout' in this layer is not known"]),
    ([altered(batchnorm(1), weights=[[0.5], [-2]])], ["layer 0 (batchnorm): a variance is -2; it must be 0 or more"]),
    ([altered(batchnorm(1), epsilon=True)], ['layer 0 (batchnorm): "epsilon" is True; it must be a number']),
    ([altered(lstm(1, 2), weights="abc")], ["layer 0 (lstm): \"weights\" is 'abc'; expected is a list of 3 arrays"]),
    ([altered(dense(1, 2), weights=[[["0.1", "0.2"]]])], ["layer 0 (dense): its weights are not numbers: there is str"]),
    ([altered(dense(1, 2), weights=[[[True, 0.5]]])], ["layer 0 (dense): its weights are not numbers: there is bool"]),
    ([altered(conv1d(1, 2, 3, 1), kernel_size=[9, 3])], ['layer 0 (conv1d): "kernel_size" is [9, 3]; it must be a positive whole number']),
    ([], ['has no "layers"', "A state_dict of PyTorch goes by from_pytorch.py"]),
]


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    cases, wanted, good = [], {}, True
    for name, (layers, text) in CASES.items():
        inputs = len(layers[0][0]["weights"][0])
        path = folder / f"{name}.json"
        path.write_text(text_of(layers, inputs, **PLAYED.get(name, {})))
        from_rtneural.convert(path, name, folder, LENGTH)
        header = (folder / f"{name}.hpp").read_text().replace("\n    ", " ")
        good &= check(text in header, f"{name}: the header says {text}")
        whole, signal = (generator.uniform(-1, 1, (*rows, inputs)).astype(np.float32).astype(float) for rows in ((ROWS, LENGTH), (SAMPLES,)))
        y = np.stack([played(name, layers, row) for row in whole])
        if f"Input<{LENGTH}" not in header:
            whole, y = whole.transpose(0, 2, 1), y.transpose(0, 2, 1)
        wanted[name] = y.reshape(-1, 1), played(name, layers, signal)
        cases.append((name, 0, whole, signal, wanted[name][1].shape[1]))
    for name, files in streamed.run(cxx, root, folder, cases).items():
        (path, _), (stream, size) = files
        good &= streamed.close(streamed.floats(path, 1), wanted[name][0], f"{name}: as a whole")
        good &= streamed.close(streamed.floats(stream, size), wanted[name][1], f"{name}: as a stream in odd blocks")
    good &= streamed.check_program(cxx, root, folder, "Gates", cases[1][3], wanted["Gates"][1])

    path = folder / "refused.json"
    for layers, texts in REFUSED:
        path.write_text(text_of(layers, 1))
        good &= streamed.check_refused(from_rtneural.convert, from_rtneural.Refused, path, folder, texts)
    for more, texts in (({"in_skip": 2}, ['"in_skip" is 2; it must be 0, or 1']), ({"in_gain": 1e5}, ['"in_gain" is 100000.0 decibels; the largest factor of floats is 770']),
                        ({"out_gain": 1e5}, ['"out_gain" is 100000.0 decibels']), ({"out_gain": 10**400}, ["it is not of the expected form: int too large"]), ({"in_skip": 1}, ["the network gives 2 channels; it must give one"]),
                        ({"out_gain": "6"}, ["\"out_gain\" is '6'; it must be a number of decibels"]), ({"foo": 1, "skip": 0}, ["'foo', 'skip' in the file is not known"])):
        path.write_text(text_of([dense(1, 2)], 1, **more))
        good &= streamed.check_refused(from_rtneural.convert, from_rtneural.Refused, path, folder, texts)
    path.write_text(text_of([dense(1, 1)], 1))
    good &= streamed.check_refused(from_rtneural.convert, from_rtneural.Refused, path, folder, ["a length of 999999999999 was given; sequences have 1 to 1,048,576 moments"], 999999999999)
    path.write_text("[1]")
    good &= streamed.check_refused(from_rtneural.convert, from_rtneural.Refused, path, folder, ["is not a file of RTNeural: it holds list, not an object"])
    for text in ("[" * 100000, '{"layers":' + "[" * 100000, '{"a":' * 100000):
        path.write_text(text)
        good &= streamed.check_refused(from_rtneural.convert, from_rtneural.Refused, path, folder, ["is not a file of RTNeural: its lists or objects are nested too deeply"])
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
