# SPDX-License-Identifier: MIT
"""ONNX files: reading, checking, sizes for their inputs, and parts of their graphs.

Nothing here runs a network. from_onnx.py needs this file beside it.
"""
import pathlib
import re

import numpy as np
import onnx

from layer_graph import Refused, require

OPSETS = range(9, 24)
INTEGERS = [getattr(onnx.TensorProto, f"{sign}INT{bits}") for sign in ("", "U") for bits in (8, 16, 32, 64)]
LARGEST = 2**31 - 1  # size
NUMBERS = [*INTEGERS, *[getattr(onnx.TensorProto, kind) for kind in ("BOOL", "FLOAT16", "FLOAT", "DOUBLE", "BFLOAT16")]]


def named(node):
    return f"node {node.name!r} (op {node.op_type})"


def name_nodes(model):
    """Gives nodes without a name that of their first value."""
    for number, node in enumerate(model.graph.node):
        node.name = node.name or next((name for name in node.output if name), f"number {number}")


def check_text(path, message):
    """Refuses names and other text that is no UTF-8."""
    is_tensor = isinstance(message, onnx.TensorProto)  # whose numbers are left alone
    for field, value in [(onnx.TensorProto.DESCRIPTOR.fields_by_name["name"], message.name)] if is_tensor else message.ListFields():
        several = [value] if isinstance(value, (str, bytes)) or hasattr(value, "ListFields") else value
        for one in several if field.type in (field.TYPE_MESSAGE, field.TYPE_STRING) else ():
            if field.type == field.TYPE_MESSAGE:
                check_text(path, one)
            require(not isinstance(one, bytes), f"{path} has a name that is no UTF-8, {one!r:.60}: give its nodes and values other names")


def ends_onnxruntime(node):
    """Whether onnxruntime would end this program by a signal: for outputs in training mode that have no names."""
    given = {entry.name: entry.i for entry in node.attribute}
    return node.op_type == "BatchNormalization" and given.get("training_mode") and len([name for name in node.output if name]) < 3


def lacking_inputs(node, schema):
    """Inputs that an operator needs, and has not: onnxruntime may end this program at them. Those of none have the empty name."""
    for i in range(max(schema.min_input, len(node.input))):
        takes = schema.inputs[min(i, len(schema.inputs) - 1)].option if schema.inputs else None
        given = i < len(node.input) and bool(node.input[i])
        if not given and takes != onnx.defs.OpSchema.FormalParameterOption.Optional:
            yield f"its input {i} is missing, which the operator needs"


def check_operators(model, opset):
    """Refuses operators that ONNX itself does not have, and those at which onnxruntime ends."""
    problems = []
    for node in model.graph.node:
        if ends_onnxruntime(node):
            problems.append(f"{named(node)}: training_mode; export the model for inference")
        try:
            own = any(node.op_type == function.name and node.domain == function.domain for function in model.functions)
            if node.domain in ("", "ai.onnx") and not own:
                schema = onnx.defs.get_schema(node.op_type, opset, "")
                problems += [f"{named(node)}: {why}" for why in lacking_inputs(node, schema)]
        except onnx.defs.SchemaError:
            problems.append(f"{named(node)}: ONNX has no such operator in opset {opset}")
    if problems:
        raise Refused(*problems)


def read(path):
    path = pathlib.Path(path)
    try:
        model = onnx.load(path, load_external_data=False)
    except OSError as problem:
        raise Refused(f"{path} cannot be read: {problem.strerror}") from None
    except Exception as problem:
        raise Refused(f"{path} is not an ONNX file: {problem}") from None
    check_text(path, model)
    require(len(model.graph.node) > 0, f"{path} holds no ONNX graph")
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [entry for entry in model.graph.input if entry.name not in constants]  # files of IR version 3 list both
    del model.graph.input[:]
    model.graph.input.extend(inputs)
    model.ir_version = max(model.ir_version, 4)
    opset = max([entry.version for entry in model.opset_import if entry.domain in ("", "ai.onnx")], default=0)
    require(opset in OPSETS, f"{path} is of opset {opset}; known are {OPSETS[0]} to {OPSETS[-1]}: convert it by onnx.version_converter")
    name_nodes(model)
    sparse = [tensor.values.name for tensor in model.graph.sparse_initializer]
    sparse += [name for node in model.graph.node for name in node.output if any(entry.type == entry.SPARSE_TENSOR for entry in node.attribute)]
    require(not sparse, f"{path} keeps {', '.join(map(repr, sparse))} as sparse tensors, which this tool does not read: write them with all their zeros")
    check_operators(model, opset)
    read_weights(model, path.parent)
    widen(model)
    return model, opset


