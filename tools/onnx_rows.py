# SPDX-License-Identifier: MIT
"""Refuses graphs whose rows of a batch depend on one another: sinter computes each row by itself.

A file with an open batch is run with two rows together, and must give what each of them gives alone. What gives other numbers each time
that it is run is refused, too. from_onnx.py needs this file beside it.
"""
import numpy as np
import onnx

from layer_graph import Refused, require
from onnx_file import cut, fix_sizes, named, set_inputs
from onnx_values import run


def require_same_again(model, names, row):
    """Refuses a model that gives other numbers for the same row when it is run again."""
    again = run(model, names, row)
    for name in names:
        require(np.array_equal(row[name], again[name], equal_nan=True),
                f"output {name!r} differs each time that the model is run, as of random numbers; export the model for inference")


def batch_axis(one, two):
    """The size that is that of the batch, of the shapes for one row and for two; None if there is none, or more than one."""
    grown = [axis for axis, (n, m) in enumerate(zip(one, two)) if n != m]
    return grown[0] if len(one) == len(two) and len(grown) == 1 and two[grown[0]] == 2 * one[grown[0]] else None


def rows_apart(alone, together):
    """Whether a value of two rows is those of each of them, side by side."""
    axis = batch_axis(alone[0].shape, together.shape)
    if axis is None:
        return False
    wanted = np.concatenate(alone, axis)
    if wanted.dtype.kind != "f":
        return np.array_equal(wanted, together)
    most, near = np.abs(wanted[np.isfinite(wanted)]).max(initial=0), 1e-5 if wanted.dtype.itemsize > 2 else 1e-2
    return np.allclose(together, wanted, rtol=10 * near, atol=near * most, equal_nan=True)


def with_two_rows(model, numbers, shapes):
    """The model with a batch of two where the file does not fix it at one, and its inputs."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    return model, fix_sizes(model, set_inputs(model, numbers, shapes, 2), 2)


def require_rows_apart(model, numbers, shapes, begins, ends, rows):
    """`model`: as it was read; `rows`: the values of two rows, each computed alone."""
    model, inputs = with_two_rows(model, numbers, shapes)
    given = {}
    for entry in inputs:
        name, sizes = entry.name, tuple(dim.dim_value for dim in entry.type.tensor_type.shape.dim)
        axis = batch_axis(rows[0][name].shape, sizes)
        if axis is None and not all(np.array_equal(rows[0][name], row[name]) for row in rows):
            return  # an input without a batch
        given[name] = rows[0][name] if axis is None else np.concatenate([row[name] for row in rows], axis)
    names = [name for node in model.graph.node for name in node.output if name in rows[0]]
    try:
        together = given | run(model, names, given)
        if any(begin not in given for begin in begins):  # from there on, with rows that are apart
            axes = [batch_axis(rows[0][begin].shape, together[begin].shape) for begin in begins]
            if None in axes:
                return
            given = {begin: np.concatenate([row[begin] for row in rows], axis) for begin, axis in zip(begins, axes)}
            model = cut(model, begins, ends, together)
            names = [name for node in model.graph.node for name in node.output if name in rows[0]]
            together = given | run(model, names, given)
    except Refused:
        return  # it has sizes of one row: the file is of batch 1, whatever its inputs say
    apart = {name: rows_apart([row[name] for row in rows], together[name]) for name in together}
    mixed = [end for end in ends if not apart.get(end, True)]
    if mixed:
        floats = [node for node in model.graph.node for name in node.output if not apart.get(name, True) and together[name].dtype.kind == "f"]
        raise Refused(f"output {mixed[0]!r} of two rows together is not what each of them gives alone{', ' if floats else ''}"
                      f"{f'from {named(floats[0])} on' if floats else ''}: the graph mixes the rows of a batch, and sinter computes each row by itself")
