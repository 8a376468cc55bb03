#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_nam.py CXX FOLDER: what tools/from_nam.py makes of .nam files, compiled and run, against PyTorch.

Each network here is written down once with PyTorch's functions, and takes its weights from a generator: what it took is the file. Of the
whole, every window sees zeros before the first sample; of a stream after silence, none sees anything but the signal.
"""
import json
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_nam  # noqa: E402
import numpy as np  # noqa: E402
import streamed  # noqa: E402
import torch  # noqa: E402
from streamed import check  # noqa: E402
from torch.nn import functional as F  # noqa: E402

torch.set_default_dtype(torch.float64)
SAMPLES, LENGTH, ROWS = 600, 48, 3


class Source:
    """Numbers in the order in which a file has them."""

    def __init__(self, seed):
        self.generator, self.all = np.random.default_rng(seed), []

    def put(self, numbers):
        numbers = np.asarray(numbers, np.float32).astype(float)
        self.all += numbers.reshape(-1).tolist()
        return torch.tensor(numbers)

    def take(self, *shape, low=-0.7):
        return self.put(self.generator.uniform(low, 0.7, shape))


class Again:
    """The same numbers once more."""

    def __init__(self, source):
        self.left = list(source.all)

    def take(self, *shape, low=None):
        size = int(np.prod(shape))
        taken, self.left = self.left[:size], self.left[size:]
        return torch.tensor(taken).reshape(shape)


def convolution(x, weight, bias=None, dilation=1, groups=1, padded=False):
    return F.conv1d(F.pad(x, ((weight.shape[2] - 1) * dilation, 0)) if padded else x, weight, bias, dilation=dilation, groups=groups)


def ends(*values):
    """The last samples of values, as many as the shortest has."""
    length = min(value.shape[2] for value in values)
    return [value[..., -length:] for value in values]


def activation(given, x):
    given = {"type": given} if isinstance(given, str) else given
    if given["type"] == "PReLU":
        return F.prelu(x, torch.tensor(given["negative_slopes"]).float().double())
    if given["type"] == "LeakyReLU":
        return F.leaky_relu(x, given["negative_slope"])
    return {"Tanh": torch.tanh, "ReLU": torch.relu, "Sigmoid": torch.sigmoid, "SiLU": F.silu, "Hardswish": F.hardswish, "Hardtanh": F.hardtanh}[given["type"]](x)


def listed(given, count):
    return given if isinstance(given, list) else [given] * count


def wavenet(config, source, x, padded):
    condition = x
    if "condition_dsp" in config:
        given = config["condition_dsp"]
        own = given.setdefault("source", Source(99))
        condition = wavenet(given["config"], Again(own) if own.all else own, x, padded)
        given["weights"] = own.all
    head = None
    for array in config["layers"]:
        channels, conditions = array["channels"], array["condition_size"]
        middle, count = array.get("bottleneck", channels), len(array["dilations"])
        x = convolution(x, source.take(channels, array["input_size"], 1))
        modes = listed(array.get("gating_mode", "gated" if array.get("gated") else "none"), count)
        seconds = listed(array.get("secondary_activation", "Sigmoid"), count)
        groups, mixing = array.get("groups_input", 1), array.get("groups_input_mixin", 1)
        kernels = listed(array.get("kernel_sizes", array.get("kernel_size")), count)
        for dilation, first, mode, second, kernel in zip(array["dilations"], listed(array["activation"], count), modes, seconds, kernels):
            out = 2 * middle if mode == "gated" else middle
            z = convolution(x, source.take(out, channels // groups, kernel), source.take(out), dilation, groups, padded)
            z, mixed = ends(z, convolution(condition, source.take(out, conditions // mixing, 1), groups=mixing))
            z = z + mixed
            z = activation(first, z[:, :middle]) * activation(second, z[:, middle:]) if mode == "gated" else activation(first, z)
            groups_1x1 = array.get("layer1x1", {}).get("groups", 1)
            more = convolution(z, source.take(channels, middle // groups_1x1, 1), source.take(channels), groups=groups_1x1)
            if "head1x1" in array:
                size, parts = array["head1x1"]["out_channels"], array["head1x1"]["groups"]
                z = convolution(z, source.take(size, middle // parts, 1), source.take(size), groups=parts)
            x, more = ends(x, more)
            x = x + more
            head = z if head is None else sum(ends(head, z))
        after = array.get("head") or {"out_channels": array["head_size"], "kernel_size": 1, "bias": array["head_bias"]}
        weight = source.take(after["out_channels"], head.shape[1], after["kernel_size"])
        head = convolution(head, weight, source.take(after["out_channels"]) if after["bias"] else None, padded=padded)
    blocks = []
    if config.get("head"):
        sizes = [config["head"]["channels"]] * (len(config["head"]["kernel_sizes"]) - 1) + [config["head"]["out_channels"]]
        before = head.shape[1]
        for size, kernel in zip(sizes, config["head"]["kernel_sizes"]):
            blocks.append((source.take(size, before, kernel), source.take(size)))
            before = size
    head = source.take(1) * head
    for weight, bias in blocks:
        head = convolution(activation(config["head"]["activation"], head), weight, bias, padded=padded)
    return head


def convnet(config, source, x, padded):
    channels, groups = config["channels"], config.get("groups", 1)
    for dilation in config["dilations"]:
        weight = source.take(channels, x.shape[1] // groups, 2)
        if config["batchnorm"]:
            x = convolution(x, weight, None, dilation, groups, padded)
            mean, variance, scale, bias, epsilon = *(source.take(channels, low=low) for low in (-1, 0.1, -1, -1)), source.take(1, low=0.01)
            x = F.batch_norm(x, mean, variance, scale, bias, eps=epsilon.item())
        else:
            x = convolution(x, weight, source.take(channels), dilation, groups, padded)
        x = activation(config["activation"], x)
    return convolution(x, source.take(1, channels, 1), source.take(1))


def linear(config, source, x, padded):
    impulse = source.take(1, 1, config["receptive_field"])
    return convolution(x, impulse.flip(2), source.take(1), padded=padded)


def lstm(config, source, x, padded):
    """Begins with zeros, or in the state of the file, which is the one after a second of silence."""
    inputs, hidden, count = config["input_size"], config["hidden_size"], config["num_layers"]
    net = torch.nn.LSTM(inputs, hidden, count, batch_first=True)
    cells = []
    for k in range(count):
        both, bias = source.take(4 * hidden, (inputs if k == 0 else hidden) + hidden), source.take(4 * hidden)
        cells.append([both[:, :-hidden], both[:, -hidden:], bias, torch.zeros_like(bias)])
        if isinstance(source, Source):
            begin = silent(cells, inputs, hidden)
            source.put(begin[0][-1]), source.put(begin[1][-1])
        else:
            source.take(2 * hidden)
    net.load_state_dict(state_of(cells))
    weight, bias = source.take(1, hidden), source.take(1)
    with torch.no_grad():
        begin = None if padded else [part[:, None].expand(-1, len(x), -1).contiguous() for part in silent(cells, inputs, hidden)]
        return F.linear(net(x.transpose(1, 2), begin)[0], weight, bias).transpose(1, 2)


def state_of(cells):
    return {f"{name}_l{k}": tensor for k, cell in enumerate(cells) for name, tensor in zip(("weight_ih", "weight_hh", "bias_ih", "bias_hh"), cell)}


def silent(cells, inputs, hidden):
    net = torch.nn.LSTM(inputs, hidden, len(cells), batch_first=True)
    net.load_state_dict(state_of(cells))
    with torch.no_grad():
        return [part[:, 0] for part in net(torch.zeros(1, 48000, inputs))[1]]


def array(input_size, channels, head_size, dilations, condition_size=1, **more):
    given = {"input_size": input_size, "condition_size": condition_size, "head_size": head_size, "channels": channels, "kernel_size": 3,
             "dilations": dilations, "activation": "Tanh", "head_bias": False}
    return given | more


def newer(input_size, channels, head, dilations, **more):
    given = array(input_size, channels, None, dilations) | {"head": {"out_channels": head[0], "kernel_size": head[1], "bias": True}} | more
    return {key: value for key, value in given.items() if key not in ("head_size", "head_bias", *(["kernel_size"] if "kernel_sizes" in more else []))}


# The network, its configuration, and what the header must say.
CASES = {
    "Standard": ("WaveNet", wavenet, {"layers": [array(1, 4, 3, [1, 2, 4]), array(4, 3, 1, [8, 1], head_bias=True)], "head": None, "head_scale": 0.02},
                 "Residual<sinter::Path<sinter::Conv1d<4, 3, sinter::Causal, sinter::Dilation<2>>, sinter::Tanh, sinter::Conv1d<6, 1>>>"),
    "Gated": ("WaveNet", wavenet, {"layers": [array(1, 3, 2, [1, 3], gated=True, activation="ReLU", head_bias=True, kernel_size=2), array(3, 2, 1, [2], gated=True)], "head": None,
                                   "head_scale": 1}, "Product<sinter::Path<sinter::Conv1d<3, 2, sinter::Causal>, sinter::ReLU>, sinter::Path"),
    # All that files of version 0.7 may say, but for FiLM.
    "Newer": ("WaveNet", wavenet, {
        "condition_dsp": {"architecture": "WaveNet", "config": {"layers": [array(1, 2, 2, [1, 2])], "head": None, "head_scale": 1}},
        "layers": [newer(1, 4, (6, 3), [1, 2, 3], condition_size=2, bottleneck=2, groups_input=2, groups_input_mixin=2, kernel_sizes=[2, 4, 3],
                         activation=[{"type": "LeakyReLU", "negative_slope": 0.03}, {"type": "PReLU", "negative_slopes": [0.1, 0.2]}, "SiLU"],
                         gating_mode=["none", "gated", "none"], secondary_activation=[None, {"type": "Hardtanh"}, None],
                         head1x1={"active": True, "out_channels": 4, "groups": 2}, layer1x1={"active": True, "groups": 2}),
                   newer(4, 6, (2, 1), [2], condition_size=2, activation="Hardswish", conv_pre_film={"active": False, "shift": True, "groups": 1}, slimmable=None)],
        "head": {"channels": 3, "activation": "Sigmoid", "out_channels": 2, "kernel_sizes": [2, 3]}, "head_scale": 0.5}, "Conv1d<2, 3, sinter::Causal>> {}"),
    "OneArray": ("WaveNet", wavenet, {"layers": [newer(1, 3, (1, 16), [1, 7], kernel_sizes=[6, 15])], "head": None, "head_scale": 0.01}, "Conv1d<1, 16, sinter::Causal>> {}"),
    "Memory": ("LSTM", lstm, {"input_size": 1, "hidden_size": 5, "num_layers": 2}, "Input<64, 1>, sinter::LSTM<5, sinter::NumLayers<2>>, sinter::PositionwiseLinear<1>"),
    "Normed": ("ConvNet", convnet, {"channels": 4, "dilations": [1, 4], "batchnorm": True, "activation": "Tanh"}, "Input<1, 48>, sinter::Conv1d<4, 2, sinter::Causal>, sinter::Tanh"),
    "Grouped": ("ConvNet", convnet, {"channels": 4, "dilations": [2, 1], "batchnorm": False, "activation": "ReLU", "groups": 2, "in_channels": 2},
                "Input<2, 48>, sinter::Conv1d<4, 2, sinter::Causal, sinter::Dilation<2>, sinter::Groups<2>>, sinter::ReLU"),
    "Impulse": ("Linear", linear, {"receptive_field": 20, "bias": True}, "Input<1, 48>, sinter::Conv1d<1, 20, sinter::Causal>> {}"),
}


def of(config, architecture="WaveNet", **more):
    return {"version": "0.7.0", "architecture": architecture, "config": config, "weights": [0.5] * 8} | more


def layers(**more):
    return {"layers": [array(1, 2, 1, [1, 2]) | more], "head": None, "head_scale": 1}


IMPULSE = {"receptive_field": 1, "bias": True}
REFUSED = [
    (of(layers(gating_mode=["blended", "none"], conv_pre_film={"active": True}, layer1x1={"active": False, "groups": 1})
        | {"head": {"activation": "Fasttanh"}}),
     ["layer array 0, layer 0: the \"gating_mode\" 'blended'", "conv_pre_film\" scales", '"layer1x1" is not active', "config, head: the activation 'Fasttanh'; known are"]),
    (of(layers(activation=["Softsign", {"type": "LeakyHardtanh"}])), ["layer 0: the activation 'Softsign'", "layer 1: the activation 'LeakyHardtanh'"]),
    (of(layers()), ['"weights" has 8 numbers, and the "config" needs more']),
    (of({"receptive_field": 4, "bias": True}, "Linear"), ['"weights" has 8 numbers, and the "config" needs 5']),
    (of({"receptive_field": 4, "bias": True}, "Linear", weights=[1, 2, float("nan")]), ["not all finite"]),
    (of({"input_size": 1, "hidden_size": 1, "num_layers": 1}, "LSTM", weights=[0.1] * 12 + [0.9, 0.9] + [1, 1]), ["its state before the first sample is not the one after silence"]),
    (of({}, "CatLSTM"), ["the architecture 'CatLSTM'; known are WaveNet"]),
    (of({"num_layers": 1, "hidden_size": 2}, "LSTM"), ["'input_size' is missing"]),
    (of({"num_layers": 0, "hidden_size": 2, "input_size": 1}, "LSTM"), ['"num_layers" is 0; it must be a positive whole number']),
    (of(layers(condition_size=2), weights=[0.1] * 61), ["layer array 0: its \"condition_size\" is 2, and the condition has 1 channels"]),
    (of({"submodels": []}, "SlimmableContainer"), ['it has no "submodels"']),
    (of(layers() | {"layers": 5}), ['it has no "layers"']),
    (of(layers(), foo=1, in_skip=1), [".nam: 'foo', 'in_skip' in the file is not known, and may change what the network computes"]),
    (of(layers() | {"in_gain": 1}), ["config: 'in_gain' in a WaveNet is not known"]),
    (of(layers(conv_film={"active": True}, layer1x1={"active": True, "groups": 1, "bias": False}, head1x1={"active": False, "foo": 1})),
     ["layer array 0: 'conv_film' in a layer array is not known", "'bias' in \"layer1x1\" is not known", "'foo' in \"head1x1\" is not known"]),
    (of(layers(activation={"type": "Tanh", "slope": 1}) | {"head": {"activation": "Tanh", "channels": 1, "out_channels": 1, "kernel_sizes": [1], "bias": False}}),
     ["'slope' in the activation 'Tanh' is not known", "config, head: 'bias' in the head is not known"]),
    (of(layers(), weights=[0.1] * 30) | {"config": layers() | {"in_channels": 2}}, ['config: "in_channels" is 2, and its layers have 1']),
    (of(layers() | {"condition_dsp": {"architecture": "WaveNet", "config": layers(), "weights": [], "gain": 2}}), ["condition_dsp: 'gain' in the condition is not known"]),
    (of({"receptive_field": 4, "bias": True, "gain": 1}, "Linear"), ["'gain' in a Linear is not known"]),
    (of({"channels": 4, "dilations": [1], "batchnorm": False, "activation": "Tanh", "skip": True}, "ConvNet"), ["'skip' in a ConvNet is not known"]),
    (of({"input_size": 1, "hidden_size": 1, "num_layers": 1, "residual": True}, "LSTM"), ["'residual' in an LSTM is not known"]),
    (of({"input_size": 1, "hidden_size": 1, "num_layers": 1, "in_channels": 2}, "LSTM"), ['"in_channels" is 2, and its layers have 1']),
    (of({"submodels": [{"model": of(layers()), "gain": 1}]}, "SlimmableContainer"), ["'gain' in its last submodel is not known"]),
    *[(of({"channels": 1, "dilations": [1], "batchnorm": False, "activation": {"type": "LeakyReLU", "negative_slope": slope}}, "ConvNet", weights=[0.1] * 5),
       [f'config: "negative_slope" is {slope!r}; it must be a number']) for slope in ("a", None, [0.1], float("inf"))],
    (of({"channels": 1, "dilations": [1], "batchnorm": False, "activation": {"type": "PReLU", "negative_slope": "a"}}, "ConvNet"), ["the slopes of PReLU are not numbers"]),
    ({"weights": []}, ["'architecture' is missing"]),
    *[(of(IMPULSE, "Linear", weights=weights), [text]) for weights, text in (
        (["0.1", "0.2"], '"weights" are not numbers: there is str'), ([True, 0.5], '"weights" are not numbers: there is bool'), ([0.5, None], '"weights" are not numbers: there is NoneType'),
        ([1e39, 0.5], "not all finite"))],
    *[(of(IMPULSE, "Linear", weights=[0.5, 0.5], **more), [text]) for more, text in (
        ({"version": "9.9.9"}, "\"version\" is '9.9.9'; known are 0.5 to 0.7, as NeuralAmpModelerCore has them"), ({"version": None}, '"version" is None; known are'),
        ({"sample_rate": True}, '"sample_rate" is True; it must be a number'), ({"sample_rate": -1}, '"sample_rate" is -1; it must be above 0'))],
    (of(IMPULSE | {"bias": "false"}, "Linear"), ["\"bias\" is 'false'; it must be true or false"]),
    (of(IMPULSE | {"receptive_field": [9, 1]}, "Linear"), ['"receptive_field" is [9, 1]; it must be a positive whole number']),
    (of(layers() | {"head_scale": "x"}), ["config: \"head_scale\" is 'x'; it must be a number"]),
    (of(layers(gating_mode="none", gated=True)), ["layer array 0: \"gated\" is True, and \"gating_mode\" is 'none'; give one of them"]),
    (of(layers(gated="false")), ["layer array 0: \"gated\" is 'false'; it must be true or false"]),
    (of(layers(kernel_sizes=[2, 2])), ['layer array 0: "kernel_size" is 3, and "kernel_sizes" are [2, 2]; give one of them']),
    (of({"channels": 1, "dilations": [1], "batchnorm": True, "activation": "ReLU"}, "ConvNet", weights=[0.1, 0.1, 0, -0.5, 1, 0, 1e-5, 0.1, 0.1]), ["a variance of its batch norms is -0.5"]),
    *[(of({"submodels": [{"max_value": end, "model": of(layers())} for end in ends]}, "SlimmableContainer"), ['"max_value" of its submodels is ']) for ends in ([1.0, 0.5], [1.0, 1.0], [0.2, 0.5])],
]


def made(name, architecture, network, config, folder):
    """The file of a network; how many moments it looks back; a signal, and what it gives as a whole and after silence."""
    source = Source(len(name))
    channels = config["layers"][0]["input_size"] if "layers" in config else config.get("in_channels", 1)
    generator = np.random.default_rng(7)
    whole, signal = (torch.tensor(generator.uniform(-1, 1, (rows, channels, size)).astype(np.float32).astype(float)) for rows, size in ((ROWS, LENGTH), (1, SAMPLES)))
    length = 64 if architecture == "LSTM" else LENGTH
    if architecture == "LSTM":
        whole = torch.nn.functional.pad(whole, (0, length - LENGTH))
    with torch.no_grad():
        all_of_it = network(config, source, whole, True)
        long = torch.zeros(1, channels, 4000)
        reach = 4000 - network(config, Again(source), long, False).shape[2]
        after = network(config, Again(source), F.pad(signal, (reach, 0)), False)
    file = {"version": "0.7.0", "architecture": architecture, "config": config, "weights": source.all, "sample_rate": 48000}
    file = json.loads(json.dumps(file, default=lambda _: None))
    file["config"].get("condition_dsp", {}).pop("source", None)
    text = json.dumps(file)
    path = folder / f"{name}.nam"
    path.write_text(json.dumps({"version": "0.7.0", "architecture": "SlimmableContainer", "weights": [], "config": {"submodels": [
        {"max_value": 0.5, "model": {}}, {"max_value": 1.0, "model": json.loads(text)}]}}) if name == "OneArray" else text)
    from_nam.convert(path, name, folder, length)
    return reach, whole, all_of_it, signal, after


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    cases, wanted, good = [], {}, True
    for name, (architecture, network, config, text) in CASES.items():
        reach, whole, all_of_it, signal, after = made(name, architecture, network, config, folder)
        header, program = (folder / f"{name}.hpp").read_text(), (folder / f"{name}.cpp").read_text()
        good &= check(text in header.replace("\n    ", " "), f"{name}: the header says {text}")
        said = int(program.split("i < ")[1].split(";")[0]) if "i < " in program else 0
        good &= check(said >= reach if architecture != "LSTM" else 5 < said < 48000, f"{name}: {said} samples of silence")
        rows = [value[0].numpy().T if i % 2 else (value.transpose(1, 2) if architecture == "LSTM" else value).numpy().reshape(-1, 1)
                for i, value in enumerate((whole, signal, all_of_it, after))]
        cases.append((name, said, rows[0], rows[1], rows[3].shape[1]))
        wanted[name] = (rows[2], rows[3])
    for name, files in streamed.run(cxx, root, folder, cases).items():
        (path, _), (stream, outputs) = files
        good &= streamed.close(streamed.floats(path, 1), wanted[name][0], f"{name}: as a whole")
        good &= streamed.close(streamed.floats(stream, outputs), wanted[name][1], f"{name}: as a stream in odd blocks")
    for name in ("Newer", "Memory"):
        signal = next(case[3] for case in cases if case[0] == name)
        good &= streamed.check_program(cxx, root, folder, name, signal, wanted[name][1])

    path = folder / "refused.nam"
    for given, texts in REFUSED:
        path.write_text(json.dumps(given))
        good &= streamed.check_refused(from_nam.convert, from_nam.Refused, path, folder, texts)
    path.write_text(json.dumps(of(IMPULSE, "Linear", weights=[0.5, 0.5])))
    for length in (999999999999, 0):
        good &= streamed.check_refused(from_nam.convert, from_nam.Refused, path, folder, [f"a length of {length} was given; sequences have 1 to 1,048,576 moments"], length)
    for dilations, length, text in (([10**13], None, "a dilation is 10000000000000; it must be a positive whole number below 2^31"),
                                    ([2**30], 16, "is no layer of sinter: its numbers and what its window reaches over are up to 16,777,216"),
                                    ([2**23] * 10000, None, "moments need more memory than there is; give it a smaller --length")):
        config = {"channels": 1, "dilations": dilations, "batchnorm": False, "activation": "ReLU"}
        path.write_text(json.dumps(of(config, "ConvNet", weights=[0.5] * (3 * len(dilations) + 2))))
        good &= streamed.check_refused(from_nam.convert, from_nam.Refused, path, folder, [text], length)
    path.write_text(json.dumps(of(layers(activation="Softsign") | {"in_channels": 2})))
    try:
        from_nam.convert(path, "Refused", folder)
    except from_nam.Refused as why:
        good &= check("NoneType" not in str(why), "a refused layer array is not called NoneType")
    path.write_text("none")
    good &= streamed.check_refused(from_nam.convert, from_nam.Refused, path, folder, ["is not a .nam file, which is JSON"])
    for text in ("[" * 100000, '{"config":' * 100000):
        path.write_text(text)
        good &= streamed.check_refused(from_nam.convert, from_nam.Refused, path, folder, ["is not a .nam file: its lists or objects are nested too deeply"])
    good &= streamed.check_refused(from_nam.convert, from_nam.Refused, folder / "lacking.nam", folder, ["lacking.nam cannot be read"])
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