def widen(message):
    """Makes float16 float32, in the numbers, types and casts of a file: sinter computes with these, and the self-test
    must not have what float16 rounds."""
    half, single = onnx.TensorProto.FLOAT16, onnx.TensorProto.FLOAT
    if isinstance(message, onnx.TensorProto):
        if message.data_type == half:
            numbers = onnx.numpy_helper.to_array(message).astype(np.float32)
            message.CopyFrom(onnx.numpy_helper.from_array(numbers, message.name))
        return
    if isinstance(message, onnx.TypeProto.Tensor) and message.elem_type == half:
        message.elem_type = single
    if isinstance(message, onnx.AttributeProto) and message.name in ("to", "dtype") and message.i == half:
        message.i = single
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for one in [value] if hasattr(value, "ListFields") else value:
                widen(one)


def read_weights(model, folder):
    """Reads what a file keeps in others."""
    problems = []
    for tensor in model.graph.initializer:
        kept = {entry.key: entry.value for entry in tensor.external_data} if tensor.data_location == onnx.TensorProto.EXTERNAL else {}
        places = [kept.get(key, "0") for key in ("offset", "length")]
        require(all(re.fullmatch(r"\d{1,18}", place) for place in places),
                f"the weights {tensor.name!r} are kept in another file at the offset {places[0]!r} with the length {places[1]!r}; "
                "expected are numbers")
        file, end = folder / kept.get("location", ""), sum(map(int, places))
        if kept and not (file.is_file() and file.stat().st_size >= end):
            readers = [named(node) for node in model.graph.node if tensor.name in node.input] or ["no node"]
            lack = "too short" if file.is_file() else "missing"
            problems.append(f"{readers[0]}: its weights {tensor.name!r} are kept in {file}, which is {lack}")
    if problems:
        raise Refused(*problems)
    try:
        onnx.load_external_data_for_model(model, str(folder))
    except Exception as problem:
        raise Refused(f"weights that are kept in other files cannot be read: {problem}") from None
    check_tensors(model)


def check_tensors(message):
    """Refuses tensors that have more or fewer numbers than their sizes say, also those of attributes."""
    if isinstance(message, onnx.TensorProto):
        try:
            onnx.numpy_helper.to_array(message)
        except Exception as problem:
            raise Refused(f"the numbers of {message.name!r} cannot be read, of the type {message.data_type} and the sizes "
                          f"{list(message.dims)}: {problem}") from None
        return
    for field, value in message.ListFields():
        if field.type == field.TYPE_MESSAGE:
            for one in [value] if hasattr(value, "ListFields") else value:
                check_tensors(one)


# -- inputs ------------------------------------------------------------------------------------------------------------


def set_inputs(model, numbers, shapes, rows=1):
    """Makes inputs constants, with a batch of `rows`: the sizes of all others."""
    graph = model.graph
    for name, value in numbers.items():
        entry = next((entry for entry in graph.input if entry.name == name), None)
        require(entry is not None, f"there is no input {name!r}; the inputs are {[entry.name for entry in graph.input]}")
        dims = (rows, *shapes[name]) if name in shapes else [dim.dim_value or rows for dim in entry.type.tensor_type.shape.dim]
        is_open = name not in shapes and any(not dim.dim_value for dim in entry.type.tensor_type.shape.dim[1:])
        require(not is_open, f"input {name!r} has open sizes: give those of a sample by --shape {name}=SIZES, besides its number")
        require(all(0 < size <= LARGEST for size in dims), f"input {name!r} was given the sizes {tuple(shapes.get(name, dims))}; sizes are 1 to {LARGEST}")
        kind = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(entry.type.tensor_type.elem_type))
        bounds = np.iinfo(kind) if kind.kind in "iu" else None
        fits = np.isfinite(value) and (kind.kind not in "biu" or value == int(value)) and (bounds is None or bounds.min <= value <= bounds.max)
        require(fits, f"input {name!r} has numbers of the type {kind.name}, and {value} is none")
        graph.initializer.append(onnx.numpy_helper.from_array(np.full(dims, value, kind), name))
        graph.input.remove(entry)
    return {name: sizes for name, sizes in shapes.items() if name not in numbers}


