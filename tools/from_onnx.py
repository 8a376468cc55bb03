#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx.py FILE NAME [FOLDER] [--from TENSOR]... [--to TENSOR]... [--shape TENSOR=SIZES]... [--set TENSOR=NUMBER]...: a trained
network in an ONNX file as one of sinter. Needs onnx, onnxruntime, and beside it graph_builder.py, layer_graph.py, onnx_attention.py,
onnx_idioms.py, onnx_moves.py and transformer_blocks.py.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its weights and
a self-test by onnxruntime, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network.

--from and --to cut a part out of the graph: it begins at one value or several, and ends at one or several. Several inputs and
outputs keep their names. --shape gives sizes that the file leaves open, such as --shape audio=1x16000 for one sample;
the batch is always open in sinter. --set makes an input a constant, such as --set rate=16000. In Python the same is

    from from_onnx import convert
    convert("digits.onnx", "Digits", "folder", begin="features", ends=["scores"], shapes={"audio": (1, 16000)}, numbers={"rate": 16000})

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

from graph_builder import around, each, functor, inverse, negative, order_of, padded, part, permuted, reduced, shaped, spread
from layer_graph import (Layers, Node, Refused, check_names, is_positional_encoding, kernel, labelled, number, option, quoted, require, row_of,
                         several_inputs, spelled, write, write_network)
from onnx_attention import MOVES, Finder, write_out
from onnx_idioms import (ELEMENTS, KNOWN, PROBES, REDUCTIONS, SAME_NUMBERS, activation_of, attributes_of, axes_of, evaluate, function_along,
                         samples_of, short)
from onnx_moves import in_row, whole
from transformer_blocks import join_blocks

OPSETS = range(9, 24)
# Optimisations of onnxruntime other than folding constants and padding into windows: they would change layers.
KEPT_APART = ["ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "EliminateDropout", "FuseReluClip", "MatMulBNFusion",
              "MatMulAddFusion", "MatMulScaleFusion", "ReluQuantRewrite", "GemmSumFusion", "GemmTransposeFusion"]
# Operators that compute with numbers. Those that compare, choose or move some are exact for whole ones, too.
ARITHMETIC = ELEMENTS.keys() - {"Min", "Max", "Clip", "Where", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"} | \
    {"CumSum", "Einsum", "Gemm", "MatMul", "Mod", "ReduceL1", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Sum"}
