#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_nam.py FILE NAME [FOLDER] [--length SAMPLES] [--compile]: a .nam file of Neural Amp Modeler as a network of sinter.
Needs NumPy, and the files beside it.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its weights and
a self-test, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network as a stream. --length is that of
the sequences that the network takes as a whole; a stream has no length. --compile compiles what was written and replays the
self-test, with the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_nam import convert
    convert("amp.nam", "Amp", "folder")

Known are the architectures WaveNet, LSTM, ConvNet and Linear, and SlimmableContainer, of which the largest network is taken. They
compute what NeuralAmpModelerCore does with exact functions, after the silence that it lets go before a sound; the program does so,
too. What sinter does not have is refused: all at once, each with its place and reason.
"""
import argparse
import re
import sys

import numpy as np

from layer_graph import Refused, require
from layers_over_time import Network, Problems, check_given, flag, numbers_of, only, read_json, real, run_main, states_of, ungrouped, whole

FILMS = ("conv_pre_film", "conv_post_film", "input_mixin_pre_film", "input_mixin_post_film", "activation_pre_film", "activation_post_film",
         "layer1x1_post_film", "head1x1_post_film")
# What a file may say. Those of WITHOUT_EFFECT change nothing; the weights have the head's scale; "slimmable" is of smaller networks.
WITHOUT_EFFECT = ("version", "metadata", "sample_rate", "notes")
OF_FILE = ("architecture", "config", "weights", *WITHOUT_EFFECT)
OF_WAVENET = ("layers", "head", "head_scale", "condition_dsp", "in_channels")
OF_HEAD = ("channels", "activation", "out_channels", "kernel_sizes", "in_channels")
OF_ARRAY = ("input_size", "condition_size", "channels", "bottleneck", "dilations", "kernel_size", "kernel_sizes", "head", "head_size", "head_bias", "groups_input",
            "groups_input_mixin", "layer1x1", "head1x1", "gating_mode", "gated", "secondary_activation", "activation", "slimmable", *FILMS)
OF_ACTIVATION = {"LeakyReLU": ("negative_slope",), "Hardtanh": ("min_val", "max_val"), "PReLU": ("negative_slope", "negative_slopes")}
SIMPLE = {"Tanh", "Sigmoid", "ReLU", "SiLU", "Hardswish"}
LONGEST_SILENCE = 96000  # samples


class Weights:
    """The numbers of a file, one after another."""

    def __init__(self, given):
        require(isinstance(given, list), '"weights" is not a list')
        self.numbers, self.taken = numbers_of(given, '"weights"'), 0
        require(self.numbers.ndim == 1, '"weights" has lists in it')

    def take(self, *shape):
        size = int(np.prod(shape))
        self.taken += size
        require(self.taken <= len(self.numbers), f'"weights" has {len(self.numbers)} numbers, and the "config" needs more')
        return self.numbers[self.taken - size:self.taken].reshape(shape)

    def end(self):
        require(self.taken == len(self.numbers), f'"weights" has {len(self.numbers)} numbers, and the "config" needs {self.taken}')


# -- activations ---------------------------------------------------------------------------------------------------------


class Activation:
    def __init__(self, given):
        options = {"type": given} if isinstance(given, str) else given
        require(isinstance(options, dict) and "type" in options, f"the activation {given!r}; expected is a name or an object with its type")
        self.name, self.slopes, self.numbers = options["type"], None, ()
        only(options, ("type", *OF_ACTIVATION.get(self.name, ())), f"the activation {self.name!r}")
        if self.name == "LeakyReLU":
            self.numbers = (float(real(options.get("negative_slope", 0.01), '"negative_slope"')),)
        elif self.name == "Hardtanh":
            self.numbers = (-1.0, 1.0)
            require((options.get("min_val", -1), options.get("max_val", 1)) == (-1, 1), "Hardtanh with limits other than -1 and 1, which NeuralAmpModelerCore does not read")
        elif self.name == "PReLU":
            self.slopes = numbers_of(options.get("negative_slopes", [options.get("negative_slope", 0.01)]), "the slopes of PReLU")
        else:
            require(self.name in SIMPLE, f"the activation {self.name!r}; known are {', '.join(sorted(SIMPLE | {'LeakyReLU', 'PReLU', 'Hardtanh'}))}")

    def on(self, network, x):
        return network.prelu(x, self.slopes) if self.slopes is not None else network.activation(x, self.name, *self.numbers)


# -- WaveNet -------------------------------------------------------------------------------------------------------------


def each(given, count, what):
    """One for each layer of an array."""
    given = given if isinstance(given, list) else [given] * count
    require(len(given) == count, f"{what} has {len(given)} entries for {count} dilations")
    return given


class Array:
    """The configuration of one array of layers."""

    def __init__(self, given, where, problems):
        problems.run(where, only, given, OF_ARRAY, "a layer array")
        self.inputs, self.condition, self.channels = (whole(given[key], f'"{key}"') for key in ("input_size", "condition_size", "channels"))
        self.bottleneck = whole(given.get("bottleneck", self.channels), '"bottleneck"')
        self.dilations = [whole(n, "a dilation") for n in given["dilations"]]
        count = len(self.dilations)
        self.kernels = [whole(n, "a kernel size") for n in each(given["kernel_sizes"] if "kernel_sizes" in given else given["kernel_size"], count, "the kernel sizes")]
        of_one = "kernel_size" in given and given["kernel_size"] != given.get("kernel_sizes", given["kernel_size"])
        require(not of_one or self.kernels == [given["kernel_size"]] * count, f'"kernel_size" is {given.get("kernel_size")!r}, and "kernel_sizes" are {self.kernels}; give one of them')
        head = given.get("head") or {"out_channels": given["head_size"], "kernel_size": 1, "bias": given["head_bias"]}
        problems.run(where, only, head, ("out_channels", "kernel_size", "bias", "head_dilation"), "its head")
        self.head, self.head_kernel, self.head_bias = whole(head["out_channels"], '"out_channels"'), whole(head["kernel_size"], '"kernel_size"'), flag(head["bias"], '"bias" of the head')
        self.head_dilation = whole(head.get("head_dilation", 1), '"head_dilation"')
        self.groups, self.mixin_groups = (whole(given.get(key, 1), f'"{key}"') for key in ("groups_input", "groups_input_mixin"))
        layer1x1, head1x1 = given.get("layer1x1", {"active": True, "groups": 1}), given.get("head1x1", {"active": False})
        problems.run(where, only, layer1x1, ("active", "groups"), '"layer1x1"')
        problems.run(where, only, head1x1, ("active", "out_channels", "groups"), '"head1x1"')
        self.groups_1x1 = whole(layer1x1["groups"], '"groups"')
        self.head1x1 = (whole(head1x1["out_channels"], '"out_channels"'), whole(head1x1["groups"], '"groups"')) if flag(head1x1["active"], '"active"') else None
        if not flag(layer1x1["active"], '"active"'):
            problems.add(where, '"layer1x1" is not active, for which NeuralAmpModelerCore and its trainer compute different things')
        for film in FILMS:
            if given.get(film) and (given[film] is True or given[film].get("active", True)):
                problems.add(where, f'"{film}" scales numbers by the condition (FiLM), for which there are no layers here')
        gated = "gated" if flag(given.get("gated", False), '"gated"') else "none"
        modes = each(given.get("gating_mode", gated), count, '"gating_mode"')
        if "gated" in given and modes != [gated] * count:
            problems.add(where, f'"gated" is {given["gated"]}, and "gating_mode" is {given["gating_mode"]!r}; give one of them')
        seconds = each(given.get("secondary_activation") or "Sigmoid", count, '"secondary_activation"')
        self.activations, self.gates = [], []
        for i, (first, mode, second) in enumerate(zip(each(given["activation"], count, '"activation"'), modes, seconds)):
            place = f"{where}, layer {i}"
            if mode not in ("none", "gated"):
                problems.add(place, f'the "gating_mode" {mode!r}; known are none and gated')
            self.activations.append(problems.run(place, Activation, first))
            self.gates.append(problems.run(place, Activation, second or "Sigmoid") if mode == "gated" else None)

    @property
    def head_inputs(self):
        return self.head1x1[0] if self.head1x1 else self.bottleneck

    def read(self, weights):
        """Its weights, in the order of the file, without groups."""
        def convolution(out, channels, taps=1, groups=1):
            require(out % groups == channels % groups == 0, f"{groups} groups of {channels} inputs and {out} outputs")
            return ungrouped(weights.take(out, channels // groups, taps), groups)

        parts = {"rechannel": convolution(self.channels, self.inputs), "layers": []}
        for kernel, gate in zip(self.kernels, self.gates):
            out = self.bottleneck * (2 if gate else 1)
            layer = {"conv": convolution(out, self.channels, kernel, self.groups), "conv_bias": weights.take(out),
                     "mixin": convolution(out, self.condition, 1, self.mixin_groups),
                     "1x1": convolution(self.channels, self.bottleneck, 1, self.groups_1x1), "1x1_bias": weights.take(self.channels),
                     "head": same(self.bottleneck), "head_bias": np.zeros(self.bottleneck)}
            if self.head1x1:
                out, groups = self.head1x1
                layer |= {"head": convolution(out, self.bottleneck, 1, groups), "head_bias": weights.take(out)}
            parts["layers"].append(layer)
        parts["head"] = convolution(self.head, self.head_inputs, self.head_kernel)
        return parts | {"head_bias": weights.take(self.head) if self.head_bias else np.zeros(self.head)}

    def add_layer(self, network, value, i, weights, adding, condition):
        """[x, c, h] after a layer. `adding`: what its head inputs are multiplied with."""
        read = network.part(value, 0, self.channels + condition)

        def activated(activation, rows):
            weight = stacked([weights["conv"][rows], weights["mixin"][rows], nothing(self.bottleneck, read.channels - self.channels - condition)])
            return activation.on(network, network.convolution(read, weight, weights["conv_bias"][rows], self.dilations[i]))

        z = activated(self.activations[i], slice(0, self.bottleneck))
        if self.gates[i]:
            z = network.multiply(z, activated(self.gates[i], slice(self.bottleneck, None)))
        change = stacked([weights["1x1"]], [nothing(condition, self.bottleneck)], [after(adding, weights["head"])])
        bias = np.concatenate([weights["1x1_bias"], np.zeros(condition), adding[:, :, 0] @ weights["head_bias"]])
        return network.add(value, network.convolution(z, change, bias))


def stacked(*rows):
    """A weight [out, in, taps] of blocks in rows. Those with fewer taps have the last ones."""
    taps = max(block.shape[2] for row in rows for block in row)
    return np.concatenate([np.concatenate([np.pad(block, ((0, 0), (0, 0), (taps - block.shape[2], 0))) for block in row], 1) for row in rows])


def same(channels):
    return np.eye(channels)[:, :, None]


def nothing(out, channels):
    return np.zeros((out, channels, 1))


def after(matrix, weight):
    """The weight of a convolution and a matrix [out, in, 1] after it."""
    return np.einsum("oi,ijk->ojk", matrix[:, :, 0], weight)


def numbers_in(config, inputs, outputs):
    """What a file says of its channels is what its layers have. Where it says nothing, it has one."""
    for key, size in (("in_channels", inputs), ("out_channels", outputs)):
        said = config.get(key)
        require(said is None or size is None or whole(said, f'"{key}"') == size, f'"{key}" is {said!r}, and its layers have {size}')


class WaveNet:
    """What a layer reads and gives is one value of three parts: the channels of its array, x; the condition, c; what has been added up for
    the head, h. With z = activation(conv x + mixin c) it is [x + layer1x1 z, c, h + M z], a Residual of two convolutions, whose weights have
    zeros where they do not read or change a part. M is the rechannelling of the heads, as far as these have one tap: the sum needs no more
    channels than the output then.
    """

    def __init__(self, config, problems, where="config"):
        given = config.get("layers")
        require(isinstance(given, list) and given, 'it has no "layers"')
        problems.run(where, only, config, OF_WAVENET, "a WaveNet")
        problems.run(where, real, config.get("head_scale", 1), '"head_scale"')
        self.arrays = []
        for i, array in enumerate(given):
            place = f"{where}, layer array {i}"
            self.arrays.append(problems.run(place, Array, array, place, problems))
        self.head = config.get("head")
        self.head_activation = problems.run(f"{where}, head", lambda: Activation(self.head["activation"])) if self.head else None
        if self.head:
            problems.run(f"{where}, head", only, self.head, OF_HEAD, "the head")
        self.before = None
        if before := config.get("condition_dsp"):
            if before.get("architecture") == "WaveNet":
                place = f"{where}, condition_dsp"
                problems.run(place, only, before, OF_FILE, "the condition")
                self.before, self.before_weights = problems.run(place, WaveNet, before["config"], problems, place), before["weights"]
                problems.run(place, numbers_in, before["config"], self.before.inputs, None) if self.before else None
            else:
                problems.add(where, f'the "condition_dsp" is a {before.get("architecture")!r}; known is WaveNet')

    @property
    def inputs(self):
        return self.arrays[0] and self.arrays[0].inputs

    def add_to(self, network, x, given):
        """The value that it makes of x."""
        weights = Weights(given)
        condition = self.before.add_to(network, x, self.before_weights) if self.before else x
        self.check_sizes(condition.channels)
        read = [array.read(weights) for array in self.arrays]
        blocks = list(self.read_head(weights)) if self.head else []
        scale = weights.take(1)[0]
        weights.end()

        adding = same(self.arrays[-1].head)  # of each array and the output, what its head inputs are multiplied with before they are added up
        matrices = [adding]
        for array, parts in zip(reversed(self.arrays), reversed(read)):
            adding = after(adding, parts["head"]) if array.head_kernel == 1 else same(array.head_inputs)
            matrices.insert(0, adding)

        sums, c = [len(matrix) for matrix in matrices], condition.channels
        first, value = read[0]["rechannel"], x
        if self.before:
            value = network.concat(x, condition)
            rows = [[first, nothing(len(first), c)], [nothing(c, x.channels), same(c)], [nothing(sums[0], x.channels), nothing(sums[0], c)]]
        else:
            rows = [[first], [same(c)], [nothing(sums[0], c)]]
        value = network.convolution(value, stacked(*rows))
        for i, (array, parts) in enumerate(zip(self.arrays, read)):
            for layer, weight in enumerate(parts["layers"]):
                value = array.add_layer(network, value, layer, weight, matrices[i], c)
            last = i + 1 == len(read)
            summed = same(sums[i]) if array.head_kernel == 1 else after(matrices[i + 1], parts["head"])
            shift = matrices[i + 1][:, :, 0] @ parts["head_bias"]
            rows = [[nothing(sums[i + 1], array.channels + c), summed * (scale if last else 1)]]
            if not last:
                next_x = read[i + 1]["rechannel"]
                rows = [[next_x, nothing(len(next_x), c + sums[i])], [nothing(c, array.channels), same(c), nothing(c, sums[i])], *rows]
            bias = shift * scale if last else np.concatenate([np.zeros(len(next_x) + c), shift])
            value = network.convolution(value, stacked(*rows), bias if bias.any() else None, array.head_dilation)
        for weight, bias in blocks:
            value = network.convolution(self.head_activation.on(network, value), weight, bias)
        return value

    def check_sizes(self, condition):
        for i, array in enumerate(self.arrays):
            require(array.condition == condition, f'layer array {i}: its "condition_size" is {array.condition}, and the condition has {condition} channels')
            if i > 0:
                before = self.arrays[i - 1]
                require(array.inputs == before.channels, f'layer array {i}: its "input_size" is {array.inputs}, and the array before gives {before.channels} channels')
                require(array.head_inputs == before.head, f"layer array {i}: its head adds up {array.head_inputs} channels, and the head before gives {before.head}")

    def read_head(self, weights):
        channels, kernels = self.arrays[-1].head, self.head["kernel_sizes"]
        sizes = [*[whole(self.head["channels"], '"channels"')] * (len(kernels) - 1), whole(self.head["out_channels"], '"out_channels"')]
        for out, kernel in zip(sizes, kernels):
            yield weights.take(out, channels, whole(kernel, "a kernel size")), weights.take(out)
            channels = out


# -- the other architectures ---------------------------------------------------------------------------------------------


def wavenet(config, given, problems):
    made = problems.run("config", WaveNet, config, problems)
    problems.run("config", numbers_in, config, made.inputs, None) if made else None
    problems.refuse()
    network = Network(made.inputs, False)
    end = made.add_to(network, network.input, given)
    return network, end, end.reach


def linear(config, given, problems):
    """An impulse response, of which the first number is that of no delay."""
    only(config, ("receptive_field", "bias", "in_channels", "out_channels"), "a Linear")
    count, bias, weights = whole(config["receptive_field"], '"receptive_field"'), flag(config["bias"], '"bias"'), Weights(given)
    require(config.get("in_channels", 1) == config.get("out_channels", 1) == 1, "several channels")
    network = Network(1, False)
    end = network.convolution(network.input, weights.take(1, 1, count)[..., ::-1], weights.take(1) if bias else None)
    weights.end()
    return network, end, end.reach


def convnet(config, given, problems):
    only(config, ("channels", "dilations", "batchnorm", "activation", "groups", "in_channels", "out_channels"), "a ConvNet")
    weights, channels = Weights(given), whole(config["channels"], '"channels"')
    groups = whole(config.get("groups", 1), '"groups"')
    activation = problems.run("config", Activation, config["activation"])
    problems.refuse()
    network = Network(whole(config.get("in_channels", 1), '"in_channels"'), False)
    x = network.input
    for dilation in config["dilations"]:
        require(x.channels % groups == channels % groups == 0, f"{groups} groups of {x.channels} inputs and {channels} outputs")
        weight = weights.take(channels, x.channels // groups, 2)
        if flag(config["batchnorm"], '"batchnorm"'):
            mean, variance, scale, bias = (weights.take(channels) for _ in range(4))
            epsilon = weights.take(1)[0]
            require(variance.min() >= 0 and epsilon > 0, f"a variance of its batch norms is {variance.min():g}, its epsilon {epsilon:g}; they must be 0 or more, and above 0")
            scale = scale / np.sqrt(variance + epsilon)
            weight, bias = weight * scale[:, None, None], bias - scale * mean
        else:
            bias = weights.take(channels)
        x = activation.on(network, network.convolution(x, weight, bias, whole(dilation, "a dilation"), groups))
    outputs = whole(config.get("out_channels", 1), '"out_channels"')
    end = network.convolution(x, weights.take(outputs, channels, 1), weights.take(outputs))
    weights.end()
    return network, end, end.reach


def lstm(config, given, problems):
    only(config, ("num_layers", "input_size", "hidden_size", "in_channels", "out_channels"), "an LSTM")
    numbers_in(config, config["input_size"], None)
    weights, (layers, inputs, hidden) = Weights(given), (whole(config[key], f'"{key}"') for key in ("num_layers", "input_size", "hidden_size"))
    cells, begins = [], []
    for k in range(layers):
        before = inputs if k == 0 else hidden
        both = weights.take(4 * hidden, before + hidden)
        cells.append((both[:, :before], both[:, before:], weights.take(4 * hidden), np.zeros(4 * hidden)))
        begins.append((weights.take(hidden), weights.take(hidden)))
    network = Network(inputs, True)
    x = network.recurrent(network.input, "LSTM", cells)
    outputs = whole(config.get("out_channels", 1), '"out_channels"')
    end = network.convolution(x, weights.take(outputs, hidden, 1), weights.take(outputs))
    weights.end()
    return network, end, silence_before(cells, begins)


def silence_before(cells, begins):
    """After so many samples of silence an LSTM that began with zeros is in the state in which the file's begins."""
    wanted = np.stack([np.stack(state) for state in begins])
    if not wanted.any():
        return 0
    nearest, best = np.inf, 0
    for count, states in enumerate(states_of("LSTM", cells, np.zeros((LONGEST_SILENCE, 1, cells[0][0].shape[1]))), 1):
        away = np.abs(np.array(states)[:, :, 0] - wanted).max()
        if away < nearest / 2:
            nearest, best = away, count
        if away < 1e-7:
            break
    require(nearest < 1e-5, f"its state before the first sample is not the one after silence, but {nearest:.1e} away after {best} samples of it; sinter's LSTM "
            "begins with zeros")
    return best


