#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx.py FILE NAME [FOLDER] [--from TENSOR] [--to TENSOR]... [--shape TENSOR=SIZES]...: a trained network in an ONNX file
as one of sinter. Needs onnx, onnxruntime and layer_graph.py beside it.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its weights and
a self-test by onnxruntime, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network.

--from and --to cut a part out of the graph: it begins at one value and ends at one or several. --shape gives sizes that the file
leaves open, such as --shape audio=1x16000 for one sample; the batch is always open in sinter. In Python the same is

    from from_onnx import convert
    convert("digits.onnx", "Digits", "folder", begin="features", ends=["scores"], shapes={"audio": (1, 16000)})

What sinter does not have is refused: all nodes at once, each with its name, operator and reason.
"""
import argparse
import math
import pathlib
import re
import sys
import tempfile

import numpy as np
import onnx
import onnxruntime

from layer_graph import Layers, Node, Refused, check_names, kernel, number, option, require, reshaped, spelled, write, write_network

OPSETS = range(9, 24)
# What onnxruntime would do besides folding constants and taking zeros around a window as its padding: layers are to stay what they are.
KEPT_APART = ["ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "EliminateDropout", "FuseReluClip", "MatMulBNFusion",
              "MatMulScaleFusion", "ReluQuantRewrite", "GemmSumFusion", "GemmTransposeFusion"]


def short(value):
    """The shortest number that rounds to the same float."""
    return number(str(np.float32(value)))


# -- the file ------------------------------------------------------------------------------------------------------------


def read(path):
    path = pathlib.Path(path)
    try:
        model = onnx.load(path)
    except OSError as problem:
        raise Refused(f"{problem.filename or path} cannot be read: {problem.strerror}; the file, or weights that it keeps in a file beside it, "
                      "are missing") from None
    except Exception as problem:
        raise Refused(f"{path} is no ONNX file, or weights that it keeps in files beside it are missing: {problem}") from None
    require(len(model.graph.node) > 0, f"{path} holds no ONNX graph")
    opset = max([entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")], default=0)
    require(opset in OPSETS, f"{path} is of opset {opset}; known are {OPSETS[0]} to {OPSETS[-1]}: convert it by onnx.version_converter")
    return model, opset


def fix_sizes(model, shapes):
    """Gives all inputs their sizes, with a batch of 1."""
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]
    unknown = set(shapes) - {entry.name for entry in inputs}
    require(not unknown, f"there is no input {sorted(unknown)}; the inputs are {[entry.name for entry in inputs]}")
    for entry in inputs:
        dims = entry.type.tensor_type.shape.dim
        wanted = shapes.get(entry.name)
        require(wanted is None or len(wanted) + 1 == len(dims),
                f"input {entry.name!r} has {len(dims)} sizes with the batch, and {len(wanted or ())} were given for a sample")
        for i, dim in enumerate(dims):
            if wanted is not None:
                dim.dim_value = 1 if i == 0 else wanted[i - 1]
            elif not dim.HasField("dim_value") or dim.dim_value <= 0:
                require(i == 0, f"input {entry.name!r} has an open size, number {i} ({dim.dim_param or 'without a name'}): give the sizes of a "
                        f"sample by --shape {entry.name}=SIZES")
                dim.dim_value = 1
    del graph.value_info[:]
    for entry in graph.output:
        entry.type.tensor_type.ClearField("shape")
    return inputs


def fold(model):
    """The model without what can be computed beforehand, and with paddings in the windows that they are for, by onnxruntime."""
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
    options.log_severity_level = 4
    with tempfile.TemporaryDirectory() as folder:
        options.optimized_model_filepath = str(pathlib.Path(folder) / "folded.onnx")
        try:
            onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"],
                                         disabled_optimizers=KEPT_APART)
        except Exception as problem:
            raise Refused(f"onnxruntime does not take the model: {str(problem).splitlines()[0]}") from None
        return onnx.load(options.optimized_model_filepath)


def rows_of(entry, generator):
    dims = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
    kind = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
    return generator.integers(0, 2, dims).astype(kind)


def run(model, names, given):
    """The values of these names."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    wanted = {entry.name for entry in session.get_inputs()}
    return dict(zip(names, session.run(names, {name: value for name, value in given.items() if name in wanted})))


def cut(model, begin, ends, values):
    """The part of a model from one value to others."""
    producers = {name: node for node in model.graph.node for name in node.output}
    constants = {tensor.name for tensor in model.graph.initializer}
    for name in [begin, *ends]:
        require(name in values, f"there is no value {name!r}; values are {', '.join(sorted(values)[:12])}, ..")
    found, left = set(), list(ends)
    while left:
        name = left.pop()
        if name and name not in found and name != begin:
            found.add(name)
            left += producers[name].input if name in producers else []
    outside = sorted(name for name in found if name not in producers and name not in constants)
    require(not outside, f"{', '.join(ends)} also needs {outside}; sinter's networks take one input: begin at a value after which "
            "no other is needed, by --from TENSOR")
    require(begin not in ends, f"{begin!r} is both the begin and an end")
    part = onnx.ModelProto.FromString(model.SerializeToString())
    kept = [node for node in model.graph.node if found & set(node.output)]
    del part.graph.node[:], part.graph.input[:], part.graph.output[:]
    part.graph.node.extend(kept)
    kind = onnx.helper.np_dtype_to_tensor_dtype(values[begin].dtype)
    part.graph.input.append(onnx.helper.make_tensor_value_info(begin, kind, values[begin].shape))
    part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in ends)
    return part