INTEGERS = [getattr(onnx.TensorProto, f"{sign}INT{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)]
NUMBERS = [*INTEGERS, *[getattr(onnx.TensorProto, kind) for kind in ("BOOL", "FLOAT16", "FLOAT", "DOUBLE", "BFLOAT16")]]
WHOLE_NUMBERS = "it computes with whole numbers; sinter computes with floats, and only looks up, compares and moves whole numbers"
CONTROL = {"If", "Loop", "Scan"}


# -- the file ------------------------------------------------------------------------------------------------------------


def named(node):
    return f"node {node.name!r} (op {node.op_type})"


def name_nodes(model):
    """Gives nodes without a name that of their first value."""
    for number, node in enumerate(model.graph.node):
        node.name = node.name or next((name for name in node.output if name), f"number {number}")


def check_operators(model, opset):
    """Refuses operators that ONNX itself does not have."""
    problems = []
    for node in model.graph.node:
        try:
            own = any(node.op_type == function.name and node.domain == function.domain for function in model.functions)
            if node.domain in ("", "ai.onnx") and not own:
                onnx.defs.get_schema(node.op_type, opset, "")
        except onnx.defs.SchemaError:
            problems.append(f"{named(node)}: ONNX has no such operator in opset {opset}")
    require(not problems, "\n".join(problems))


def read(path):
    path = pathlib.Path(path)
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as problem:
        raise Refused(f"{path} cannot be read: {problem.strerror}") from None
    except Exception as problem:
        raise Refused(f"{path} is not an ONNX file: {problem}") from None
    require(len(model.graph.node) > 0, f"{path} holds no ONNX graph")
    opset = max([entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")], default=0)
    require(opset in OPSETS, f"{path} is of opset {opset}; known are {OPSETS[0]} to {OPSETS[-1]}: convert it by onnx.version_converter")
    name_nodes(model)
    check_operators(model, opset)
    read_weights(model, path.parent)
    return model, opset


def read_weights(model, folder):
    """Reads what a file keeps in others."""
    problems = []
    for tensor in model.graph.initializer:
        kept = {entry.key: entry.value for entry in tensor.external_data} if tensor.data_location == onnx.TensorProto.EXTERNAL else {}
        file, end = folder / kept.get("location", ""), int(kept.get("offset", 0)) + int(kept.get("length", 0))
        if kept and not (file.is_file() and file.stat().st_size >= end):
            readers = [named(node) for node in model.graph.node if tensor.name in node.input] or ["no node"]
            problems.append(f"{readers[0]}: its weights {tensor.name!r} are kept in {file}, which is {'too short' if file.is_file() else 'missing'}")
    require(not problems, "\n".join(problems))
    try:
        onnx.load_external_data_for_model(model, str(folder))
    except Exception as problem:
        raise Refused(f"weights that are kept in other files cannot be read: {problem}") from None


def set_inputs(model, numbers, shapes):
    """Makes inputs constants, with a batch of 1: the sizes of all others."""
    graph = model.graph
    for name, value in numbers.items():
        entry = next((entry for entry in graph.input if entry.name == name), None)
        require(entry is not None, f"there is no input {name!r}; the inputs are {[entry.name for entry in graph.input]}")
        dims = (1, *shapes[name]) if name in shapes else [dim.dim_value or 1 for dim in entry.type.tensor_type.shape.dim]
        is_open = name not in shapes and any(not dim.dim_value for dim in entry.type.tensor_type.shape.dim[1:])
        require(not is_open, f"input {name!r} has open sizes: give those of a sample by --shape {name}=SIZES, besides its number")
        kind = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
        graph.initializer.append(onnx.numpy_helper.from_array(np.full(dims, value, kind), name))
        graph.input.remove(entry)
    return {name: sizes for name, sizes in shapes.items() if name not in numbers}


def fix_sizes(model, shapes):
    """Gives all inputs their sizes, with a batch of 1: where sizes are given, the first one of the others, or else the open one."""
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]
    unknown = set(shapes) - {entry.name for entry in inputs}
    require(not unknown, f"there is no input {sorted(unknown)}; the inputs are {[entry.name for entry in inputs]}")
    for entry in inputs:
        require(entry.type.tensor_type.elem_type in NUMBERS, f"input {entry.name!r} is no tensor of numbers")
        dims = entry.type.tensor_type.shape.dim
        wanted, is_open = shapes.get(entry.name), [not dim.HasField("dim_value") or dim.dim_value <= 0 for dim in dims]
        batch = 0 if not any(is_open) or is_open[0] else is_open.index(True)
        require(wanted is None or len(wanted) + 1 == len(dims),
                f"input {entry.name!r} has {len(dims)} sizes with the batch, and {len(wanted or ())} were given for a sample")
        rest = iter(wanted or ())
        for i, dim in enumerate(dims):
            if i == batch and (wanted is not None or is_open[i]):
                dim.dim_value = 1
            elif wanted is not None:
                dim.dim_value = next(rest)
            elif is_open[i]:
                raise Refused(f"input {entry.name!r} has an open size, number {i} ({dim.dim_param or 'without a name'}): give the sizes of a "
                              f"sample by --shape {entry.name}=SIZES")
    del graph.value_info[:]
    for entry in graph.output:
        entry.type.tensor_type.ClearField("shape")
    return inputs


# How onnxruntime names the node at which it stops, before it runs and while it does; what it says then.
STOPPED = (
    r"Node \((?P<name>.*?)\) Op \(\w+\) (\[\w+\] )?(?P<why>.*)",
    r"running \w+ node\. Name:'(?P<name>.*?)' Status Message: (.* was false\. )?(?P<why>.*)",
    r"(?P<why>Type '.*' of input parameter \(.*\)) of operator \(.*\) in node \((?P<name>.*?)\)",
    r"(?P<why>Type \(.*\) of output arg \(.*\)) of node \((?P<name>.*?)\)",
    r"In Node, \(\"(?P<name>.*?)\",.*Error (?P<why>.*)",
)


def whole_arithmetic(model):
    """The nodes that compute with whole numbers, as far as types are known without running the model."""
    try:
        typed = onnx.shape_inference.infer_shapes(model)
    except onnx.shape_inference.InferenceError:
        return []
    kinds = {entry.name: entry.type.tensor_type.elem_type for entry in [*typed.graph.value_info, *typed.graph.output]}
    return [node for node in model.graph.node if node.op_type in ARITHMETIC and kinds.get(node.output[0]) in INTEGERS]


def in_words(model, problem, others=()):
    """What onnxruntime does not take: the node, and the reason, after that of others. None if it names no node."""
    said = " ".join(str(problem).split())
    found = next(filter(None, (re.search(pattern, said) for pattern in STOPPED)), None)
    node = next((node for node in model.graph.node if found and node.name == found["name"]), None)
    if node is None:
        return None
    problems = {other.name: f"{named(other)}: {WHOLE_NUMBERS}" for other in others}
    problems.setdefault(node.name, f"{named(node)}: its sizes, types or numbers do not fit, as onnxruntime says: {found['why'].strip()}")
    return "\n".join(problems.values())


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
            raise Refused(in_words(model, problem) or f"onnxruntime does not take the model: {str(problem).splitlines()[0]}") from None
        folded = onnx.load(options.optimized_model_filepath)
        name_nodes(folded)
        return folded


def table_size(model):
    """The number of whole numbers that are inputs of all tables and one-hot codes; without any, 2."""
    constants = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    counts = [constants[node.input[0]][0] for node in model.graph.node if node.op_type == "Gather" and constants.get(node.input[0]) and
              node.input[1] not in constants]
    counts += [constants[name][-1] for node in model.graph.node if node.op_type == "Equal" for name in node.input if constants.get(name)]
    return max(2, min(counts, default=2))


def rows_of(entry, count, generator, fractions=False):
    """Zeros and ones, or eighths above zero; whole numbers below `count`."""
    dims = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
    kind = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
    if fractions and np.issubdtype(kind, np.floating):
        return (generator.integers(1, 9, dims) / 8).astype(kind)
    return generator.integers(0, count if np.issubdtype(kind, np.integer) else 2, dims).astype(kind)


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
    try:
        return dict(zip(names, session.run(names, {name: value for name, value in given.items() if name in wanted})))
    except Exception as problem:
        raise Refused(in_words(model, problem, whole_arithmetic(model)) or f"onnxruntime does not run the model: {str(problem).splitlines()[0]}") from None


def lengths_of(node):
    """The lengths of the sequences that a recurrent node is given."""
    return node.input[4:5] if node.op_type in ("LSTM", "GRU", "RNN") and any(node.input[4:5]) else []


# Operators that give numbers of their first input as they are.
MOVE_NUMBERS = ("Cast", "Flatten", "Gather", "Identity", "Reshape", "Slice", "Squeeze", "Transpose", "Unsqueeze")


def length_places(model, inputs):
    """Where rows of the inputs have lengths of sequences, which may be moved before they are read: the name of an input, the
    place of a number in it, and how many steps there are. Refuses lengths that are computed."""
    makers = {name: node for node in model.graph.node for name in node.output}
    sizes = {entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim] for entry in inputs}
    shapes = {entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
              for entry in [*inputs, *onnx.shape_inference.infer_shapes(model).graph.value_info]}
    constants = {tensor.name for tensor in model.graph.initializer}
    found = []
    for node in model.graph.node:
        for lengths in lengths_of(node):
            begin = lengths
            while begin in makers:
                moved = makers[begin].op_type in MOVE_NUMBERS and all(name in constants for name in makers[begin].input[1:] if name)
                require(moved, f"{named(node)}: the lengths of its sequences are computed; sinter takes an input, or a number of one")
                begin = makers[begin].input[0]
            axis = next((attribute.i for attribute in node.attribute if attribute.name == "layout"), 0)
            steps = shapes.get(node.input[0], [0, 0])[axis]
            if begin not in sizes or not steps:
                continue
            kind = next(onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type) for entry in inputs if entry.name == begin)
            counted = np.arange(math.prod(sizes[begin])).reshape(sizes[begin]).astype(kind)
            places = [0] if begin == lengths else run(cut(model, [begin], [lengths], {begin: counted, lengths: counted}), [lengths], {begin: counted})[lengths]
            found += [(begin, int(place), steps) for place in np.reshape(places, -1)]
    return found


def values_of(model, inputs, lengths, names, ends, generator):
    """Inputs and all values, where what the model gives are numbers: not, for instance, of a mask of all steps."""
    for attempt in range(50):
        row = {entry.name: rows_of(entry, table_size(model), generator, attempt >= 40) for entry in inputs}
        for name, place, count in lengths:
            row[name].reshape(-1)[place] = count
        values = {**row, **run(model, names, row)}
        if all(np.isfinite(values[end]).all() for end in ends if end in values):
            return values
    raise Refused("of no numbers that were tried the model gives numbers, but infinities or what is no number")


def cut(model, begins, ends, values):
    """The part of a model from some values to others."""
    producers = {name: node for node in model.graph.node for name in node.output}
    constants = {tensor.name for tensor in model.graph.initializer}
    for name in [*begins, *ends]:
        require(name in values, f"there is no value {name!r}; values are {', '.join(sorted(values)[:12])}, ..")
        require(begins.count(name) < 2, f"{name!r} was given twice")
    found, left = set(), list(ends)
    while left:
        name = left.pop()
        if name and name not in found and name not in begins:
            found.add(name)
            left += producers[name].input if name in producers else []
    outside = sorted(name for name in found if name not in producers and name not in constants)
    require(not outside, f"{', '.join(ends)} also needs {outside}: name all values at which the network begins, by --from TENSOR for each, or "
            "give an input a number by --set TENSOR=NUMBER")
    both = sorted(set(begins) & set(ends))
    require(not both, f"{both} are both a begin and an end")
    part = onnx.ModelProto.FromString(model.SerializeToString())
    kept = [node for node in model.graph.node if found & set(node.output)]
    del part.graph.node[:], part.graph.input[:], part.graph.output[:]
    part.graph.node.extend(kept)
    for begin in begins:
        kind = onnx.helper.np_dtype_to_tensor_dtype(values[begin].dtype)
        part.graph.input.append(onnx.helper.make_tensor_value_info(begin, kind, values[begin].shape))
    part.graph.output.extend(onnx.ValueInfoProto(name=name) for name in ends)
    return part


def without_checks(model, values):
    """Exporters give 0 where all numbers of a softmax are masked. Where that cannot happen, the softmax is read without this."""
    makers = {name: node for node in model.graph.node for name in node.output}
    for node in [node for node in model.graph.node if node.op_type == "Where"]:
        check, given = makers.get(node.input[0]), node.input[2]
        is_check = check is not None and check.op_type == "IsNaN" and check.input[0] == given and makers[given].op_type == "Softmax"
        if is_check and not np.isnan(values[given]).any():
            for other in model.graph.node:
                other.input[:] = [given if name == node.output[0] else name for name in other.input]
            node.CopyFrom(onnx.helper.make_node("Identity", [given], node.output, node.name))
    return model


# -- the graph -----------------------------------------------------------------------------------------------------------


def encoded(array):
    kind = "F64" if array.dtype == np.float64 else "F32"
    array = np.ascontiguousarray(array, dtype="<f8" if kind == "F64" else "<f4")
    return kind, array.shape, array.tobytes()


class Weighted:
    """A layer with weights for each of its outputs, which takes in what is added to or multiplied with them."""

    def __init__(self, node, spell, tensors, axis=0, dim=1, part=""):
        """`axis`: that of the weight which goes along the outputs; `dim`: the dimension of the value along which they are; `part`: what the
        names of the weight and the bias begin with."""
        self.node, self.spell, self.tensors, self.axis, self.dim = node, spell, tensors, axis, dim
        self.weight, self.bias = f"{part}weight", f"{part}bias"
        self.write()

    def apply(self, scale, shift):
        weight = self.tensors[self.weight]
        each = [1] * weight.ndim
        each[self.axis] = -1
        self.tensors[self.weight] = weight * scale.astype(weight.dtype).reshape(each)
        bias = self.tensors.get(self.bias, np.zeros_like(scale, dtype=weight.dtype)) * scale + shift
        if self.bias in self.tensors or shift.any():
            self.tensors[self.bias] = bias.astype(weight.dtype)
        self.write()

    def write(self):
        self.node.text = self.spell(self.bias in self.tensors)
        self.node.tensors = {name: encoded(tensor) for name, tensor in self.tensors.items()}


class Table(Weighted):
    """An Embedding, whose rows are added to, multiplied, or changed by a function, number by number."""

    def __init__(self, node, table):
        super().__init__(node, lambda _: spelled("Embedding", *table.shape), {"weight": table}, 1, 2)

    def apply(self, scale, shift):
        self.change(lambda table: table * scale + shift)

    def change(self, function):
        self.tensors["weight"] = function(self.tensors["weight"].astype(np.float64)).astype(np.float32)
        self.write()


class Reader:
    """Reads the nodes of a graph as layers."""

    def __init__(self, model, opset, values, begins, ends):
        self.opset, self.values = opset, values
        graph = model.graph
        self.constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in graph.initializer}
        self.producers, self.position, self.reads = {}, {}, {}
        for i, node in enumerate(graph.node):
            for name in node.output:
                self.producers[name], self.position[name] = node, i
            for name in node.input:
                self.reads[name] = self.reads.get(name, 0) + 1
            if all(name in self.constants for name in node.input if name) and not node.op_type.startswith("Random"):
                self.constants |= {name: values[name] for name in node.output if name}
        for name in ends:
            self.reads[name] = self.reads.get(name, 0) + 2
        self.odd, self.weighted, self.problems = {}, {}, []
        self.factors, self.shifts = {}, {}  # what values are multiples of, and what they are sums of, by their Nodes
        self.nodes = self.inputs(begins)
        for name in ends:
            self.source(name)
        if self.problems:
            raise Refused("\n".join(dict.fromkeys(self.problems)))

    # Values.

    def inputs(self, begins):
        """The input, or several."""
        if len(begins) == 1:
            return {begins[0]: Node("input", [], self.sample(begins[0]), f"input {begins[0]!r}")}
        return dict(zip(begins, several_inputs([(name, self.sample(name)) for name in begins])[1]))

    def sample(self, name):
        """The sizes of one sample. A value whose first size is not the batch's is one sample as a whole."""
        shape = tuple(int(n) for n in self.values[name].shape)
        return (shape[1:] if shape[:1] == (1,) else shape) or (1,)

    def dim(self, name, axis):
        """The dimension of a sample that an axis of a value is."""
        shape = self.values[name].shape
        return axis % len(shape) + (0 if shape[0] == 1 else 1)

    def input_node(self):
        node = next(iter(self.nodes.values()))
        while node.sources:
            node = node.sources[0]
        return node

    def value(self, name):
        """The Node of a value."""
        require(name not in self.constants, f"{name!r} is a constant, where the network's own values are expected")
        if name not in self.nodes:
            node = self.producers[name]
            try:
                self.nodes[name] = labelled(self.layer(node, name), node.name)
            except Refused as why:
                self.problems.append(f"{named(node)}: {why}")
                sources = [self.value(other) for other in node.input if other and other not in self.constants and other in self.nodes | self.producers]
                shape = np.shape(self.values[name])[1:]
                self.nodes[name] = Node("layer", sources, shape, "refused", "Refused")
        return self.nodes[name]

    def source(self, name):
        """The Node of a value that is read as it is: of no more sizes than samples have."""
        node = self.value(name)
        if name in self.odd and not self.problems:
            raise Refused(self.odd[name])
        return node

    def channels(self, name):
        """The same for a value whose first size is the batch and whose second one are channels or features."""
        shape = list(self.values[name].shape)
        require(shape[:1] == [1], f"its value {name!r} of the sizes {shape} has no batch as its first size")
        return self.source(name)

    def pass_on(self, before, name):
        """Weights of one value take in what is done to another, which is the same numbers along the same channels."""
        if before in self.weighted and self.reads[before] == 1 and self.sample(before)[0] == self.sample(name)[0]:
            if self.weighted[before].dim == 1 or self.sample(before) == self.sample(name):
                self.weighted[name] = self.weighted[before]

    def constant(self, name, what):
        require(name in self.constants, f"{what} {name!r} is computed while the network runs")
        return self.constants[name]

    def given(self, node, i):
        """Input i of a node as a constant, or None where it is left out."""
        return self.constant(node.input[i], f"input {i}") if len(node.input) > i and node.input[i] else None

    def reshape(self, before, name):
        """The same numbers in the sizes of another value."""
        shape = self.sample(name)
        if len(shape) <= 3:
            return shaped(before, shape)
        self.odd[name] = f"value {name!r} of the sizes {list(self.values[name].shape)} is not a batch of samples of up to three sizes"
        return Node("layer", [before], shape, name, "Reshape<>")

    def one(self, node, text, shape, tensors=None, source=None):
        """A layer on the first input."""
        source = source or self.source(node.input[0])
        return Node("layer", [source], shape, named(node), text,
                    tensors={name: encoded(tensor) for name, tensor in (tensors or {}).items()})

    # Operators.

    def layer(self, node, name):
        require(node.op_type not in CONTROL, "it is control flow; sinter computes the same layers for all inputs" + (
            ". If its condition is an input, --set makes it a constant" if node.op_type == "If" else ""))
        require(isinstance(self.values[name], np.ndarray), "it gives no tensor")
        require(not self.is_whole(node), WHOLE_NUMBERS)
        read = getattr(self, f"read_{node.op_type}", None) if node.domain in ("", "ai.onnx") else None
        if read and node.op_type not in KNOWN - SAME_NUMBERS:
            return self.through_moves(node, name) or read(node, name)
        made = self.function(name) or self.along_axes(name)
        if made:
            return made
        require(read, "sinter has no layer for this operator" + (f" of {node.domain}" if node.domain else ""))
        return read(node, name)

    def through_moves(self, node, name):
        """A value of up to three sizes that takes and moves numbers of another one by way of values of more sizes. Otherwise None."""
        finder, way = Finder(self), [name]
        while (maker := self.producers.get(way[-1])) is not None and maker.op_type in MOVES and len(live := finder.live(maker)) == 1:
            way += live
        if max(len(self.sample(value)) for value in (name, way[-1])) > 3 or all(len(self.sample(value)) <= 3 for value in way):
            return None
        found = finder.origin(name, lambda value: value == way[-1])
        taken = in_row(found.at, self.values[way[-1]].size) if found else None
        if taken is None or len(whole(taken)[0]) > 3:
            return None
        source = self.source(way[-1])
        for i, digit in enumerate(taken):
            if digit.count < digit.size:
                before, inner = math.prod(other.count for other in taken[:i]), digit.stride
                rows = (digit.size * inner,) if before == 1 else (before, digit.size * inner)
                source = part(shaped(source, rows), len(rows) - 1, digit.first * inner, digit.count * inner, named(node))
        sizes, order = whole(taken)
        return self.reshape(permuted(shaped(source, tuple(sizes)), order), name)

    def attributes(self, node):
        return attributes_of(node)

    def is_whole(self, node):
        """Whether a node computes with whole numbers."""
        return node.op_type in ARITHMETIC and self.values[node.output[0]].dtype.kind in "iu"

    def back(self, name, known, most):
        """Nodes of some operators that compute a value from one other, the last one first, and that other one: from the shortest way on."""
        inside, left = [], {name}
        while len(inside) < most:
            last = max(left, key=lambda value: self.position.get(value, -1))
            node = self.producers.get(last)
            if node is None or node.op_type not in known or self.is_whole(node):
                return
            inside.append(node)
            left = (left - {last}) | {value for value in node.input if value and value not in self.constants}
            if len(left) == 1:
                yield inside, next(iter(left))

    def computed(self, name, leaf, inside, given):
        known = {leaf: given}
        evaluate(inside[::-1], known, self.constants, {key: self.values[key].shape for node in inside for key in node.output}, self.opset)
        return known[name]

    def function(self, name):
        """The activation that operators on single numbers compute from one value, or None."""
        for inside, leaf in self.back(name, ELEMENTS.keys() | {"HardSigmoid"}, 24):
            if any(self.constants[value].size != 1 for node in inside for value in node.input if value in self.constants):
                return None
            numbers = {value: float(self.constants[value].reshape(())) for node in inside for value in node.input if value in self.constants}
            known = {leaf: PROBES}
            evaluate(inside[::-1], known, {value: np.float64(n) for value, n in numbers.items()}, {}, self.opset)
            found = activation_of(known[name])
            if found is not None:
                source, table = self.source(leaf), self.weighted.get(leaf)
                if isinstance(table, Table) and self.reads[leaf] == sum(list(node.input).count(leaf) for node in inside):
                    table.change(lambda rows: self.computed(name, leaf, inside, rows))
                    self.weighted[name] = table
                    return source
                return each(source, found, f"value {name!r}") if found else source
        return None

    def along_axes(self, name):
        """The normalisation or softmax that operators compute from one value, of several the one from farthest back, or None."""
        best = None
        for inside, leaf in self.back(name, KNOWN, 40):
            axes = sorted({axes_of(node, self.constants, self.values[node.input[0]].ndim) for node in inside if node.op_type in REDUCTIONS and
                           self.values[node.input[0]].shape == self.values[leaf].shape})
            if not axes or self.values[leaf].shape != self.values[name].shape or 0 in axes[0]:
                continue
            xs = samples_of(self.values[leaf].shape)
            ys = [self.computed(name, leaf, inside, x) for x in xs]
            epsilons = sorted({float(array.reshape(())) for array in (self.constants[value] for node in inside for value in node.input
                                                                      if value in self.constants) if array.size == 1 and 0 < array.reshape(()) < 0.1})
            found = function_along(xs, ys, axes[0], epsilons)
            if found:
                best = found, name, leaf, axes[0]
        return self.of_function(*best) if best else None

    def of_function(self, found, name, leaf, axes):
        source, rank = self.source(leaf), self.values[leaf].ndim
        dims = [self.dim(leaf, axis) - 1 for axis in axes]
        if len(found) == 1:
            text = found[0] if len(source.shape) == 1 else spelled(f"{found[0]}Along", dims[0] + 1)
            return Node("layer", [source], source.shape, f"value {name!r}", text)
        kind, epsilon, weight, bias = found
        others = [dim for dim in range(len(source.shape)) if dim not in dims]
        moved = permuted(source, others + dims)
        bare = not bias.any()
        text = spelled(kind, spelled("NormalizedShape", *weight.shape) if others or kind == "RMSNorm" else None,
                       spelled("Epsilon", short(epsilon)), "NoBias" if bare and kind == "LayerNorm" else None)
        tensors = {"weight": weight.astype(np.float32)} | ({} if bare or kind == "RMSNorm" else {"bias": bias.astype(np.float32)})
        made = Node("layer", [moved], moved.shape, f"value {name!r}", text, tensors={key: encoded(tensor) for key, tensor in tensors.items()})
        return permuted(made, [(others + dims).index(dim) for dim in range(rank - (self.values[leaf].shape[0] == 1))])

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
        require(all(n >= 0 for n in pads), f"pads of {pads}; a negative one cuts off")
        if not causal and pads[:rank] != pads[rank:] and kind != "ConvTranspose":
            return strides, pads, dilations, causal
        require(causal or pads[:rank] == pads[rank:], f"pads of {pads[:rank]} before and {pads[rank:]} after; sinter pads both sides equally")
        return strides, tuple(pads[:rank]), dilations, causal

    def read_Pad(self, node, name):
        mode, shape = self.attributes(node).get("mode", b"constant").decode(), self.values[node.input[0]].shape
        layer = {"constant": "ZeroPad", "reflect": "ReflectionPad", "edge": "ReplicationPad"}.get(mode)
        require(layer, f"it pads in the mode {mode!r}; sinter pads with zeros, or as reflect and edge do")
        filled = self.attributes(node).get("value", 0.0) if self.opset < 11 else self.given(node, 2)
        require(mode != "constant" or filled is None or not np.any(filled), f"it pads with {filled}; sinter pads with zeros")
        rank = len(shape)
        given = list(self.attributes(node)["pads"]) if self.opset < 11 else [int(n) for n in self.given(node, 1)]
        axes = self.given(node, 3) if self.opset >= 18 else None
        axes = range(rank) if axes is None else [int(axis) % rank for axis in axes]
        pads = {axis: (given[i], given[i + len(given) // 2]) for i, axis in enumerate(axes)}
        pads = {self.dim(node.input[0], axis) - 1: sides for axis, sides in pads.items() if any(sides)}
        require(all(dim >= 0 for dim in pads) and min(given) >= 0, f"it pads values of the sizes {list(shape)} by {given}")
        return around(self.source(node.input[0]), layer, pads, named(node))

    def read_Conv(self, node, name):
        weight, given = self.constant(node.input[1], "its weight"), self.attributes(node)
        rank, groups = weight.ndim - 2, given.get("group", 1)
        require(rank in (1, 2), f"it has {rank} directions; sinter has convolutions of 1 and 2")
        strides, pads, dilations, causal = self.window(node, "Conv", rank, weight.shape[2:])
        source, shape = self.channels(node.input[0]), self.sample(name)
        if not causal and len(pads) > rank:
            source, pads = padded(source, "ZeroPad", list(zip(pads[:rank], pads[rank:])), named(node)), (0,) * rank
        thin = [i for i in range(2) if rank == 2 and source.shape[1 + i] == 1 == shape[1 + i] and weight.shape[2 + i] == 1]
        if thin:  # an image of one row or column is a series
            kept = 1 - thin[-1]
            source, weight = shaped(source, (source.shape[0], source.shape[1 + kept])), weight.squeeze(3 - kept)
            rank, strides, pads, dilations, shape = 1, [strides[kept]], (pads[kept],), [dilations[kept]], (shape[0], shape[1 + kept])
        once = self.at_one_place(weight, source, shape, pads, dilations) if groups == 1 and not causal else None
        if once is not None:
            row = shaped(source, (once.shape[1],))
            made = self.with_weights(node, name, row, lambda with_bias: spelled("Linear", len(once), None if with_bias else "NoBias"), once, shape=(len(once),))
            return self.reshape(made, name)
        padding = "Causal" if causal else option("Padding", pads, rank, 0)

        def spell(with_bias):
            return spelled(f"Conv{rank}d", weight.shape[0], kernel(weight.shape[2:], rank), option("Stride", strides, rank, 1), padding,
                           option("Dilation", dilations, rank, 1), spelled("Groups", groups) if groups != 1 else None,
                           None if with_bias else "NoBias")

        return self.reshape(self.with_weights(node, name, source, spell, weight, shape=shape), name)

    @staticmethod
    def at_one_place(weight, source, shape, pads, dilations):
        """The matrix of a convolution with a single position, without the taps on its padding. None for others, and if numbers of the
        source meet no tap."""
        sizes = source.shape[1:]
        if math.prod(shape[1:]) != 1 or len(pads) > len(sizes):
            return None
        taps = [[place * dilation - pad for place in range(count)] for count, dilation, pad in zip(weight.shape[2:], dilations, pads)]
        if any(set(range(size)) - set(places) for size, places in zip(sizes, taps)):
            return None
        seen = [[places.index(i) for i in range(size)] for size, places in zip(sizes, taps)]
        return weight[np.ix_(range(weight.shape[0]), range(weight.shape[1]), *seen)].reshape(weight.shape[0], -1)

    def with_weights(self, node, name, source, spell, weight, axis=0, bias=None, shape=None):
        bias = self.given(node, 2) if bias is None else bias
        tensors = {"weight": weight, **({"bias": bias} if bias is not None else {})}
        made = Node("layer", [source], shape or self.sample(name), named(node))
        self.weighted[name] = Weighted(made, spell, tensors, axis)
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

        made = self.with_weights(node, name, self.channels(node.input[0]), spell, weight, 1)
        if groups != 1:
            del self.weighted[name]  # outputs are in two places of its weight
        return made

    def linear(self, node, name, weight, bias):
        """A product along the last dimension: of rows of features a Linear, of others a convolution of one pixel where it is the channels, of
        one-hot codes a table."""
        attention = Finder(self).find(node.input[0]) if weight.shape[0] == weight.shape[1] else None
        if attention:
            return self.attention(node, name, attention, weight, bias)
        indices = self.one_hot(node.input[0], weight.shape[1])
        if indices:
            made = Node("layer", [indices], (math.prod(indices.shape), weight.shape[0]), named(node))
            self.weighted[name] = Table(made, weight.T if bias is None else weight.T + bias)
            return self.reshape(made, name)
        source = self.source(node.input[0])
        if len(source.shape) == 3 and 1 in source.shape[:2]:  # steps next to a batch dimension
            source = shaped(source, (math.prod(source.shape[:2]), source.shape[2]))
        rank = len(source.shape)
        if rank == 1:
            return self.with_weights(node, name, source, lambda with_bias: spelled("Linear", weight.shape[0], None if with_bias else "NoBias"),
                                     weight, 0, bias)
        moved = permuted(source, [rank - 1, *range(rank - 1)])
        made = self.with_weights(node, name, moved, lambda with_bias: spelled(f"Conv{rank - 1}d", weight.shape[0], 1, None if with_bias else "NoBias"),
                                 weight.reshape(*weight.shape, *[1] * (rank - 1)), 0, bias, (weight.shape[0], *moved.shape[1:]))
        self.weighted[name].dim = len(self.sample(name))
        return self.reshape(permuted(made, [*range(1, rank), 0]), name)

    def linear_before(self, node, name):
        """A product of a constant matrix and a value: along its last dimension but one."""
        weight, source, shape = np.atleast_2d(self.constants[node.input[0]]), self.source(node.input[1]), self.sample(node.input[1])
        rank = len(shape)
        require(math.prod(weight.shape[:-2]) == 1 < rank, f"it multiplies a constant of the sizes {list(weight.shape)} and samples of {shape}")
        weight = weight.reshape(weight.shape[-2:])
        order = [rank - 2, *[dim for dim in range(rank) if dim != rank - 2]]
        moved = permuted(source, order)
        made = self.with_weights(node, name, moved, lambda with_bias: spelled(f"Conv{rank - 1}d", len(weight), 1, None if with_bias else "NoBias"),
                                 weight.reshape(*weight.shape, *[1] * (rank - 1)), shape=(len(weight), *moved.shape[1:]))
        self.weighted[name].dim = rank - 1 if len(self.sample(name)) == rank else None
        return self.reshape(permuted(made, [order.index(dim) for dim in range(rank)]), name)

    def attention(self, node, name, found, weight, bias):
        """Self-attention and the product after it."""
        size = found.size
        require(len(weight) == size, f"{len(weight)} numbers are made of attention to {size}; sinter's MultiheadAttention gives as many as it takes")
        source = shaped(self.source(found.name), (found.steps, size))
        made = Node("layer", [source], source.shape, named(node))
        tensors = {"in_proj_weight": found.weight.astype(weight.dtype), "in_proj_bias": found.bias.astype(weight.dtype), "out_proj.weight": weight[:, found.order],
                   "out_proj.bias": np.zeros(size, weight.dtype) if bias is None else bias}
        text = spelled("MultiheadAttention", size, found.heads, "Causal" if found.causal else None)
        self.weighted[name] = Weighted(made, lambda _: text, tensors, 0, len(self.sample(name)), "out_proj.")
        return self.reshape(made, name)

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
        if node.input[0] in self.constants:
            return self.linear_before(node, name)
        if node.input[1] not in self.constants:
            return self.matrix_product(node, name)
        weight = self.constants[node.input[1]]
        require(weight.ndim == 2, f"its matrix has {weight.ndim} sizes")
        return self.linear(node, name, weight.T, None)

    def matrix_product(self, node, name):
        """Of two values, matrix by matrix."""
        first, second = (self.sample(value) for value in node.input)
        require(len(first) == len(second) > 1 and first[:-2] == second[:-2], f"it multiplies samples of {first} and {second}; sinter's MatrixProduct takes as many "
                "matrices of both")
        sources, options, factors, rank = [], [], [], len(first)
        for value, option_name in zip(node.input, ("TransposeFirst", "TransposeSecond")):
            source = self.source(value)
            if source in self.factors and self.reads[value] == 1:
                source, factor = self.factors[source]
                factors.append(factor)
            turned = order_of(source) == [*range(rank - 2), rank - 1, rank - 2]
            sources.append(source.sources[0] if turned else source)
            options += [option_name] if turned else []
        made = Node("matrix_product", sources, self.sample(name), named(node), ", ".join(options))
        return self.multiplied(made, math.prod(factors))

    @staticmethod
    def multiplied(product, factor):
        """A MatrixProduct with a factor, besides the one that it has."""
        options = [text for text in (product.text or "").split(", ") if text]
        earlier = [text for text in options if text.startswith("Factor<")]
        factor = math.prod([factor, *[float(text[len("Factor<"):-1]) for text in earlier]])
        options = [text for text in options if text not in earlier] + ([spelled("Factor", short(factor))] if factor != 1 else [])
        product.text = ", ".join(options)
        return product

    def one_hot(self, name, count):
        """The row of whole numbers of which a value has, along its last axis, a 1 in the place of each; None of others."""
        node = self.producers.get(name)
        while node is not None and node.op_type in ("Cast", "Identity", "Reshape") and self.values[node.input[0]].shape[-1:] == (count,):
            node = self.producers.get(node.input[0])
        if node is None or self.values[name].shape[-1:] != (count,):
            return None
        if node.op_type == "OneHot":
            values, axis = self.given(node, 2), self.attributes(node).get("axis", -1)
            found = node.input[0] if list(values) == [0, 1] and axis in (-1, self.values[name].ndim - 1) else None
        else:
            constants = [value for value in node.input if value in self.constants and node.op_type == "Equal"]
            numbers = self.constants[constants[0]] if constants else np.zeros(0)
            ordered = numbers.size == count == numbers.shape[-1] and (numbers.reshape(-1) == np.arange(count)).all()
            found = next((value for value in node.input if value not in self.constants), None) if ordered else None
        if found is None or self.values[found].size * count != self.values[name].size:
            return None
        while self.producers.get(found) is not None and self.producers[found].op_type == "Cast":
            found = self.producers[found].input[0]
        return shaped(self.value(found), (self.values[found].size,))

    def read_BatchNormalization(self, node, name):
        given = self.attributes(node)
        require(not given.get("training_mode", 0), "training_mode; export the model for inference")
        scale, bias, mean, variance = (self.given(node, i) for i in range(1, 5))
        momentum = round(1 - given.get("momentum", 0.9), 6)
        more = [spelled("Epsilon", short(given.get("epsilon", 1e-5))) if abs(given.get("epsilon", 1e-5) - 1e-5) > 1e-10 else None,
                spelled("Momentum", number(momentum)) if momentum != 0.1 else None]
        source = self.channels(node.input[0])
        rank = max(len(source.shape) - 1, 1)
        made = self.one(node, spelled(f"BatchNorm{rank}d", *more), source.shape,
                        {"weight": scale, "bias": bias, "running_mean": mean, "running_var": variance})
        return made

    def scaled(self, before, source, scale, shift, node, name, dim=1):
        """x scale + shift, each a number for each place along a dimension: in the layer before, or as a batch normalisation."""
        weighted = self.weighted.get(before)
        if weighted and self.reads[before] == 1 and weighted.dim == dim:
            weighted.apply(scale, shift)
            self.weighted[name] = weighted
            return source
        if (scale == 1).all() and not shift.any():
            return source
        alike = (scale == scale[0]).all() and not shift.any()
        if source.kind == "matrix_product" and alike and self.reads.get(before) == 1:
            return self.multiplied(source, scale[0])
        unscaled, order = source, [dim - 1, *[i for i in range(len(source.shape)) if i != dim - 1]]
        source = permuted(source, order)
        kind = np.float64 if name and self.values[name].dtype == np.float64 else np.float32
        rank, one = max(len(source.shape) - 1, 1), np.ones_like(scale, dtype=kind)
        tensors = {"weight": scale.astype(kind), "bias": shift.astype(kind), "running_mean": 0 * one, "running_var": (1 - 1e-5) * one}
        made = Node("layer", [source], source.shape, named(node))
        weighted = Weighted(made, lambda _: f"BatchNorm{rank}d<>", tensors, 0, dim)
        if name:
            self.weighted[name] = weighted
        made = permuted(made, [order.index(i) for i in range(len(order))])
        if alike:
            self.factors[made] = unscaled, scale[0]
        return made

    def with_constant(self, node, name, combine):
        """Where one input is a constant: combine(numbers, whether it is the first) gives scale and shift. Otherwise None."""
        at = next((i for i in (0, 1) if node.input[i] in self.constants), None)
        if at is None:
            return None
        before, each = node.input[1 - at], self.each_number(node.input[at], name)
        return self.affine(node, name, before, self.source(before), *combine(each, at == 0))

    def each_number(self, name, wide):
        """A constant as one number for each of a sample of another value."""
        return np.broadcast_to(self.constants[name], self.values[wide].shape).reshape(self.sample(wide)).astype(np.float64)

    def affine(self, node, name, before, source, scale, shift):
        """x scale + shift, each a number for each of a sample. `before`: the name of x, if it is one of the graph's values."""
        shape, weighted = self.sample(name), self.weighted.get(before)
        shift = np.clip(shift, -1e30, 1e30)  # -inf masks numbers before a softmax
        require(source.shape == shape, f"its constant makes samples of {source.shape} larger")
        for dim in range(1, len(shape) + 1):
            rows = [np.moveaxis(each, dim - 1, 0).reshape(shape[dim - 1], -1) for each in (scale, shift)]
            alike = all((each == each.flat[0]).all() for each in (scale, shift))
            if all((row == row[:, :1]).all() for row in rows) and (dim == (weighted.dim if weighted else 1) or not alike):
                return self.scaled(before, source, *[row[:, 0] for row in rows], node, name, dim)
        self.weighted.pop(before, None)
        if (scale == 1).all() and len(shape) > 1:
            return self.shifted(node, before, source, shift)
        return shaped(self.scaled(before, shaped(source, (scale.size,)), scale.reshape(-1), shift.reshape(-1), node, name), shape)

    def shifted(self, node, before, source, shift):
        """x and a constant for each of its numbers, as the positions of a sequence."""
        rows, earlier = self.shifts.get(source, (source, 0)) if self.reads.get(before, 1) == 1 else (source, 0)
        shape, sizes = source.shape, (math.prod(source.shape[:-1]), source.shape[-1])
        shift = shift + earlier
        made = self.one(node, spelled("PositionEmbedding", *sizes), sizes, {"weight": shift.reshape(sizes)}, shaped(rows, sizes))
        made = shaped(made, shape)
        self.shifts[made] = rows, shift
        return made

    def positional_encoding(self, node, name):
        """A sequence and the constant that sinter's layer of that name adds. Otherwise None."""
        at, shape = next((i for i in (0, 1) if node.input[i] in self.constants), None), self.sample(name)
        if at is None or len(shape) != 2 or self.sample(node.input[1 - at]) != shape:
            return None
        added = np.broadcast_to(self.constants[node.input[at]], self.values[name].shape).reshape(shape)
        return Node("layer", [self.source(node.input[1 - at])], shape, named(node),
                    "PositionalEncoding") if is_positional_encoding(added.tolist()) else None

    def two(self, node, name, kind, change=lambda source: source):
        """Two values of one shape, the second one changed before; one number for all of some dimensions is spread over them."""
        sources = [self.spread(made, self.sample(value), self.sample(name), self.values[name].ndim - self.values[value].ndim)
                   for value, made in zip(node.input, (self.source(node.input[0]), change(self.source(node.input[1]))))]
        return Node(kind, sources, self.sample(name), named(node))

    @staticmethod
    def spread(source, sample, shape, lacking):
        """A value in a larger shape, by repeating its numbers along dimensions in which it has one."""
        given = (1,) * (len(shape) - len(sample)) + sample if lacking or len(sample) < len(shape) else sample
        require(len(given) == len(shape), f"it combines samples of {sample} and {shape}")
        return spread(source, given, shape)

    def read_Add(self, node, name):
        return (self.positional_encoding(node, name) or self.with_constant(node, name, lambda c, _: (np.ones_like(c), c)) or
                self.two(node, name, "add"))

    def read_Mul(self, node, name):
        return self.with_constant(node, name, lambda c, _: (c, np.zeros_like(c))) or self.two(node, name, "multiply")

    def read_Sub(self, node, name):
        made = self.with_constant(node, name, lambda c, first: (-np.ones_like(c), c) if first else (np.ones_like(c), -c))
        if made:
            return made
        first, second = self.two(node, name, "add").sources
        return Node("add", [first, negative(second)], first.shape, named(node))

    def read_Div(self, node, name):
        if node.input[0] in self.constants:
            each = self.each_number(node.input[0], name)
            return self.affine(node, name, None, inverse(self.source(node.input[1])), each, np.zeros_like(each))
        return self.with_constant(node, name, lambda c, _: (1 / c, np.zeros_like(c))) or self.two(node, name, "multiply", inverse)

    def inverse_or_zero(self, source):
        """1 / x, and 0 where x is 0: x by the inverse of its square."""
        squares = each(source, functor("Square"), source.described)
        above = each(squares, spelled("Hardtanh", short(np.finfo(np.float32).tiny), short(np.finfo(np.float32).max)), source.described)
        return Node("multiply", [source, inverse(above)], source.shape, source.described)

    def quotient_or_zero(self, node, name):
        """a / b, and 0 where b is 0. Otherwise None."""
        equal, quotient = (self.producers.get(node.input[i]) for i in (0, 2))
        if equal is None or quotient is None or equal.op_type != "Equal" or quotient.op_type != "Div" or node.input[1] not in self.constants:
            return None
        zeros = [value for value in equal.input if value in self.constants] + [node.input[1]]
        if len(zeros) < 2 or quotient.input[1] not in equal.input or any(self.constants[value].any() for value in zeros):
            return None
        return self.two(quotient, name, "multiply", self.inverse_or_zero)

    # Conditions are 1 where they are true, and 0 elsewhere.

    def where_above(self, source, node):
        """1 where a value is above 0."""
        large = self.scaled(None, source, np.full(source.shape[0], 1e38), np.zeros(source.shape[0]), node, None)
        return each(large, "Hardtanh<0.0, 1.0>", source.described)

    def negated(self, source, node):
        return self.scaled(None, source, -np.ones(source.shape[0]), np.ones(source.shape[0]), node, None)

    def comparison(self, node, name, turned, negated):
        """Whether the first value is the larger one; of turned ones, the second; negated, whether it is not."""
        difference = self.read_Sub(node, name)
        self.weighted.pop(name, None)
        change = {True: "Negation", None: "Abs"}.get(turned)
        above = self.where_above(each(difference, functor(change), difference.described) if change else difference, node)
        return self.negated(above, node) if negated else above

    def read_Greater(self, node, name):
        return self.comparison(node, name, False, False)

    def read_Less(self, node, name):
        return self.comparison(node, name, True, False)

    def read_GreaterOrEqual(self, node, name):
        return self.comparison(node, name, True, True)

    def read_LessOrEqual(self, node, name):
        return self.comparison(node, name, False, True)

    def read_Equal(self, node, name):
        return self.comparison(node, name, None, True)

    def read_Not(self, node, name):
        return self.negated(self.source(node.input[0]), node)

    def read_And(self, node, name):
        return self.read_Mul(node, name)

    def read_Or(self, node, name):
        neither = self.two(node, name, "multiply")
        neither.sources = [self.negated(source, node) for source in neither.sources]
        return self.negated(neither, node)

    def chosen(self, node, name):
        """One of two values for each number, as a condition of the input says: sums of products with it."""
        parts, condition = [], self.spread_to(node.input[0], name)
        for value, taken in ((node.input[1], condition), (node.input[2], self.negated(condition, node))):
            if value not in self.constants:
                parts.append(Node("multiply", [self.spread_to(value, name), taken], taken.shape, named(node)))
            elif self.constants[value].any():
                numbers = np.clip(self.each_number(value, name), -1e30, 1e30)
                parts.append(self.affine(node, name, None, taken, numbers, np.zeros_like(numbers)))
        self.weighted.pop(name, None)
        return parts[0] if len(parts) == 1 else Node("add", parts, condition.shape, named(node))

    def spread_to(self, value, name):
        return self.spread(self.source(value), self.sample(value), self.sample(name), self.values[name].ndim - self.values[value].ndim)

    def read_Where(self, node, name):
        """One of two values for each number, as a condition says."""
        if quotient := self.quotient_or_zero(node, name):
            return quotient
        if node.input[0] not in self.constants:
            return self.chosen(node, name)
        kept = np.broadcast_to(self.constants[node.input[0]], self.values[name].shape).reshape(self.sample(name)).astype(bool)
        one, two = node.input[1:]
        parts = []
        for value, other, taken in ((one, two, kept), (two, one, ~kept)):
            if value not in self.constants:
                numbers = np.clip(self.each_number(other, name), -1e30, 1e30) if other in self.constants else np.zeros(kept.shape)
                parts.append(self.affine(node, name, value, self.source(value), taken.astype(np.float64), np.where(taken, 0, numbers)))
        if len(parts) == 1:
            return parts[0]
        self.weighted.pop(name, None)
        return Node("add", parts, self.sample(name), named(node))

    def read_Sum(self, node, name):
        node_of = self.source(node.input[0])
        for value in node.input[1:]:
            other = self.source(value)
            require(other.shape == node_of.shape, f"it adds samples of {node_of.shape} and {other.shape}")
            node_of = Node("add", [node_of, other], node_of.shape, named(node))
        return node_of

    def read_Concat(self, node, name):
        shape, axis = self.values[name].shape, self.attributes(node)["axis"]
        axis %= len(shape)
        if len(node.input) == 1:
            return self.source(node.input[0])
        described = named(node)
        if any(value in self.constants for value in node.input):
            return self.with_constants(node, name, axis)
        if math.prod(shape[:axis]) == 1 and axis != 1:  # one after another
            rows = [shaped(self.value(value), (self.values[value].size,)) for value in node.input]
            return self.reshape(row_of(rows, described), name)
        require(axis > 0, "it puts values together along the batch")
        return self.joined([(self.value(value), self.sample(value)) for value in node.input], self.dim(name, axis) - 1, described)

    def joined(self, parts, dim, described):
        """Nodes with their sizes, one after another along a dimension, counted from 0."""
        sample = list(parts[0][1])
        sample[dim] = sum(shape[dim] for _, shape in parts)
        order = [dim, *[i for i in range(len(sample)) if i != dim]]
        sources = [self.turned(made, shape, order) for made, shape in parts]
        return permuted(Node("concat", sources, tuple(sample[i] for i in order), described), [order.index(i) for i in range(len(sample))])

    def with_constants(self, node, name, axis):
        """Constants beside values: zeros around the values, to which they are added."""
        dim, before, sides, numbers = self.dim(name, axis) - 1, 0, [], []
        for value in node.input:
            numbers.append(self.constants[value] if value in self.constants else np.zeros(self.values[value].shape))
            size = numbers[-1].shape[axis]
            if value not in self.constants:
                sides.append((value, [before, 0]))
                before = 0
            elif sides:
                sides[-1][1][1] += size
            else:
                before += size
        parts = [around(self.source(value), "ZeroPad", {dim: zeros}, named(node)) for value, zeros in sides]
        made = parts[0] if len(parts) == 1 else self.joined([(part, part.shape) for part in parts], dim, named(node))
        shift = np.concatenate(numbers, axis).reshape(self.sample(name)).astype(np.float64)
        return self.affine(node, name, None, made, np.ones_like(shift), shift)

    def turned(self, before, shape, order):
        """The numbers of a Node of the sizes `shape`, with its dimensions in another order. Dimensions of one number do not count."""
        kept = [dim for dim in range(len(shape)) if shape[dim] != 1]
        moved = [dim for dim in order if shape[dim] != 1]
        if moved != kept:
            require(len(kept) <= 3, f"it moves the sizes of samples of {shape}; sinter moves up to three")
            before = shaped(before, tuple(shape[dim] for dim in kept)) if len(kept) < len(shape) else before
            before = permuted(before, [kept.index(dim) for dim in moved])
        return shaped(before, tuple(shape[dim] for dim in order)) if len(order) <= 3 else before

    # Activations.

    def activation(self, text):
        return lambda node, name: each(self.source(node.input[0]), text, named(node))

    def __getattr__(self, name):
        plain = {"Relu": "ReLU", "Tanh": "Tanh", "Sigmoid": "Sigmoid", "HardSwish": "Hardswish", "Softplus": "Softplus<1.0, 20.0>"}
        if name.startswith("read_") and name[5:] in plain:
            return self.activation(plain[name[5:]])
        raise AttributeError(name)

    def with_number(self, node, name, layer, attribute, usual):
        return self.activation(spelled(layer, short(self.attributes(node).get(attribute, usual))))(node, name)

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
        return self.activation("GELUTanh" if self.attributes(node).get("approximate", b"none") == b"tanh" else "GELU")(node, name)

    def read_PRelu(self, node, name):
        slope, shape = self.constant(node.input[1], "its slope"), self.sample(name)
        each = np.broadcast_to(slope, (1, *shape)).reshape(shape[0], -1)
        require((each == each[:, :1]).all(), "slopes that differ within a channel")
        single = slope.size == 1
        return self.one(node, "PReLU<>" if single else "PReLU<PerChannel>", shape, {"weight": slope.reshape(-1) if single else each[:, 0]})

    def softmax(self, node, name, layer):
        axis = self.attributes(node).get("axis", 1 if self.opset < 13 else -1)
        shape, dim = self.sample(name), self.dim(name, axis)
        if dim == len(shape) > 1 and (scores := self.causal_scores(node.input[0])):
            return self.one(node, spelled(f"{layer}Along", dim), shape, source=shaped(scores, shape))
        if len(shape) == 1 and dim == 1:
            return self.one(node, layer, shape)
        require(self.opset >= 13 or dim == len(shape), f"axis {axis} of samples of {shape}, from which on an old opset takes all sizes")
        require(dim, "it goes along the batch")
        return self.one(node, spelled(f"{layer}Along", dim), shape)

    def read_Attention(self, node, name):
        raise Refused("it has a softcap, keys and values of the past, or gives more than one value")

    def causal_scores(self, name):
        """A product of two values, with a causal mask, that a softmax reads. Otherwise None."""
        product, factor, causal = Finder(self).scores(name) or (None, 1, False)
        if not causal or self.reads[product.output[0]] > 1:
            return None
        made = self.multiplied(self.matrix_product(product, product.output[0]), factor)
        made.text = ", ".join(filter(None, [made.text, "Causal"]))
        return made

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
        first, source = pads[:rank], self.channels(node.input[0])
        needed = [(m - 1) * s + k - n - p for n, m, p, k, s in zip(before, after, first, taps, strides)]  # after the last number
        even = tuple((n + 2 * p - k) // s + 1 for n, p, k, s in zip(before, first, taps, strides)) == tuple(after)
        if kind == "Max" and (len(pads) > rank or not even):  # the last numbers again do not make them larger
            sides = [(p, max(0, n)) for p, n in zip(first, needed)]
            source, pads = padded(source, "ReplicationPad", sides, named(node)), (0,) * rank
        else:
            require(len(pads) == rank and even, f"pads of {pads}, or ceil_mode, of an average")
        require(kind == "Max" or not any(pads) or given.get("count_include_pad", 0), "an average that leaves out its padding; set count_include_pad")
        return self.one(node, spelled(f"{kind}Pool{rank}d", kernel(taps, rank), option("Stride", strides, rank, taps),
                                      option("Padding", pads, rank, 0)), self.sample(name), source=source)

    def read_MaxPool(self, node, name):
        return self.pool(node, name, "Max")

    def read_AveragePool(self, node, name):
        return self.pool(node, name, "Avg")

    def whole(self, node, name, kind):
        """One number for each channel."""
        source = self.channels(node.input[0])
        rank = len(source.shape) - 1
        require(rank in (1, 2), f"samples of {source.shape}")
        text = spelled(f"AdaptiveAvgPool{rank}d", 1) if kind == "Avg" else spelled(f"MaxPool{rank}d", kernel(source.shape[1:], rank))
        return self.reshape(self.one(node, text, (source.shape[0], *[1] * rank)), name)

    def read_GlobalAveragePool(self, node, name):
        return self.whole(node, name, "Avg")

    def read_GlobalMaxPool(self, node, name):
        return self.whole(node, name, "Max")

    def reduce(self, node, name, kind, of=None):
        """The mean, sum, largest or smallest of numbers, or of a function `of` them, along axes."""
        shape, source = self.values[node.input[0]].shape, self.source(node.input[0])
        source = each(source, of, source.described) if of else source
        axes = [axis for axis in axes_of(node, self.constants, len(shape)) if shape[axis] != 1]
        dims = [self.dim(node.input[0], axis) for axis in axes]
        if not dims:
            return self.reshape(source, name)
        if dims == list(range(2, len(source.shape) + 1)) and kind in ("Avg", "Max"):
            return self.whole(node, name, kind)
        return self.reshape(reduced(source, [dim - 1 for dim in dims], kind, named(node)), name)

    def read_ReduceMean(self, node, name):
        return self.reduce(node, name, "Avg")

    def read_ReduceSum(self, node, name):
        return self.reduce(node, name, "Sum")

    def read_ReduceL1(self, node, name):
        return self.reduce(node, name, "Sum", functor("Abs"))

    def read_ReduceSumSquare(self, node, name):
        return self.reduce(node, name, "Sum", functor("Square"))

    def read_ReduceL2(self, node, name):
        return each(self.reduce(node, name, "Sum", functor("Square")), functor("Sqrt"), named(node))

    def read_ReduceMax(self, node, name):
        return self.reduce(node, name, "Max")

    def read_ReduceMin(self, node, name):
        return self.reduce(node, name, "Min")

    # Normalisations.

    def epsilon(self, node):
        given = self.attributes(node).get("epsilon", 1e-5)
        return spelled("Epsilon", short(given)) if abs(given - 1e-5) > 1e-10 else None

    def read_LayerNormalization(self, node, name):
        shape, axis = self.sample(name), self.attributes(node).get("axis", -1)
        axis %= len(shape) + 1
        require(axis, "it normalises the batch")
        scale, bias, last = self.given(node, 1), self.given(node, 2), shape[axis - 1:]
        more = [spelled("NormalizedShape", *last) if axis > 1 else None, self.epsilon(node), "NoBias" if bias is None else None]
        return self.one(node, spelled("LayerNorm", *more), shape,
                        {"weight": scale.reshape(last), **({"bias": bias.reshape(last)} if bias is not None else {})})

    def read_RMSNormalization(self, node, name):
        shape, axis = self.sample(name), self.attributes(node).get("axis", -1)
        axis %= len(shape) + 1
        require(axis, "it normalises the batch")
        last = shape[axis - 1:]
        return self.one(node, spelled("RMSNorm", spelled("NormalizedShape", *last), spelled("Epsilon", short(self.attributes(node).get("epsilon", 1e-5)))),
                        shape, {"weight": self.given(node, 1).reshape(last)})

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
        before = self.value(node.input[0])
        self.pass_on(node.input[0], name)
        return self.reshape(before, name)

    read_Reshape = read_Flatten = read_Squeeze = read_Unsqueeze = read_Identity = same_numbers

    def read_Cast(self, node, name):
        before, after = self.values[node.input[0]].dtype, self.values[name].dtype
        whole = np.issubdtype(after, np.integer) and not np.issubdtype(before, np.integer)
        readers = {other.op_type for other in self.producers.values() if name in other.input and name not in lengths_of(other)}
        require(not whole or readers <= {"Gather", "Cast", "Reshape", "Flatten", "Squeeze", "Unsqueeze"}, "it rounds to whole numbers")
        return self.same_numbers(node, name)

    def read_Dropout(self, node, name):
        require(name == node.output[0], "its mask is read")
        ratio = self.attributes(node).get("ratio", 0.5) if self.opset < 12 else self.given(node, 1)
        ratio = float(np.reshape(0.5 if ratio is None else ratio, ()))
        return self.one(node, spelled("Dropout", short(ratio)), self.sample(name)) if 0 < ratio < 1 else self.source(node.input[0])

    def read_Transpose(self, node, name):
        shape = self.values[node.input[0]].shape
        order = list(self.attributes(node).get("perm", range(len(shape))[::-1]))
        before = self.value(node.input[0])
        if order == [0, 2, 1] and (before.text or "").startswith("Embedding<") and self.reads[node.input[0]] == 1:
            return Node("layer", before.sources, self.sample(name), before.described, before.text[:-1] + ", ChannelsFirst>", tensors=before.tensors)
        moved = [axis for axis in order if shape[axis] != 1]
        if moved == sorted(moved):
            return self.same_numbers(node, name)
        require(0 not in order[1:] or shape[0] == 1 or order[0] == 0 or len(moved) <= 3, f"it moves sizes ({order})")
        return self.reshape(self.turned(before, tuple(shape), order), name)

    def read_Slice(self, node, name):
        given, shape = self.attributes(node), self.values[node.input[0]].shape
        if self.opset < 10:
            starts, axes, steps = given["starts"], given.get("axes"), None
        else:
            starts, axes, steps = self.given(node, 1), self.given(node, 3), self.given(node, 4)
        axes = [int(axis) % len(shape) for axis in (axes if axes is not None else range(len(starts)))]
        steps = [1] * len(axes) if steps is None else steps
        after, taken = self.values[name].shape, {}
        for axis, start, step in zip(axes, starts, steps):
            if after[axis] == shape[axis] and step == 1:
                continue
            whole = step == -1 and after[axis] == shape[axis]
            require((axis > 0 or shape[0] != 1) and (step == 1 or whole), f"it takes a part of size {axis} in steps of {step}; sinter's Slice takes neighbours")
            taken[axis] = None if whole else int(start) if start >= 0 else int(start) + shape[axis]
        if None in taken.values():
            require(set(taken.values()) == {None}, "it takes parts of some sizes and reverses others")
            return self.one(node, spelled("Flip", *[self.dim(node.input[0], axis) for axis in taken]), self.sample(name))
        made = self.source(node.input[0])
        if not taken:
            self.pass_on(node.input[0], name)
        for axis, first in taken.items():
            made = part(made, self.dim(node.input[0], axis) - 1, first, after[axis], named(node))
        return self.reshape(made, name)

    def read_Resize(self, node, name):
        given, before, after = self.attributes(node), self.values[node.input[0]].shape, self.values[name].shape
        mode, places = given.get("mode", b"nearest"), given.get("coordinate_transformation_mode", b"half_pixel") if self.opset > 10 else b"asymmetric"
        factors = {m / n for n, m in zip(before[2:], after[2:])}
        require(after[:2] == before[:2] and len(before) in (3, 4) and len(factors) == 1 and factors.copy().pop() % 1 == 0,
                f"it makes {list(after[1:])} of {list(before[1:])}; sinter's Upsample enlarges images by one whole factor")
        options = {(b"nearest", b"asymmetric"): (), (b"linear", b"half_pixel"): ("Bilinear",), (b"linear", b"pytorch_half_pixel"): ("Bilinear",),
                   (b"linear", b"align_corners"): ("Bilinear", "AlignCorners")}.get((mode, places))
        floor = mode != b"nearest" or self.opset <= 10 or given.get("nearest_mode", b"round_prefer_floor") == b"floor"
        require(options is not None and floor, f"the mode {mode.decode()!r} with {places.decode()!r}; sinter has nearest with 'asymmetric' and 'floor', "
                "and linear with 'half_pixel' or 'align_corners'")
        return self.one(node, spelled("Upsample", int(factors.pop()), *options), self.sample(name))

    read_Upsample = read_Resize  # of opset 9

    def read_DepthToSpace(self, node, name):
        given = self.attributes(node)
        require(given.get("mode", b"DCR") == b"CRD", "the mode 'DCR'; sinter's PixelShuffle is that of PyTorch, 'CRD'")
        return self.one(node, spelled("PixelShuffle", given["blocksize"]), self.sample(name))

    def read_Split(self, node, name):
        rank, axis = len(self.values[name].shape), self.attributes(node).get("axis", 0)
        axis %= rank
        require(axis > 0 or self.values[node.input[0]].shape[0] != 1, "it splits the batch")
        earlier = list(node.output)[:list(node.output).index(name)]
        first = sum(self.values[other].shape[axis] for other in earlier)
        made = part(self.source(node.input[0]), self.dim(node.input[0], axis) - 1, first, self.values[name].shape[axis], named(node))
        return self.reshape(made, name)

    def read_Expand(self, node, name):
        return self.spread_to(node.input[0], name)

    def read_Gather(self, node, name):
        axis = self.attributes(node).get("axis", 0)
        if node.input[0] in self.constants:
            table = self.constants[node.input[0]]
            require(axis == 0 and table.ndim == 2, f"a table of the sizes {list(table.shape)} along size {axis}; sinter's Embedding has rows")
            source = self.source(node.input[1])
            require(len(source.shape) == 1, f"rows for samples of {source.shape}; sinter's Embedding takes rows of indices")
            made = Node("layer", [source], self.sample(name), named(node))
            self.weighted[name] = Table(made, table)
            return made
        shape, rows = self.values[node.input[0]].shape, self.constant(node.input[1], "its indices")
        axis %= len(shape)
        wanted = [int(row) % shape[axis] for row in rows.reshape(-1)]
        if wanted == list(range(shape[axis])):
            return self.same_numbers(node, name)
        require((axis > 0 or shape[0] != 1) and wanted == list(range(wanted[0], wanted[0] + len(wanted))), "it takes other than neighbouring numbers")
        return self.reshape(part(self.source(node.input[0]), self.dim(node.input[0], axis) - 1, wanted[0], len(wanted), named(node)), name)


    # Recurrent layers. Their rows in ONNX are those of i, o, f, g and of z, r, n; in PyTorch of i, f, g, o and of r, z, n.

    def read_LSTM(self, node, name):
        return self.recurrent(node, name, "LSTM", (0, 2, 3, 1), (b"Sigmoid", b"Tanh", b"Tanh"))

    def read_GRU(self, node, name):
        require(self.attributes(node).get("linear_before_reset", 0), "linear_before_reset is 0; sinter's GRU is that of PyTorch, where it is 1")
        return self.recurrent(node, name, "GRU", (1, 0, 2), (b"Sigmoid", b"Tanh"))

    def read_RNN(self, node, name):
        return self.recurrent(node, name, "RNN", (0,), (b"Tanh",))

    def recurrent(self, node, name, layer, gates, functions):
        given, hidden = self.attributes(node), self.attributes(node)["hidden_size"]
        both, reverse = (given.get("direction", b"forward") == kind for kind in (b"bidirectional", b"reverse"))
        directions, output = 1 + both, list(node.output).index(name)
        require(tuple(given.get("activations", functions * directions)) == functions * directions, f"its activations are {given.get('activations')}")
        require(not given.get("clip") and not given.get("input_forget", 0), "clip or input_forget")
        lengths = node.input[4] if len(node.input) > 4 and node.input[4] else None
        if lengths in self.constants:
            require((self.constants[lengths] == self.steps(node)).all(), "its sequences are shorter than its steps, all alike")
            lengths = None
        require(len(node.input) < 8 or not node.input[7], "peepholes")
        states = [value for value in node.input[5:7] if value and np.any(self.constants.get(value, 1))]
        w, r, b = (self.given(node, i) for i in (1, 2, 3))
        b = np.zeros((directions, 2 * len(gates) * hidden), np.float32) if b is None else b

        def rows(array):  # [gates x hidden, ..], in PyTorch's order
            return array.reshape(len(gates), hidden, *array.shape[1:])[list(gates)].reshape(array.shape)

        tensors = {}
        for direction, end in zip(range(directions), ("", "_reverse")):
            first, second = np.split(b[direction], 2)
            tensors |= {f"weight_ih_l0{end}": rows(w[direction]), f"weight_hh_l0{end}": rows(r[direction]),
                        f"bias_ih_l0{end}": rows(first), f"bias_hh_l0{end}": rows(second)}
        steps, x = self.steps(node), self.value(node.input[0])
        x = shaped(x, (steps, w.shape[2]))
        if states:
            require(len(states) == (2 if layer == "LSTM" else 1) and not any(value in self.constants for value in states),
                    "its initial state is a constant, or a part of it is; sinter's is 0, or computed from the input as a whole")
            if directions == steps == 1 and layer != "RNN" and lengths is None:
                return self.reshape(self.cell(node, x, layer, states, tensors)[0 if output < 2 else 1], name)
        require(output < 2, "its cell state is read; sinter's LSTM gives the hidden state")
        if output and self.reads.get(node.output[0], 0) and not both and lengths is None:  # the last of all steps
            every = self.value(node.output[0])
            return self.reshape(part(shaped(every, (steps, hidden)), 0, 0 if reverse else steps - 1, 1, named(node)), name)
        x = self.one(node, "Flip<1>", x.shape, source=x) if reverse else x
        made = self.one(node, spelled(layer, hidden, "Bidirectional" if both else None, "FinalState" if output else None),
                        (directions * hidden,) if output else (steps, directions * hidden), tensors, x)
        if lengths is not None:
            require(not reverse, "sequences of several lengths, from their ends to their beginnings alone")
            made.sources.append(shaped(self.value(lengths), (1,)))
            made.branches += ("Lengths",)
        if states:
            made.sources.append(row_of([shaped(self.value(state), (directions * hidden,)) for state in states], made.described))
            made.branches += ("InitialState",)
        made.kind = "recurrent" if made.branches else "layer"
        if both and not output and len(self.sample(name)) > 2:
            self.odd[name] = f"value {name!r} has the steps of both directions apart; read them by a Transpose with perm = [0, 2, 1, 3]"
        return self.reshape(self.one(node, "Flip<1>", made.shape, source=made) if reverse and not output else made, name)

    def steps(self, node):
        return self.values[node.input[0]].shape[self.attributes(node).get("layout", 0)]

    def cell(self, node, x, layer, states, tensors):
        """The state after one step: h, and c of an LSTM."""
        if (node.output[0], "step") not in self.nodes:
            hidden, described = self.attributes(node)["hidden_size"], named(node)
            row = row_of([shaped(x, (math.prod(x.shape),)), *[shaped(self.value(state), (hidden,)) for state in states]], described)
            made = self.one(node, spelled(f"{layer}Cell", hidden), (len(states) * hidden,), {key[:-3]: tensor for key, tensor in tensors.items()}, row)
            self.nodes[node.output[0], "step"] = [Node("slice", [made], (hidden,), described, first=k * hidden) for k in range(len(states))]
        return self.nodes[node.output[0], "step"]


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
{inputs}  const auto y = net.forward({given}, workspace);
{outputs}}}
"""


def convert(path, name, folder=".", begin=None, ends=None, shapes=None, numbers=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have. `begin`: a value, or
    several."""
    check_names(name, (1,))
    model, opset = read(path)
    inputs = fix_sizes(model, set_inputs(model, numbers or {}, {key: tuple(sizes) for key, sizes in (shapes or {}).items()}))
    model = fold(model)
    ends = list(ends or [entry.name for entry in model.graph.output])
    generator = np.random.default_rng(1)
    lengths = length_places(model, inputs)
    everything = [value for node in model.graph.node for value in node.output if value]
    values = [values_of(model, inputs, [(key, place, count(steps)) for key, place, steps in lengths], everything, ends, generator)
              for count in (lambda steps: steps, lambda steps: (steps + 1) // 2)]  # the second row has fewer steps
    if written := write_out(model, values[0]):
        values = [{**more, **run(model, written, more)} for more in values]
    begins = [begin] if isinstance(begin, str) else list(begin or [])
    if not begins:
        begins = [entry.name for entry in inputs if any(entry.name in node.input for node in model.graph.node)]
    part = without_checks(cut(model, begins, ends, values[0]), values[0])
    reader = Reader(part, opset, values[0], begins, ends)
    check_names(name, reader.input_node().shape)
    inputs = [(begin, reader.sample(begin)) for begin in begins]
    join_blocks([reader.nodes[end] for end in ends])
    layers = Layers(name, reader.input_node(), [reader.nodes[end] for end in ends], inputs if len(inputs) > 1 else (), ends)
    test = {"inputs": [side_by_side(row, begins) for row in values], "outputs": [side_by_side(row, ends) for row in values]}
    outputs = ""
    for end in ends:
        rows = "y" if len(ends) == 1 else f"sinter::head<{name}, {quoted(end)}>(y)"
        outputs += f"  std::printf(\"%s: %g ..\\n\", {quoted(end)}, static_cast<double>({rows}.row(0)[0]));\n"
    about = [pathlib.Path(path).name, *described("Input", begins, reader), *described("Output", ends, reader)]
    write_network(layers, test, "from_onnx.py", about, folder)
    given = ["x"] if len(inputs) == 1 else [f"x{number}" for number in range(len(inputs))]
    tensors = ""
    for x, (begin, shape) in zip(given, inputs):
        counted = [(place, steps) for name, place, steps in lengths if name == begin]
        plain = "" if counted else "const "
        tensors += f"  {plain}sinter::Tensor<float, sinter::Shape<{', '.join(map(str, shape))}>> {x}(1);  // {begin}: zeros\n"
        tensors += "".join(f"  {x}.data()[{place}] = {steps};  // as many steps as there are\n" for place, steps in counted)
    write(pathlib.Path(folder) / f"{name}.cpp",
          EXAMPLE.format(name=name, inputs=tensors, given=", ".join(given), outputs=outputs).encode())


def side_by_side(row, names):
    return np.concatenate([row[name].astype(np.float64).reshape(-1) for name in names]).tolist()


def described(kind, names, reader):
    """What a comment says of inputs or outputs: their names, sizes and places."""
    lines, at = [], 0
    for name in names:
        size = math.prod(reader.sample(name))
        lines.append(f"{kind} \"{name}\" {list(reader.sample(name))}" + (f", numbers {at} to {at + size - 1}." if len(names) > 1 else "."))
        at += size
    return lines


def sizes_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"\d+(x\d+)*", given), f"{text!r} was given as a shape; give TENSOR=SIZES, such as audio=1x16000")
    return name, tuple(int(n) for n in given.split("x"))


def number_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"-?\d+(\.\d+)?", given), f"{text!r} was given as a number of an input; give TENSOR=NUMBER, such as rate=16000")
    return name, float(given)


def main():
    parser = argparse.ArgumentParser(usage=" ".join(__doc__.split("\n\n")[0].split()).rsplit(": a", 1)[0], description=__doc__.split("\n\n", 1)[1],
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--from", dest="begins", action="append")
    parser.add_argument("--to", dest="ends", action="append")
    parser.add_argument("--shape", dest="shapes", action="append", default=[])
    parser.add_argument("--set", dest="numbers", action="append", default=[])
    given = parser.parse_args()
    try:
        convert(given.file, given.name, given.folder, given.begins, given.ends, dict(sizes_of(text) for text in given.shapes),
                dict(number_of(text) for text in given.numbers))
    except (Refused, OSError) as problem:
        print("\n".join(f"from_onnx: {line}" for line in str(problem).splitlines()), file=sys.stderr)
        return 1
    print(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    return 0


if __name__ == "__main__":
    sys.exit(main())
