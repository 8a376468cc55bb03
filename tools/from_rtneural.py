#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_rtneural.py FILE NAME [FOLDER] [--length SAMPLES] [--compile]: a network in RTNeural's JSON as one of sinter.
Needs NumPy, and the files beside it.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its weights and
a self-test, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network as a stream. --length is that of
the sequences that the network takes as a whole; a stream has no length. --compile compiles what was written and replays the
self-test, with the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_rtneural import convert
    convert("amp.json", "Amp", "folder")

FILE is what RTNeural's save_model wrote of a Keras model: layers dense, time-distributed-dense, conv1d, gru, lstm, prelu, batchnorm
and activation. Of files of AIDA-X, "in_gain", "in_skip" and "out_gain" are part of the network. What sinter does not have is refused: all layers at once, each with its number, type and reason.
"""
import argparse
import math
import sys

import numpy as np

from layer_graph import Refused, require
from layers_over_time import Network, Problems, check_given, numbers_of, only, read_json, real, run_main, whole

# What a file and its layers may say; names, metadata, rates of samples and batches for a test change nothing.
OF_FILE = ("in_shape", "layers", "in_skip", "in_gain", "out_gain", "metadata", "samplerate", "sample_rate", "input_batch", "output_batch")
OF_LAYER = ("type", "activation", "shape", "weights", "name")
MORE_OF = {"conv1d": ("kernel_size", "dilation", "groups", "strides", "padding"), "batchnorm": ("epsilon",)}
ACTIVATIONS = {"tanh": ("Tanh",), "relu": ("ReLU",), "sigmoid": ("Sigmoid",), "elu": ("ELU", 1.0)}
LOUDEST = 770  # decibels of the largest float
OF_STEPS, OF_SERIES = {"gru", "lstm"}, {"conv1d", "prelu", "batchnorm"}


def size_of(shape, what):
    require(isinstance(shape, list) and len(shape) in (2, 3), f"{what} is {shape!r}; expected are [null, size] or [null, time, size]")
    return whole(shape[-1], f"the last number of {what}")


class Layer:
    """One entry of "layers"."""

    def __init__(self, given, inputs):
        self.given, self.inputs = given, inputs
        self.outputs = size_of(given["shape"], '"shape"')

    def weights(self, *counts):
        arrays = self.given["weights"]
        require(isinstance(arrays, list), f'"weights" is {arrays!r}; expected is a list of {" or ".join(map(str, counts))} arrays')
        require(len(arrays) in counts, f'"weights" has {len(arrays)} arrays; expected are {" or ".join(map(str, counts))}')
        return arrays

    def array(self, given, *shape):
        array = numbers_of(given, "its weights")
        require(array.shape == shape, f"its weights have the sizes {list(array.shape)}; expected are {list(shape)}")
        return array

    def with_activation(self, network, x):
        name = self.given.get("activation", "")
        if not name:
            return x
        if name == "softmax":
            return network.softmax(x)
        require(name in ACTIVATIONS, f"the activation {name!r}; known are {', '.join([*ACTIVATIONS, 'softmax'])}")
        return network.activation(x, *ACTIVATIONS[name])

    def dense(self, network, x):
        weight, *bias = self.weights(1, 2)
        bias = self.array(bias[0], self.outputs) if bias else None
        x = network.convolution(x, self.array(weight, self.inputs, self.outputs).T[:, :, None], bias)
        return self.with_activation(network, x)

    def conv1d(self, network, x):
        padding = self.given.get("padding", "causal")
        require(padding == "causal", f"the padding {padding!r}, which RTNeural does not read from a file; its windows look back only, as causal ones")
        taps, dilation = (whole(self.given[key], f'"{key}"') for key in ("kernel_size", "dilation"))
        groups = whole(self.given.get("groups", 1), '"groups"')
        require(whole(self.given.get("strides", 1), '"strides"') == 1, "strides, which RTNeural does not read from a file")
        require(self.inputs % groups == self.outputs % groups == 0, f"{groups} groups of {self.inputs} inputs and {self.outputs} outputs")
        weight, *bias = self.weights(1, 2)
        weight = self.array(weight, taps, self.inputs // groups, self.outputs).transpose(2, 1, 0)
        x = network.convolution(x, weight, self.array(bias[0], self.outputs) if bias else None, dilation, groups)
        return self.with_activation(network, x)

    def is_of_tanh(self):
        said = self.given.get("activation", "")
        require(said in ("", "tanh"), f"the activation {said!r}; RTNeural computes tanh")

    def gru(self, network, x):
        """Keras' rows are those of z, r and h, PyTorch's of r, z and n, with the same formulas."""
        self.is_of_tanh()
        units, (kernel, recurrent, bias) = self.outputs, self.weights(3)
        require(np.ndim(bias) == 2, "one bias for input and state, of Keras' reset_after=False; RTNeural's has two")

        def rows(array):
            z, r, h = np.split(array, 3, -1)
            return np.concatenate([r, z, h], -1).T

        biases = rows(self.array(bias, 2, 3 * units)).T
        return network.recurrent(x, "GRU", [(rows(self.array(kernel, self.inputs, 3 * units)), rows(self.array(recurrent, units, 3 * units)), *biases)])

    def lstm(self, network, x):
        """The rows of Keras and PyTorch are those of i, f, c or g, and o."""
        self.is_of_tanh()
        units, (kernel, recurrent, bias) = self.outputs, self.weights(3)
        bias = self.array(bias, 4 * units)
        return network.recurrent(x, "LSTM", [(self.array(kernel, self.inputs, 4 * units).T, self.array(recurrent, units, 4 * units).T,
                                              bias, np.zeros_like(bias))])

    def prelu(self, network, x):
        slopes = numbers_of(self.weights(1)[0], "its weights")
        require(slopes.ndim == 2 and len(slopes) == 1, f"slopes of the sizes {list(slopes.shape)}; sinter's PReLU has one, or one for each channel: "
                "[1, channels], of Keras' shared_axes=[1]")
        return network.prelu(x, slopes[0])

    def batchnorm(self, network, x):
        epsilon = real(self.given["epsilon"], '"epsilon"')
        require(epsilon > 0, f'"epsilon" is {epsilon!r}; it must be a positive number')
        *affine, mean, variance = (self.array(array, self.outputs) for array in self.weights(2, 4))
        return network.batch_norm(x, mean, variance, *(affine or (None, None)), float(epsilon))

    def activation(self, network, x):
        return self.with_activation(network, x)


KNOWN = {"dense": Layer.dense, "time-distributed-dense": Layer.dense, "conv1d": Layer.conv1d, "gru": Layer.gru, "lstm": Layer.lstm, "prelu": Layer.prelu,
         "batchnorm": Layer.batchnorm, "activation": Layer.activation}


def add_layer(network, x, given):
    require(isinstance(given, dict), "it is not an object")
    kind = given["type"]
    require(isinstance(kind, str), f'its "type" is {kind!r}; it must be a name')
    require(kind in KNOWN, "RTNeural leaves out layers of this type without a word; take it out of the file if it changes nothing, as Dropout does"
            if kind == "unknown" else f"sinter has no layer for it; known are {', '.join(KNOWN)}")
    only(given, OF_LAYER + MORE_OF.get(kind, ()), "this layer")
    layer = Layer(given, x.channels)
    y = KNOWN[kind](layer, network, x)
    require(y.channels == layer.outputs, f'it gives {y.channels} numbers and its "shape" says {layer.outputs}')
    return y


# -- what a player of AIDA-X does around the network --------------------------------------------------------------------


def gain_of(given, key):
    """A factor, given in decibels."""
    value = real(0 if given.get(key) is None else given[key], f'"{key}"', " of decibels")
    require(value <= LOUDEST, f'"{key}" is {value!r} decibels; the largest factor of floats is {LOUDEST} decibels')
    return 10 ** (value / 20) if value > -90 else 0.0


def louder(network, x, gain):
    """The sound, which is the first channel, times a factor; the others are knobs."""
    return x if gain == 1 else network.convolution(x, np.diag([gain, *[1.0] * (x.channels - 1)])[:, :, None])


def with_skip(network, x, y, skip):
    """y, or x + y."""
    require(skip in (0, 1) and not isinstance(skip, bool), f'"in_skip" is {skip!r}; it must be 0, or 1 for a network whose output is added to its input')
    if not skip:
        return y
    require(y.channels == 1, f'"in_skip" is 1, and the network gives {y.channels} channels; it must give one')
    sound = x if x.channels == 1 else network.convolution(x, np.eye(x.channels)[:1, :, None])
    return network.add(y, network.turned(sound, y.steps))


def kind_of(given):
    """The type that a layer says, or what it lacks."""
    if not isinstance(given, dict):
        return "no object"
    return given["type"] if isinstance(given.get("type"), str) else "no type"


def declared(given):
    """How many numbers a refused layer gives, so that those after it can be read; None if it does not say."""
    shape = given.get("shape") if isinstance(given, dict) else None
    sizes = shape[2:] if isinstance(shape, list) and len(shape) == 4 else shape[-1:] if isinstance(shape, list) else []
    return math.prod(sizes) if sizes and all(isinstance(n, int) and n > 0 for n in sizes) else None


def convert(path, name, folder=".", length=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have."""
    check_given(name, length)
    given = read_json(path, "file of RTNeural")
    layers = given.get("layers")
    require(isinstance(layers, list) and layers, f'{path} has no "layers"; write it by RTNeural\'s save_model. A state_dict of PyTorch goes by from_pytorch.py')
    problems = Problems()
    kinds = [kind_of(layer) for layer in layers]
    begins = next((kind in OF_STEPS for kind in kinds if kind in OF_STEPS | OF_SERIES), False)
    inputs = problems.run(path, lambda: size_of(given["in_shape"], '"in_shape"'))
    network = Network(inputs or 1, begins)
    problems.run(path, only, given, OF_FILE, "the file")
    first = problems.run(path, lambda: louder(network, network.input, gain_of(given, "in_gain"))) or network.input
    x = first
    for i, (layer, kind) in enumerate(zip(layers, kinds)):
        y = problems.run(f"layer {i} ({kind})", add_layer, network, x, layer)
        size = y.channels if y else declared(layer)
        if size is None:
            break
        x = y or Network(size, begins).input
    problems.refuse()
    x = problems.run(path, lambda: louder(network, with_skip(network, first, x, 0 if given.get("in_skip") is None else given["in_skip"]), gain_of(given, "out_gain")))
    problems.refuse()
    network.write(x, name, length, "from_rtneural.py", [str(path).rsplit("/", 1)[-1]], folder)


def main():
    return run_main(argparse.ArgumentParser(prog="from_rtneural", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter), convert)


if __name__ == "__main__":
    sys.exit(main())
