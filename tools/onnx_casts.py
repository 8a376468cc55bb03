# SPDX-License-Identifier: MIT
"""Casts: of numbers that stay the same, and to conditions. from_onnx.py needs this file beside it."""
import numpy as np
import onnx

from graph_builder import each, functor
from layer_graph import require
from onnx_conditions import where_above
from onnx_file import named
from onnx_functions import attributes_of
from onnx_idioms import SAME_NUMBERS
from onnx_recurrent import lengths_of
from onnx_shapes import same_numbers

FLOATS = {"float16", "float32", "float64"}
MOVES = SAME_NUMBERS | {"Expand", "Gather", "Slice", "Split", "Transpose"}


def type_of(node):
    return np.dtype(onnx.helper.tensor_dtype_to_np_dtype(attributes_of(node)["to"]))


def keeps_whole(before, after):
    """Whether whole numbers stay the same in another type, as far as floats hold them: up to 2^24."""
    wide = after.name in ("int32", "int64") or before.kind == after.kind == "u" and after.itemsize > 3
    return wide or np.can_cast(before, after, "safe")


def is_condition(reader, name):
    """Whether a value is only ever 0 or 1, as what is made of comparisons."""
    while reader.values[name].dtype.kind != "b":
        maker = reader.producers.get(name)
        if maker is None or maker.op_type not in MOVES | {"Cast"} or maker.input[0] in reader.constants:
            return False
        name = maker.input[0]
    return True


def only_looked_up(reader, name):
    """Whether a value is read as rows of tables and numbers of steps alone, which sinter takes as floats."""
    def looks_up(node):
        if name in lengths_of(node) or node.op_type == "OneHot" and name == node.input[0]:
            return True
        if node.op_type == "Gather" and name == node.input[1]:
            return node.input[0] in reader.constants
        moves = node.op_type in MOVES or node.op_type == "Cast" and type_of(node).name in ("int32", "int64")
        return moves and name == node.input[0] and all(only_looked_up(reader, after) for after in node.output if after)

    return name not in reader.ends and all(looks_up(node) for node in reader.producers.values() if name in node.input)


def cast(reader, node, name):
    before, after = reader.values[node.input[0]].dtype, type_of(node)
    if after.kind == "b":
        return same_numbers(reader, node, name) if is_condition(reader, node.input[0]) else nonzero(reader, node)
    if after.kind in "iu" and before.kind not in "biu":
        require(after.name in ("int32", "int64") and only_looked_up(reader, name),
                "it rounds to whole numbers; sinter does not, and takes floats only as rows of tables or numbers of "
                "steps, if they are whole")
    elif after.kind in "iu":
        require(keeps_whole(before, after),
                f"it makes {after.name} of {before.name}, which changes numbers that do not fit")
    else:
        require(after.name in FLOATS, f"it rounds to numbers of the type {after.name}")
    return same_numbers(reader, node, name)


def nonzero(reader, node):
    """1 where a number is not 0."""
    return where_above(reader, each(reader.source(node.input[0]), functor("Abs"), named(node)), node)


OPERATORS = {"Cast": cast}