def container(config, given, problems):
    """Networks of several sizes, of which the last one is the largest."""
    require(isinstance(config.get("submodels"), list) and config["submodels"], 'it has no "submodels"')
    only(config, ("submodels",), "a SlimmableContainer")
    last = config["submodels"][-1]
    only(last, ("max_value", "model"), "its last submodel")
    ends = [real(one["max_value"], '"max_value"') for one in config["submodels"]]
    require(all(one < two for one, two in zip(ends, ends[1:])) and ends[-1] >= 1, f'"max_value" of its submodels is {", ".join(map(str, ends))}; NeuralAmpModelerCore takes those that '
            "ascend, to 1 or more")
    return network_of(last["model"], problems)


KNOWN = {"WaveNet": wavenet, "LSTM": lstm, "ConvNet": convnet, "Linear": linear, "SlimmableContainer": container}


def network_of(given, problems):
    name = given["architecture"]
    only(given, OF_FILE, "the file")
    version = given.get("version", "0.5.0")
    require(isinstance(version, str) and re.fullmatch(r"0\.[567]\.\d+", version), f'"version" is {version!r}; known are 0.5 to 0.7, as NeuralAmpModelerCore has them')
    require(isinstance(name, str) and name in KNOWN, f"the architecture {name!r}; known are {', '.join(KNOWN)}")
    return KNOWN[name](given["config"], given["weights"], problems)


def convert(path, name, folder=".", length=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have."""
    check_given(name, length)
    given, problems = read_json(path, ".nam file"), Problems()
    made = problems.run(path, network_of, given, problems)
    problems.refuse()
    network, end, silence = made
    about = [str(path).rsplit("/", 1)[-1]]
    if (rate := given.get("sample_rate")) is not None:
        require(real(rate, '"sample_rate"') > 0, f'"sample_rate" is {rate!r}; it must be above 0')
        about.append(f"For sounds of {rate:g} samples a second.")
    about.append(f"Begins after silence: push {silence} zeros to a stream before the first sample.") if silence else None
    network.write(end, name, length, "from_nam.py", about, folder, silence)


def main():
    return run_main(argparse.ArgumentParser(prog="from_nam", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter), convert)


if __name__ == "__main__":
    sys.exit(main())