def fixed_batches(model, told):
    """A line for each input, of which the caller has not `told` the sizes, whose first size may be that of a batch: the file fixes all."""
    constants = {tensor.name for tensor in model.graph.initializer}
    for entry in model.graph.input:
        sizes = [dim.dim_value for dim in entry.type.tensor_type.shape.dim]
        if entry.name not in constants and entry.name not in told and len(sizes) > 1 and sizes[0] > 1 and all(size > 0 for size in sizes):
            yield (f"input {entry.name!r} {sizes} was taken for one sample; if {sizes[0]} is the size of a batch, convert again by "
                   f"--shape {entry.name}={'x'.join(str(size) for size in sizes[1:])}")


def fix_sizes(model, shapes, rows=1):
    """Gives all inputs their sizes, with a batch of `rows`: where sizes are given, the first one of the others, or else the open one. A batch that
    the file fixes at 1 stays so."""
    graph = model.graph
    constants = {tensor.name for tensor in graph.initializer}
    inputs = [entry for entry in graph.input if entry.name not in constants]
    unknown = set(shapes) - {entry.name for entry in inputs}
    require(not unknown, f"there is no input {sorted(unknown)}; the inputs are {[entry.name for entry in inputs]}")
    for name, wanted in shapes.items():
        require(all(0 < size <= LARGEST for size in wanted), f"input {name!r} was given the sizes {tuple(wanted)}; sizes are 1 to {LARGEST}")
    for entry in inputs:
        require(entry.type.tensor_type.elem_type in NUMBERS, f"input {entry.name!r} is no tensor of numbers")
        if not entry.type.tensor_type.HasField("shape"):
            require(entry.name in shapes, f"input {entry.name!r} has no sizes in the file: give those of a sample by --shape {entry.name}=SIZES")
            for _ in range(1 + len(shapes[entry.name])):
                entry.type.tensor_type.shape.dim.add()
        dims = entry.type.tensor_type.shape.dim
        wanted, is_open = shapes.get(entry.name), [not dim.HasField("dim_value") or dim.dim_value <= 0 for dim in dims]
        batch = 0 if not any(is_open) or is_open[0] else is_open.index(True)
        require(wanted is None or len(wanted) + 1 == len(dims),
                f"input {entry.name!r} has {len(dims)} sizes with the batch, and {len(wanted or ())} were given for a sample")
        rest = iter(wanted or ())
        for i, dim in enumerate(dims):
            if i == batch and (wanted is not None or is_open[i]):
                dim.dim_value = rows if is_open[i] or dim.dim_value > 1 else 1
            elif wanted is not None:
                dim.dim_value = next(rest)
            elif is_open[i]:
                raise Refused(f"input {entry.name!r} has an open size, number {i} ({dim.dim_param or 'without a name'}): give the sizes of "
                              f"a sample by --shape {entry.name}=SIZES")
    del graph.value_info[:]
    for entry in graph.output:
        if entry.type.HasField("tensor_type"):
            entry.type.tensor_type.ClearField("shape")
    return inputs


# -- parts -------------------------------------------------------------------------------------------------------------


def cut(model, begins, ends, values):
    """The part of a model from some values to others."""
    producers = {name: node for node in model.graph.node for name in node.output}
    constants = {tensor.name for tensor in model.graph.initializer}
    for name in [*begins, *ends]:
        require(name not in constants, f"{name!r} is a constant, and does not depend on the input; name other values by --from and --to")
        require(name in values, f"there is no value {name!r}; values are {', '.join(sorted(values)[:12])}, ..")
        require(max(begins.count(name), ends.count(name)) < 2, f"{name!r} was given twice")
    found, left = set(), list(ends)
    while left:
        name = left.pop()
        if name and name not in found and name not in begins:
            found.add(name)
            left += producers[name].input if name in producers else []
    outside = sorted(name for name in found if name not in producers and name not in constants)
    require(not outside, f"{', '.join(ends)} also needs {outside}: name all values at which the network begins, by --from TENSOR for each, "
            "or give an input a number by --set TENSOR=NUMBER")
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