# -- functions of single numbers -----------------------------------------------------------------------------------------


def erf(x):
    return np.vectorize(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def functor(name):
    return f"Activation<sinter::fn::~{name}>"  # the mark keeps the name as it is


# What the operators do to numbers, for those that files write activations with.
ELEMENTS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power, "Min": np.minimum, "Max": np.maximum,
    "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Erf": erf, "Tanh": np.tanh, "Sigmoid": sigmoid,
    "Relu": lambda x: np.maximum(x, 0), "Softplus": lambda x: np.logaddexp(0, x), "Reciprocal": lambda x: 1 / x,
    "Clip": lambda x, low=-np.inf, high=np.inf: np.clip(x, low, high), "Where": np.where, "Greater": np.greater, "Less": np.less,
    "GreaterOrEqual": np.greater_equal, "LessOrEqual": np.less_equal,
}
ACTIVATIONS = {
    "ReLU": lambda x: np.maximum(x, 0), "Tanh": np.tanh, "Sigmoid": sigmoid, "SiLU": lambda x: x * sigmoid(x),
    "GELU": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    "GELUTanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "Hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Softplus<1.0, 20.0>": lambda x: np.logaddexp(0, x),
    "ELU<1.0>": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))), "Hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    "ReLU6": lambda x: np.clip(x, 0, 6), functor("Exp"): np.exp, functor("Log"): np.log, functor("Sqrt"): np.sqrt,
    functor("Square"): np.square, functor("Abs"): np.abs, functor("Negation"): np.negative,
}
PROBES = np.concatenate([np.linspace(-9, 9, 181), [-30, 30, 0.013, -0.013]])


def activation_of(y):
    """The activation with these values at PROBES: its text, "" for none at all, or None for one that is not known."""
    def same(a, b):
        return a.shape == b.shape and np.allclose(a, b, rtol=2e-6, atol=2e-6, equal_nan=True)

    if same(y, PROBES):
        return ""
    with np.errstate(all="ignore"):
        for text, function in ACTIVATIONS.items():
            if same(y, function(PROBES)):
                return text
    low, high = (float(y[at]) for at in (np.argmin(PROBES), np.argmax(PROBES)))
    if low < high and same(y, np.clip(PROBES, low, high)):
        return spelled("Hardtanh", short(low), short(high))
    if not np.isfinite(y).all():
        return None
    slope = float(np.float32(y[np.argmin(PROBES)] / PROBES.min()))
    return f"LeakyReLU<{short(slope)}>" if same(y, np.where(PROBES > 0, PROBES, slope * PROBES)) else None


# -- the graph -----------------------------------------------------------------------------------------------------------


def encoded(array):
    kind = "F64" if array.dtype == np.float64 else "F32"
    array = np.ascontiguousarray(array, dtype="<f8" if kind == "F64" else "<f4")
    return kind, array.shape, array.tobytes()


class Weighted:
    """A layer with weights for each of its outputs, which takes in what is added to or multiplied with them."""

    def __init__(self, spell, tensors):
        self.spell, self.tensors = spell, tensors

    def apply(self, scale, shift, node):
        weight = self.tensors["weight"]
        along = self.tensors.get("axis", 0)
        each = [1] * weight.ndim
        each[along] = -1
        self.tensors["weight"] = weight * scale.astype(weight.dtype).reshape(each)
        bias = self.tensors.get("bias", np.zeros_like(scale, dtype=weight.dtype)) * scale + shift
        if "bias" in self.tensors or shift.any():
            self.tensors["bias"] = bias.astype(weight.dtype)
        self.write(node)

    def write(self, node):
        node.text = self.spell("bias" in self.tensors)
        node.tensors = {name: encoded(tensor) for name, tensor in self.tensors.items() if name != "axis"}


