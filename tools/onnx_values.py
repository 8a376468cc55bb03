# SPDX-License-Identifier: MIT
"""The values of an ONNX graph, as onnxruntime computes them: folded constants, and what follows from rows of the inputs.

What onnxruntime does not take is refused, with its node and reason. from_onnx.py needs this file beside it.
"""
import pathlib
import re
import tempfile

import numpy as np
import onnx
import onnxruntime

from layer_graph import Refused, require
from onnx_file import INTEGERS, name_nodes, named
from onnx_functions import ELEMENTS

# Optimisations of onnxruntime other than folding constants and padding into windows: they would change layers.
KEPT_APART = ["ConvAddFusion", "ConvMulFusion", "ConvBNFusion", "EliminateDropout", "FuseReluClip", "MatMulBNFusion",
              "MatMulAddFusion", "MatMulScaleFusion", "ReluQuantRewrite", "GemmSumFusion", "GemmTransposeFusion"]
# Operators that compute with numbers. Those that compare, choose or move some are exact for whole ones, too.
ARITHMETIC = ELEMENTS.keys() - {"Min", "Max", "Clip", "Where", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"} | \
    {"CumSum", "Einsum", "Gemm", "MatMul", "Mod", "ReduceL1", "ReduceMean", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Sum"}
WHOLE_NUMBERS = "it computes with whole numbers; sinter computes with floats, and only looks up, compares and moves whole numbers"
# What onnxruntime says before its reason: codes, and a line of its own source.
NOT_FOR_READERS = (r"\[ONNXRuntimeError\] : \d+ : \w+ : |Exception during initialization: |"
                   r"/\S+:\d+ [\w:<>~& ]*\(.*?\)( const)?( \[with .*?\])? ")
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


def in_words(model, problem, otherwise, others=()):
    """What onnxruntime does not take: the node, and the reason, after that of others, as lines. `otherwise`: what is said if it names no node."""
    said = " ".join(str(problem).split())
    found = next(filter(None, (re.search(pattern, said) for pattern in STOPPED)), None)
    node = next((node for node in model.graph.node if found and node.name == found["name"]), None)
    if node is None:
        return [otherwise + re.sub(NOT_FOR_READERS, "", str(problem).splitlines()[0])]
    problems = {other.name: f"{named(other)}: {WHOLE_NUMBERS}" for other in others}
    problems.setdefault(node.name, f"{named(node)}: its sizes, types or numbers do not fit, as onnxruntime says: {found['why'].strip()}")
    return problems.values()


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
            raise Refused(*in_words(model, problem, "onnxruntime does not take the model: ")) from None
        folded = onnx.load(options.optimized_model_filepath)
        name_nodes(folded)
        return folded


def runner(model, names):
    """A function that computes the values of these names of what it is given."""
    def refused(problem):
        return Refused(*in_words(model, problem, "onnxruntime does not run the model: ", whole_arithmetic(model)))

    def values(given):
        try:
            return dict(zip(names, session.run(names, {name: value for name, value in given.items() if name in wanted})))
        except Exception as problem:
            raise refused(problem) from None

    model = onnx.ModelProto.FromString(model.SerializeToString())
    del model.graph.output[:]
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    except Exception as problem:
        raise refused(problem) from None
    wanted = {entry.name for entry in session.get_inputs()}
    return values


def run(model, names, given):
    """The values of these names."""
    return runner(model, names)(given)


# -- rows of inputs ----------------------------------------------------------------------------------------------------


def table_size(model):
    """The number of whole numbers that are inputs of all tables and one-hot codes; without any, 2."""
    constants = {tensor.name: tuple(tensor.dims) for tensor in model.graph.initializer}
    counts = [constants[node.input[0]][0] for node in model.graph.node if node.op_type == "Gather" and constants.get(node.input[0]) and
              node.input[1] not in constants]
    counts += [constants[name][-1] for node in model.graph.node if node.op_type == "Equal" for name in node.input if constants.get(name)]
    return max(2, min(counts, default=2))


# Eighths on both sides of zero and above one, which tell functions apart. Where a model gives no numbers for them, eighths above zero, or
# zeros and ones; these also for numbers that are made whole.
RANGES = [(-16, 17, 8)] * 6 + [(1, 17, 8)] * 6 + [(0, 2, 1)] * 30 + [(1, 9, 8)] * 8


def rows_of(entry, count, generator, numbers):
    """Fractions of one of the RANGES; whole numbers below `count`."""
    dims = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
    kind = onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type)
    if np.dtype(kind).kind in "biu":
        return np.asarray(generator.integers(0, count if np.issubdtype(kind, np.integer) else 2, dims)).astype(kind)
    low, high, parts = numbers
    return np.asarray(generator.integers(low, high, dims) / parts).astype(kind)


def choices_of(part, begins, rows):
    """Rows of what the nodes Where of a part are given: (1, row) as they are, and (100, row) of inputs with 100 times
    their numbers, where the part takes these."""
    names = list(dict.fromkeys(name for node in part.graph.node if node.op_type == "Where" for name in node.input))
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in part.graph.initializer
                 if tensor.name in names}
    computed, found = [name for name in names if name not in constants and name not in begins], []
    values = runner(part, computed) if computed else lambda given: {}
    for factor in (1, 100) if names else ():
        for row in rows:
            given = {name: row[name] * row[name].dtype.type(factor if row[name].dtype.kind == "f" else 1)
                     for name in begins}
            try:
                found.append((factor, constants | given | values(given)))
            except Refused:
                pass
    return found


def rounds_to_whole(model):
    """Whether numbers are made whole."""
    return any(node.op_type == "Cast" and onnx.helper.get_node_attr_value(node, "to") in INTEGERS for node in model.graph.node)


def values_of(model, inputs, lengths, names, ends, generator, earlier):
    """Inputs and all values, where what the model gives are numbers: not, for instance, of a mask of all steps. The inputs are other ones than those
    of earlier rows."""
    whole = rounds_to_whole(model)
    for numbers in RANGES:
        if whole and numbers[2] > 1:
            continue
        row = {entry.name: rows_of(entry, table_size(model), generator, numbers) for entry in inputs}
        for name, place, count in lengths:
            row[name].reshape(-1)[place] = count
        if any(all(np.array_equal(row[name], before[name]) for name in row) for before in earlier):
            continue
        values = {**row, **run(model, names, row)}
        for end in ends:
            require(isinstance(values.get(end, row), (np.ndarray, dict)), f"output {end!r} is no tensor; name those that are by --to TENSOR")
        if all(np.isfinite(values[end]).all() for end in ends if end in values):
            return values
    raise Refused("of no numbers that were tried the model gives numbers, but infinities or what is no number")
