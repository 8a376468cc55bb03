# SPDX-License-Identifier: MIT
"""Refuses graphs whose rows of a batch depend on one another: sinter computes each row by itself.

A file with an open batch is run with several rows together, of different scales and signs, and must give what each of them gives alone. What
reduces the batch is refused by its axes, too, and so is what gives other numbers each time that it is run. from_onnx.py needs this file beside it.
"""
import numpy as np
import onnx

from layer_graph import Refused, require
from onnx_file import cut, fix_sizes, named, set_inputs
from onnx_idioms import axes_of
from onnx_values import rounds_to_whole, run, runner

LARGEST = 1e18  # of outputs that are compared: the square of a norm is a float


def require_same_again(model, names, row):
    """Refuses a model that gives other numbers for the same row when it is run again."""
    again = run(model, names, row)
    for name in names:
        require(np.array_equal(row[name], again[name], equal_nan=True),
                f"output {name!r} differs each time that the model is run, as of random numbers; export the model for inference")


def batch_axis(one, several, count):
    """The size that is that of the batch, of the shapes for one row and for several; None if there is none, or more than one."""
    grown = [axis for axis, (n, m) in enumerate(zip(one, several)) if n != m]
    return grown[0] if len(one) == len(several) and len(grown) == 1 and several[grown[0]] == count * one[grown[0]] else None


def rows_apart(alone, together):
    """Whether a value of several rows is those of each of them, side by side, or the same for all."""
    axis = batch_axis(alone[0].shape, together.shape, len(alone))
    if axis is None:
        return all(np.array_equal(one, together, equal_nan=True) for one in alone)
    wanted = np.concatenate(alone, axis)
    if wanted.dtype.kind != "f":
        return np.array_equal(wanted, together)
    most, near = np.abs(wanted[np.isfinite(wanted)]).max(initial=0), 1e-5 if wanted.dtype.itemsize > 2 else 1e-2
    return np.allclose(together, wanted, rtol=10 * near, atol=near * most, equal_nan=True)


def with_rows(model, numbers, shapes, count):
    """The model with a batch of so many rows where the file does not fix it at one, and its inputs."""
    model = onnx.ModelProto.FromString(model.SerializeToString())
    return model, fix_sizes(model, set_inputs(model, numbers, shapes, count), count)


def other_rows(row, fixed, lengths, whole):
    """Rows with other extremes than a row: larger, smaller and of other signs, or, for numbers that are made whole, zeros and ones; of whole ones
    the largest or the smallest alone. Inputs that are `fixed` stay as they are."""
    generator = np.random.default_rng(2)

    def noise(x):
        return generator.integers(1, 9, x.shape) / 8

    fractions = (np.zeros_like, np.ones_like) if whole else (
        lambda x: 3 * x + noise(x), lambda x: -x / 4 - noise(x) / 2, lambda x: 3 * np.abs(x) + 2 * noise(x), lambda x: (np.abs(x) + noise(x)) / 16)
    for of_fractions, extreme in zip(fractions, (np.min, np.max, np.min, np.max)):
        made = {name: x if name in fixed else of_fractions(x).astype(x.dtype) if x.dtype.kind == "f" else np.full_like(x, extreme(x)) for name, x in row.items()}
        for name, place, _ in lengths:
            made[name].reshape(-1)[place] = row[name].reshape(-1)[place]
        yield made


def require_reduced_apart(part, row, together, count):
    """Refuses reductions over the batch: of numbers that differ seldom, their values may be the same for all rows."""
    constants = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in part.graph.initializer}
    for node in part.graph.node:
        before = node.input[0] if node.op_type.startswith("Reduce") else None
        if before not in row or before not in together or row[before].dtype.kind != "f":
            continue
        shape = row[before].shape
        axis = batch_axis(shape, together[before].shape, count)
        require(axis is None or axis not in axes_of(node, constants, len(shape)),
                f"{named(node)} goes over size {axis}, the batch: the graph mixes the rows of a batch, and sinter computes each row by itself")


def of_each(model, names, given):
    """The values of each of these inputs, without those that cannot be computed."""
    values, found = runner(model, names), []
    for row in given:
        try:
            found.append(row | values(row))
        except Refused:
            pass
    return found