class Reader:
    """Reads the nodes of a graph as layers."""

    def __init__(self, model, opset, values, begin, ends):
        self.opset, self.values = opset, values
        graph = model.graph
        self.constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.producers, self.position, self.reads = {}, {}, {}
        for i, node in enumerate(graph.node):
            for name in node.output:
                self.producers[name], self.position[name] = node, i
            for name in node.input:
                self.reads[name] = self.reads.get(name, 0) + 1
            if node.op_type == "Constant":
                self.constants[node.output[0]] = values[node.output[0]]
        for name in ends:
            self.reads[name] = self.reads.get(name, 0) + 2
        self.odd, self.weighted, self.problems = {}, {}, []
        self.nodes = {begin: Node("input", [], self.sample(begin), f"input {begin!r}")}
        for name in ends:
            self.source(name)
        if self.problems:
            raise Refused("\n".join(dict.fromkeys(self.problems)))

    # Values.

    def sample(self, name):
        """The sizes of one sample."""
        shape = tuple(int(n) for n in self.values[name].shape)
        require(shape and shape[0] == 1, f"its value {name!r} of the sizes {list(shape)} has no batch as its first size")
        return shape[1:] or (1,)

    def value(self, name):
        """The Node of a value."""
        if name not in self.nodes:
            node = self.producers[name]
            try:
                self.nodes[name] = self.layer(node, name)
            except Refused as why:
                self.problems.append(f"node {node.name or name!r} (op {node.op_type}): {why}")
                sources = [self.value(other) for other in node.input if other and other not in self.constants and other in self.nodes | self.producers]
                shape = tuple(self.values[name].shape[1:])
                self.nodes[name] = Node("layer", sources, shape, "refused", "Refused")
        return self.nodes[name]

    def source(self, name):
        """The Node of a value that is read as it is: with a batch, and of no more sizes than samples have."""
        require(name not in self.constants, f"{name!r} is a constant, where the network's own values are expected")
        node = self.value(name)
        if name in self.odd and not self.problems:
            raise Refused(self.odd[name])
        return node

    def constant(self, name, what):
        require(name in self.constants, f"{what} {name!r} is computed while the network runs")
        return self.constants[name]

    def given(self, node, i):
        """Input i of a node as a constant, or None where it is left out."""
        return self.constant(node.input[i], f"input {i}") if len(node.input) > i and node.input[i] else None

    def reshape(self, before, name):
        """The same numbers in the sizes of another value."""
        while before.kind == "layer" and not before.tensors and re.match(r"(Flatten|Reshape<.*>)?$", before.text or ""):
            before = before.sources[0]
        shape = tuple(int(n) for n in self.values[name].shape)
        if not shape or shape[0] != 1 or len(shape) > 4:
            self.odd[name] = f"value {name!r} of the sizes {list(shape)} is no batch of samples of up to three sizes"
            return Node("layer", [before], shape, name, "Reshape<>")
        shape = shape[1:] or (1,)
        return before if shape == before.shape else Node("layer", [before], shape, f"value {name!r}", reshaped(before.shape, shape))

    def one(self, node, text, shape, tensors=None, source=None):
        """A layer on the first input."""
        source = source or self.source(node.input[0])
        return Node("layer", [source], shape, f"node {node.name or node.output[0]!r}", text,
                    tensors={name: encoded(tensor) for name, tensor in (tensors or {}).items()})

    # Operators.

    def layer(self, node, name):
        read = getattr(self, f"read_{node.op_type}", None) if node.domain in ("", "ai.onnx") else None
        if read and node.op_type not in ("Add", "Sub", "Mul", "Div", "HardSigmoid"):
            return read(node, name)
        function = self.function(name)
        if function:
            return function
        require(read, "sinter has no layer for this operator" + (f" of {node.domain}" if node.domain else ""))
        return read(node, name)

    def attributes(self, node):
        return {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}

    def function(self, name):
        """The activation that operators on single numbers compute from one value, or None."""
        inside, left = [], {name}
        while len(inside) < 24:
            last = max(left, key=lambda value: self.position.get(value, -1))
            node = self.producers.get(last)
            if node is None or node.op_type not in ELEMENTS and node.op_type != "HardSigmoid":
                return None
            inputs = [value for value in node.input if value and value not in self.constants]
            if any(self.constants[value].size != 1 for value in node.input if value in self.constants):
                return None
            inside.append(node)
            left = (left - {last}) | set(inputs)
            if len(left) == 1:
                found = activation_of(self.computed(name, next(iter(left)), inside))
                if found is not None:
                    source = self.source(next(iter(left)))
                    return Node("layer", [source], source.shape, f"value {name!r}", found) if found else source
        return None

    def computed(self, name, leaf, inside):
        """What nodes compute for a value at PROBES."""
        known = {leaf: PROBES}
        with np.errstate(all="ignore"):
            for node in reversed(inside):
                given = [known[value] if value in known else float(self.constants[value].reshape(())) for value in node.input if value]
                attributes = self.attributes(node)
                if node.op_type == "HardSigmoid":
                    known[node.output[0]] = np.clip(attributes.get("alpha", 0.2) * given[0] + attributes.get("beta", 0.5), 0, 1)
                elif node.op_type == "Clip" and self.opset < 11:
                    known[node.output[0]] = np.clip(given[0], attributes.get("min", -np.inf), attributes.get("max", np.inf))
                else:
                    known[node.output[0]] = ELEMENTS[node.op_type](*given)
        return known[name]

    def window(self, node, kind, rank, taps):
        """Strides, paddings and dilations of a window, and whether it reaches to one side alone."""
        given = self.attributes(node)
        dilations, strides = given.get("dilations", [1] * rank), given.get("strides", [1] * rank)
        automatic = given.get("auto_pad", b"NOTSET")
        pads = list(given.get("pads", [0] * 2 * rank))
        if automatic in (b"SAME_UPPER", b"SAME_LOWER"):
            before, after = self.values[node.input[0]].shape[2:], self.values[node.output[0]].shape[2:]
            need = [max((o - 1) * s + (k - 1) * d + 1 - n, 0) for n, o, s, k, d in zip(before, after, strides, taps, dilations)]
            less, more = [n // 2 for n in need], [n - n // 2 for n in need]
            pads = less + more if automatic == b"SAME_UPPER" else more + less
        causal = kind == "Conv" and rank == 1 and pads[0] > 0 and pads == [dilations[0] * (taps[0] - 1), 0]
        require(causal or pads[:rank] == pads[rank:], f"pads of {pads[:rank]} before and {pads[rank:]} after; sinter pads both sides equally")
        require(all(n >= 0 for n in pads), f"pads of {pads}; a negative one cuts off")
        return strides, tuple(pads[:rank]), dilations, causal

    def read_Pad(self, node, name):
        mode = self.attributes(node).get("mode", b"constant").decode()
        raise Refused(f"it pads in the mode {mode!r} what not only a convolution or a pool reads; sinter pads with zeros there")

    def read_Conv(self, node, name):
        weight, given = self.constant(node.input[1], "its weight"), self.attributes(node)
        rank, groups = weight.ndim - 2, given.get("group", 1)
        require(rank in (1, 2), f"it has {rank} directions; sinter has convolutions of 1 and 2")
        strides, pads, dilations, causal = self.window(node, "Conv", rank, weight.shape[2:])
        if causal:
            padding = "Causal"
        else:
            padding = option("Padding", pads, rank, 0)

        def spell(with_bias):
            return spelled(f"Conv{rank}d", weight.shape[0], kernel(weight.shape[2:], rank), option("Stride", strides, rank, 1), padding,
                           option("Dilation", dilations, rank, 1), spelled("Groups", groups) if groups != 1 else None,
                           None if with_bias else "NoBias")

        return self.with_weights(node, name, self.source(node.input[0]), spell, weight)

    def with_weights(self, node, name, source, spell, weight, axis=0, bias=None):
        bias = self.given(node, 2) if bias is None else bias
        tensors = {"weight": weight, **({"bias": bias} if bias is not None else {}), **({"axis": axis} if axis else {})}
        made = Node("layer", [source], self.sample(name), f"node {node.name or name!r}")
        self.weighted[name] = Weighted(spell, tensors)
        self.weighted[name].write(made)
        return made

    def read_ConvTranspose(self, node, name):
        weight, given = self.constant(node.input[1], "its weight"), self.attributes(node)
        rank, groups = weight.ndim - 2, given.get("group", 1)
        require(rank == 2, f"it has {rank} directions; sinter's ConvTranspose2d has 2")
        require("output_shape" not in given and given.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID"),
                "its padding follows from output_shape or auto_pad; write pads")
        strides, pads, dilations, _ = self.window(node, "ConvTranspose", rank, weight.shape[2:])
        more = tuple(given.get("output_padding", [0] * rank))

        def spell(with_bias):
            return spelled("ConvTranspose2d", weight.shape[1] * groups, kernel(weight.shape[2:], rank), option("Stride", strides, rank, 1),
                           option("Padding", pads, rank, 0), option("OutputPadding", more, rank, 0), option("Dilation", dilations, rank, 1),
                           spelled("Groups", groups) if groups != 1 else None, None if with_bias else "NoBias")

        made = self.with_weights(node, name, self.source(node.input[0]), spell, weight, 1)
        if groups != 1:
            del self.weighted[name]  # outputs are in two places of its weight
        return made

    def linear(self, node, name, weight, bias):
        source = self.source(node.input[0])
        require(len(source.shape) == 1, f"it multiplies samples of the sizes {source.shape} by a matrix along their last size; sinter's "
                "Linear takes rows of features")
        return self.with_weights(node, name, source, lambda with_bias: spelled("Linear", weight.shape[0], None if with_bias else "NoBias"),
                                 weight, 0, bias)

    def read_Gemm(self, node, name):
        given = self.attributes(node)
        require(not given.get("transA", 0), "transA of a batch")
        weight = self.constant(node.input[1], "its matrix")
        weight = (weight if given.get("transB", 0) else weight.T) * np.asarray(given.get("alpha", 1.0), weight.dtype)
        bias = self.given(node, 2)
        if bias is not None:
            bias = np.broadcast_to(bias * np.asarray(given.get("beta", 1.0), bias.dtype), (1, weight.shape[0])).reshape(-1)
        return self.linear(node, name, weight, bias)

    def read_MatMul(self, node, name):
        weight = self.constant(node.input[1], "its second matrix")
        require(weight.ndim == 2, f"its matrix has {weight.ndim} sizes")
        return self.linear(node, name, weight.T, None)

    def read_BatchNormalization(self, node, name):
        given = self.attributes(node)
        require(not given.get("training_mode", 0), "training_mode; export the model for inference")
        scale, bias, mean, variance = (self.given(node, i) for i in range(1, 5))
        momentum = round(1 - given.get("momentum", 0.9), 6)
        more = [spelled("Epsilon", short(given.get("epsilon", 1e-5))) if abs(given.get("epsilon", 1e-5) - 1e-5) > 1e-10 else None,
                spelled("Momentum", number(momentum)) if momentum != 0.1 else None]
        source = self.source(node.input[0])
        rank = max(len(source.shape) - 1, 1)
        made = self.one(node, spelled(f"BatchNorm{rank}d", *more), source.shape,
                        {"weight": scale, "bias": bias, "running_mean": mean, "running_var": variance})
        return made

    def affine(self, node, name, scale, shift):
        """x scale + shift, each a number for each channel: in the layer before, or as a batch normalisation."""
        before = node.input[0] if node.input[0] not in self.constants else node.input[1]
        source = self.source(before)
        return self.scaled(before, source, scale, shift, node, name)

    def scaled(self, before, source, scale, shift, node, name):
        weighted = self.weighted.get(before)
        if weighted and self.reads[before] == 1:
            weighted.apply(scale, shift, source)
            self.weighted[name] = weighted
            return source
        require(source.shape == self.sample(name), f"its constant makes samples of {source.shape} larger")
        kind = self.values[name].dtype
        rank, one = max(len(source.shape) - 1, 1), np.ones_like(scale, dtype=kind)
        tensors = {"weight": scale.astype(kind), "bias": shift.astype(kind), "running_mean": 0 * one, "running_var": (1 - 1e-5) * one}
        made = Node("layer", [source], source.shape, f"node {node.name or name!r}")
        self.weighted[name] = Weighted(lambda _: f"BatchNorm{rank}d<>", tensors)
        self.weighted[name].write(made)
        return made

    def with_constant(self, node, name, combine):
        """Where one input is a constant: combine(numbers, whether it is the first) gives scale and shift. Otherwise None."""
        at = next((i for i in (0, 1) if node.input[i] in self.constants), None)
        if at is None:
            return None
        shape = self.values[name].shape
        constant = self.constants[node.input[at]]
        require(len(shape) >= 2 and shape[0] == 1, f"its value of the sizes {list(shape)} has no batch as its first size")
        each = np.broadcast_to(constant, shape).reshape(shape[1], -1)
        require((each == each[:, :1]).all(), f"its constant of the sizes {list(constant.shape)} differs within a channel; sinter has one number for "
                "each channel")
        scale, shift = combine(each[:, 0].astype(np.float64), at == 0)
        return self.affine(node, name, scale, shift)

    def two(self, node, name, kind):
        """Two values of one shape; one number for each channel is spread over the image."""
        sources = [self.source(value) for value in node.input]
        shape = self.sample(name)
        for i, source in enumerate(sources):
            if source.shape != shape:
                require(len(shape) > 1 and source.shape == (shape[0], *[1] * (len(shape) - 1)),
                        f"it combines samples of {source.shape} and {shape}; sinter takes two of one shape, or one number for each channel")
                if kind == "add":
                    sources[i] = Node("layer", [source], shape, source.described, spelled(f"AdaptiveAvgPool{len(shape) - 1}d", *shape[1:]))
        return Node(kind, sources, shape, f"node {node.name or name!r} (op {node.op_type})")

    def read_Add(self, node, name):
        return self.with_constant(node, name, lambda c, _: (np.ones_like(c), c)) or self.two(node, name, "add")

    def read_Mul(self, node, name):
        return self.with_constant(node, name, lambda c, _: (c, np.zeros_like(c))) or self.two(node, name, "multiply")

    def read_Sub(self, node, name):
        made = self.with_constant(node, name, lambda c, first: (-np.ones_like(c), c) if first else (np.ones_like(c), -c))
        require(made, "it subtracts two values; sinter adds and multiplies them")
        return made

    def read_Div(self, node, name):
        require(node.input[0] not in self.constants, "it divides by a value; sinter adds and multiplies them")
        made = self.with_constant(node, name, lambda c, _: (1 / c, np.zeros_like(c)))
        require(made, "it divides two values; sinter adds and multiplies them")
        return made

    def read_Sum(self, node, name):
        node_of = self.source(node.input[0])
        for value in node.input[1:]:
            other = self.source(value)
            require(other.shape == node_of.shape, f"it adds samples of {node_of.shape} and {other.shape}")
            node_of = Node("add", [node_of, other], node_of.shape, f"node {node.name or name!r} (op Sum)")
        return node_of

    def read_Concat(self, node, name):
        rank, axis = len(self.values[name].shape), self.attributes(node)["axis"]
        require(axis % rank == 1, f"it puts values together along size {axis % rank}; sinter does channels, size 1")
        sources = [self.source(value) for value in node.input]
        return sources[0] if len(sources) == 1 else Node("concat", sources, self.sample(name), f"node {node.name or name!r}")

    # Activations.

    def activation(self, text):
        return lambda node, name: self.one(node, text, self.sample(name))

    def __getattr__(self, name):
        plain = {"Relu": "ReLU", "Tanh": "Tanh", "Sigmoid": "Sigmoid", "HardSwish": "Hardswish", "Softplus": "Softplus<1.0, 20.0>"}
        if name.startswith("read_") and name[5:] in plain:
            return self.activation(plain[name[5:]])
        raise AttributeError(name)

    def with_number(self, node, name, layer, attribute, usual):
        return self.one(node, spelled(layer, short(self.attributes(node).get(attribute, usual))), self.sample(name))

    def read_HardSigmoid(self, node, name):
        """min(max(alpha x + beta, 0), 1), which sinter has for alpha = 1 / 6, beta = 1 / 2."""
        given, source = self.attributes(node), self.source(node.input[0])
        scale, shift = 6 * given.get("alpha", 0.2), 6 * (given.get("beta", 0.5) - 0.5)
        if abs(scale - 1) > 1e-6 or abs(shift) > 1e-6:
            each = np.ones(source.shape[0])
            source = self.scaled(node.input[0], source, scale * each, shift * each, node, name)
            self.weighted.pop(name, None)
        return self.one(node, "Hardsigmoid", source.shape, source=source)

    def read_LeakyRelu(self, node, name):
        return self.with_number(node, name, "LeakyReLU", "alpha", 0.01)

    def read_Elu(self, node, name):
        return self.with_number(node, name, "ELU", "alpha", 1.0)

    def read_Gelu(self, node, name):
        return self.one(node, "GELUTanh" if self.attributes(node).get("approximate", b"none") == b"tanh" else "GELU", self.sample(name))

    def read_PRelu(self, node, name):
        slope, shape = self.constant(node.input[1], "its slope"), self.sample(name)
        each = np.broadcast_to(slope, (1, *shape)).reshape(shape[0], -1)
        require((each == each[:, :1]).all(), "slopes that differ within a channel")
        single = slope.size == 1
        return self.one(node, "PReLU<>" if single else "PReLU<PerChannel>", shape, {"weight": slope.reshape(-1) if single else each[:, 0]})

    def softmax(self, node, name, layer):
        axis = self.attributes(node).get("axis", 1 if self.opset < 13 else -1)
        shape = self.sample(name)
        require(len(shape) == 1 and axis in (1, -1), f"axis {axis} of samples of {shape}; sinter has it over rows of features")
        return self.one(node, layer, shape)

    def read_Softmax(self, node, name):
        return self.softmax(node, name, "Softmax")

    def read_LogSoftmax(self, node, name):
        return self.softmax(node, name, "LogSoftmax")

    # Pools.

    def pool(self, node, name, kind):
        given = self.attributes(node)
        taps = given["kernel_shape"]
        rank = len(taps)
        require(rank in (1, 2), f"it has {rank} directions; sinter has pools of 1 and 2")
        strides, pads, dilations, _ = self.window(node, "pool", rank, taps)
        require(set(dilations) == {1}, "dilations")
        require(len(node.output) == 1, "it gives indices, too")
        before, after = self.values[node.input[0]].shape[2:], self.values[name].shape[2:]
        floor = tuple((n + 2 * p - k) // s + 1 for n, p, k, s in zip(before, pads, taps, strides))
        require(tuple(after) == floor, "ceil_mode")
        require(kind == "Max" or not any(pads) or given.get("count_include_pad", 0), "an average that leaves out its padding; set count_include_pad")
        return self.one(node, spelled(f"{kind}Pool{rank}d", kernel(taps, rank), option("Stride", strides, rank, taps),
                                      option("Padding", pads, rank, 0)), self.sample(name))

    def read_MaxPool(self, node, name):
        return self.pool(node, name, "Max")

    def read_AveragePool(self, node, name):
        return self.pool(node, name, "Avg")

    def whole(self, node, name, kind):
        """One number for each channel."""
        source = self.source(node.input[0])
        rank = len(source.shape) - 1
        require(rank in (1, 2), f"samples of {source.shape}")
        text = spelled(f"AdaptiveAvgPool{rank}d", 1) if kind == "Avg" else spelled(f"MaxPool{rank}d", kernel(source.shape[1:], rank))
        return self.reshape(self.one(node, text, (source.shape[0], *[1] * rank)), name)

    def read_GlobalAveragePool(self, node, name):
        return self.whole(node, name, "Avg")

    def read_GlobalMaxPool(self, node, name):
        return self.whole(node, name, "Max")

    def reduce(self, node, name, kind):
        axes = self.attributes(node).get("axes")
        axes = self.given(node, 1) if axes is None else axes
        rank = len(self.values[node.input[0]].shape)
        axes = sorted(int(axis) % rank for axis in (axes if axes is not None else range(rank)))
        require(axes == list(range(2, rank)), f"it reduces the sizes {axes}; sinter reduces images and series to one number for each channel")
        return self.whole(node, name, kind)

    def read_ReduceMean(self, node, name):
        return self.reduce(node, name, "Avg")

    def read_ReduceMax(self, node, name):
        return self.reduce(node, name, "Max")

    # Normalisations.

    def epsilon(self, node):
        given = self.attributes(node).get("epsilon", 1e-5)
        return spelled("Epsilon", short(given)) if abs(given - 1e-5) > 1e-10 else None

    def read_LayerNormalization(self, node, name):
        shape, axis = self.sample(name), self.attributes(node).get("axis", -1)
        require(axis % (len(shape) + 1) == 1, f"axis {axis} of samples of {shape}; sinter normalises whole samples")
        scale, bias = self.given(node, 1), self.given(node, 2)
        more = [self.epsilon(node), "NoBias" if bias is None else None]
        return self.one(node, spelled("LayerNorm", *more), shape,
                        {"weight": scale.reshape(shape), **({"bias": bias.reshape(shape)} if bias is not None else {})})

    def read_GroupNormalization(self, node, name):
        shape, groups = self.sample(name), self.attributes(node)["num_groups"]
        scale, bias = self.given(node, 1), self.given(node, 2)
        if scale.size == groups != shape[0]:
            scale, bias = np.repeat(scale, shape[0] // groups), np.repeat(bias, shape[0] // groups)
        return self.one(node, spelled("GroupNorm", groups, self.epsilon(node)), shape, {"weight": scale, "bias": bias})

    def read_InstanceNormalization(self, node, name):
        shape, scale, bias = self.sample(name), self.given(node, 1), self.given(node, 2)
        require(len(shape) in (2, 3), f"samples of {shape}")
        if (scale == 1).all() and not bias.any():
            return self.one(node, spelled(f"InstanceNorm{len(shape) - 1}d", self.epsilon(node)), shape)
        return self.one(node, spelled("GroupNorm", 0, self.epsilon(node)), shape, {"weight": scale, "bias": bias})

    # Sizes and channels.

    def same_numbers(self, node, name):
        return self.reshape(self.value(node.input[0]), name)

    read_Reshape = read_Flatten = read_Squeeze = read_Unsqueeze = read_Identity = same_numbers

    def read_Cast(self, node, name):
        before, after = self.values[node.input[0]].dtype, self.values[name].dtype
        whole = np.issubdtype(after, np.integer) and not np.issubdtype(before, np.integer)
        readers = [other.op_type for other in self.producers.values() if name in other.input]
        require(not whole or set(readers) <= {"Gather", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}, "it rounds to whole numbers")
        return self.same_numbers(node, name)

    def read_Dropout(self, node, name):
        require(name == node.output[0], "its mask is read")
        ratio = self.attributes(node).get("ratio", 0.5) if self.opset < 12 else self.given(node, 1)
        ratio = float(np.reshape(0.5 if ratio is None else ratio, ()))
        return self.one(node, spelled("Dropout", short(ratio)), self.sample(name)) if 0 < ratio < 1 else self.source(node.input[0])

    def read_Transpose(self, node, name):
        shape = self.values[node.input[0]].shape
        order = list(self.attributes(node).get("perm", range(len(shape))[::-1]))
        moved = [axis for axis in order if shape[axis] != 1]
        if moved == sorted(moved):
            return self.same_numbers(node, name)
        before = self.value(node.input[0])
        if order == [0, 2, 1] and (before.text or "").startswith("Embedding<") and self.reads[node.input[0]] == 1:
            return Node("layer", before.sources, self.sample(name), before.described, before.text[:-1] + ", ChannelsFirst>", tensors=before.tensors)
        raise Refused(f"it moves sizes ({order}); sinter has no layer for that")

    def channels(self, node, name, first):
        source, shape = self.source(node.input[0]), self.sample(name)
        if shape == source.shape:
            return source
        return Node("slice", [source], shape, f"node {node.name or name!r}", first=first)

    def read_Slice(self, node, name):
        given, shape = self.attributes(node), self.values[node.input[0]].shape
        if self.opset < 10:
            starts, axes, steps = given["starts"], given.get("axes"), None
        else:
            starts, axes, steps = self.given(node, 1), self.given(node, 3), self.given(node, 4)
        axes = [int(axis) % len(shape) for axis in (axes if axes is not None else range(len(starts)))]
        steps = [1] * len(axes) if steps is None else steps
        after, first = self.values[name].shape, 0
        for axis, start, step in zip(axes, starts, steps):
            if after[axis] == shape[axis] and step == 1:
                continue
            require(axis == 1 and step == 1, f"it takes a part of size {axis} in steps of {step}; sinter's Slice takes neighbouring channels")
            first = int(start) if start >= 0 else int(start) + shape[1]
        return self.channels(node, name, first)

    def read_Split(self, node, name):
        rank, axis = len(self.values[name].shape), self.attributes(node).get("axis", 0)
        require(axis % rank == 1, f"it splits size {axis % rank}; sinter's Slice takes channels, size 1")
        earlier = list(node.output)[:list(node.output).index(name)]
        return self.channels(node, name, sum(self.values[other].shape[1] for other in earlier))

    def read_Gather(self, node, name):
        axis = self.attributes(node).get("axis", 0)
        if node.input[0] in self.constants:
            table = self.constants[node.input[0]]
            require(axis == 0 and table.ndim == 2, f"a table of the sizes {list(table.shape)} along size {axis}; sinter's Embedding has rows")
            source = self.source(node.input[1])
            require(len(source.shape) == 1, f"rows for samples of {source.shape}; sinter's Embedding takes rows of indices")
            return self.one(node, spelled("Embedding", *table.shape), self.sample(name), {"weight": table}, source)
        shape, rows = self.values[node.input[0]].shape, self.constant(node.input[1], "its indices")
        wanted = [int(row) % shape[axis] for row in rows.reshape(-1)]
        require(axis % len(shape) == 1 and wanted == list(range(wanted[0], wanted[0] + len(wanted))),
                "it takes other than neighbouring channels")
        source = self.source(node.input[0])
        part = Node("slice", [source], (len(wanted), *source.shape[1:]), f"node {node.name or name!r}", first=wanted[0])
        return self.reshape(part, name)


# -- all together --------------------------------------------------------------------------------------------------------

EXAMPLE = """// Made by from_onnx.py. g++ -std=c++20 -O3 -march=native -I sinter/include -pthread {name}.cpp
#include "{name}.hpp"

#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

int main() {{
  sinter::Network<{name}> net;
  load(net, "{name}.safetensors");  // replays the self-test
  auto workspace = net.workspace(1);
  const sinter::Tensor<float, sinter::Shape<{sizes}>> x(1);  // {begin}: zeros
  const auto y = net.forward(x, workspace);
{outputs}}}
"""


def described(name, shape):
    return f"\"{name}\" [{', '.join(map(str, shape))}]"


def convert(path, name, folder=".", begin=None, ends=None, shapes=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have."""
    check_names(name, (1,))
    model, opset = read(path)
    inputs = fix_sizes(model, {key: tuple(sizes) for key, sizes in (shapes or {}).items()})
    model = fold(model)
    ends = list(ends or [entry.name for entry in model.graph.output])
    generator = np.random.default_rng(1)
    everything = [value for node in model.graph.node for value in node.output if value]
    rows = [{entry.name: rows_of(entry, generator) for entry in inputs} for _ in range(2)]
    values = [{**row, **run(model, everything, row)} for row in rows]
    if begin is None:
        read_inputs = [entry.name for entry in inputs if any(entry.name in node.input for node in model.graph.node)]
        require(len(read_inputs) == 1, f"the graph has the inputs {read_inputs}; sinter's networks take one: begin at a value after which no "
                "other is needed, by --from TENSOR")
        begin = read_inputs[0]
    part = cut(model, begin, ends, values[0])
    reader = Reader(part, opset, values[0], begin, ends)
    check_names(name, reader.nodes[begin].shape)
    layers = Layers(name, reader.nodes[begin], [reader.nodes[end] for end in ends])
    given = [row[begin].reshape(-1) for row in values]
    test = {"inputs": [row.tolist() for row in given],
            "outputs": [np.concatenate([row[end].astype(np.float64).reshape(-1) for end in ends]).tolist() for row in values]}
    outputs, at, about = [], 0, [pathlib.Path(path).name, f"Input {described(begin, reader.nodes[begin].shape)}."]
    for end in ends:
        shape = reader.nodes[end].shape
        size = math.prod(shape)
        about.append(f"Output {described(end, shape)}" + (f", numbers {at} to {at + size - 1}." if len(ends) > 1 else "."))
        outputs.append(f"  std::printf(\"%s: %g ..\\n\", {end_text(end)}, static_cast<double>(y.row(0)[{at}]));\n")
        at += size
    write_network(layers, test, "from_onnx.py", about, folder)
    write(pathlib.Path(folder) / f"{name}.cpp", EXAMPLE.format(
        name=name, sizes=", ".join(map(str, reader.nodes[begin].shape)), begin=described(begin, reader.nodes[begin].shape),
        outputs="".join(outputs)).encode())


def end_text(name):
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%") + '"'


def sizes_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"\d+(x\d+)*", given), f"{text!r} was given as a shape; give TENSOR=SIZES, such as audio=1x16000")
    return name, tuple(int(n) for n in given.split("x"))


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0].rsplit(":", 1)[0], description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--from", dest="begin")
    parser.add_argument("--to", dest="ends", action="append")
    parser.add_argument("--shape", dest="shapes", action="append", default=[])
    given = parser.parse_args()
    try:
        convert(given.file, given.name, given.folder, given.begin, given.ends, dict(sizes_of(text) for text in given.shapes))
    except (Refused, OSError) as problem:
        print("\n".join(f"from_onnx: {line}" for line in str(problem).splitlines()), file=sys.stderr)
        return 1
    print(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    return 0


if __name__ == "__main__":
    sys.exit(main())