def require_rows_apart(model, numbers, shapes, begins, ends, rows, lengths, part):
    """`model`: as it was read; `rows`: the values of two rows; `lengths`: the places of numbers of steps; `part`: of what the network is made."""
    single, inputs = with_rows(model, numbers, shapes, 1)
    sizes = {entry.name: tuple(dim.dim_value for dim in entry.type.tensor_type.shape.dim) for entry in with_rows(model, numbers, shapes, 2)[1]}
    axes = {entry.name: batch_axis(rows[0][entry.name].shape, sizes[entry.name], 2) for entry in inputs}
    fixed = [name for name, axis in axes.items() if axis is None]
    if len(fixed) == len(axes):
        return  # no input has a batch
    given = [{name: (rows[0] if name in fixed else row)[name] for name in axes} for row in rows]
    names = [name for node in model.graph.node for name in node.output if name in rows[0]]
    try:
        alone = of_each(single, names, [*given, *other_rows(given[1], fixed, lengths, rounds_to_whole(model))])
    except Refused:
        return
    alone = alone[:2] + [row for row in alone[2:] if all(np.isfinite(row[end]).all() for end in ends if end in row)]
    for count in sorted({2, len(alone)}, reverse=True):
        together = values_together(*with_rows(model, numbers, shapes, count), axes, begins, ends, alone[:count])
        if together:
            return require_same(model, part, ends, alone[:count], together)
    # It has sizes of one row: the file is of batch 1, whatever its inputs say.


def more_rows(model, folded, row, lengths, begins, ends):
    """The values of other rows than those of a self-test, where the network begins and ends with numbers."""
    inputs = {entry.name: row[entry.name] for entry in folded.graph.input if entry.name in row}
    names = [name for node in model.graph.node for name in node.output if name in row]
    found = of_each(model, names, other_rows(inputs, (), lengths, rounds_to_whole(folded)))

    def is_usual(value):
        return np.isfinite(value).all() and np.abs(value).max(initial=0) < LARGEST

    return [row for row in found if all(is_usual(row[name]) for name in (*begins, *ends))]


def require_same_sizes(model, rows):
    """Refuses values whose sizes depend on the numbers that the model is given."""
    for node in model.graph.node:
        for name in node.output:
            sizes = {np.shape(row[name]) for row in rows if isinstance(row.get(name), np.ndarray)}
            said = " and ".join(str(list(one)) for one in sorted(sizes)[:2])
            require(len(sizes) < 2, f"{named(node)} gives values of other sizes for other inputs, {said}; sinter's have the same. "
                    "If an input is constant, give its number by --set TENSOR=NUMBER")


def refuse_no_numbers(model, rows):
    """Says which node gives what is no number for these rows, from which the model makes numbers again."""
    for node in model.graph.node:
        for value in [row[name] for row in rows for name in node.output if name in row]:
            require(value.dtype.kind != "f" or not np.isnan(value).any(),
                    f"{named(node)} gives what is no number for inputs that were tried, and the model goes on with it, "
                    "as in a comparison; sinter does not. Bound what it is computed of, such as by Clip")


def values_together(model, inputs, axes, begins, ends, rows):
    """The values of rows in one batch; those after `begins` of what these are for each row alone. None where the model does not take them."""
    def beside(name, axis):
        return rows[0][name] if axis is None else np.concatenate([row[name] for row in rows], axis)

    def computed(model, given):
        return given | run(model, [name for node in model.graph.node for name in node.output if name in rows[0]], given)

    try:
        together = computed(model, {entry.name: beside(entry.name, axes[entry.name]) for entry in inputs})
        if all(begin in axes for begin in begins):
            return together
        found = {begin: batch_axis(rows[0][begin].shape, together[begin].shape, len(rows)) for begin in begins}
        if None in found.values():
            return None
        return computed(cut(model, begins, ends, together), {begin: beside(begin, axis) for begin, axis in found.items()})
    except Refused:
        return None


def require_same(model, part, ends, rows, together):
    apart = {name: rows_apart([row[name] for row in rows], together[name]) for name in together}
    mixed = [end for end in ends if not apart.get(end, True)]
    if mixed:
        floats = [node for node in model.graph.node for name in node.output if not apart.get(name, True) and together[name].dtype.kind == "f"]
        raise Refused(f"output {mixed[0]!r} of several rows together is not what each of them gives alone{', ' if floats else ''}"
                      f"{f'from {named(floats[0])} on' if floats else ''}: the graph mixes the rows of a batch, and sinter computes each row by itself")
    require_reduced_apart(part, rows[0], together, len(rows))
