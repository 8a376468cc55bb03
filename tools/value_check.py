# SPDX-License-Identifier: MIT
"""Refuses a network that would compute other numbers than the model that it was made from.

What would be written is read and computed by itself (written_network.py), for rows of which the model's outputs are
known. Each row is computed alone. Needs NumPy.
"""

import numpy as np

from written_network import Different, WrittenNetwork

TOLERANCE = 1e-5  # of the norm of an output
WRITTEN, REPORT = "the network that this program would write", "Please report it with the model"
SMALLEST = 1e-12  # what load() adds to a norm, too
OF_ROUNDING = 100  # times what the network differs in float from itself in double


def norms(y):
    return np.linalg.norm(y, axis=1)


def is_same(wanted, given, rounded):
    """Whether rows are the same, but for rounding: `rounded` are those given, computed in float."""
    with np.errstate(all="ignore"):
        allowed = TOLERANCE * norms(wanted) + OF_ROUNDING * norms(np.nan_to_num(rounded - given)) + SMALLEST
        return bool((norms(wanted - given) <= allowed).all())


def columns(sizes):
    ends = np.cumsum(sizes)
    return [slice(end - size, end) for end, size in zip(ends, sizes)]


def farthest(wanted, given):
    """Two numbers that differ most, in words."""
    with np.errstate(all="ignore"):
        away = np.where(np.isfinite(given), np.abs(wanted - given), np.inf)
    row, at = np.unravel_index(away.argmax(), away.shape)
    place = f"number {at} of {wanted.shape[1]} in row {row} of those that were tried"
    return f"{given[row, at]:.6g} instead of {wanted[row, at]:.6g}, {place}"


def first_difference(network, rounded, rows, labels, values_in_model):
    """The first layer that gives something else than the model has there, in words; None if that cannot be told."""
    for number, (label, made, in_float) in enumerate(zip(labels, network.steps(rows), rounded.steps(rows))):
        wanted = values_in_model(number)
        if (
            wanted is not None
            and wanted.shape == made.shape
            and np.isfinite(wanted).all()
            and not is_same(wanted, made, in_float)
        ):
            return f"layer {number}, {label}, is the first one that differs: {farthest(wanted, made)}"
    return None


def problem_of_values(header, data, rows, outputs, sizes, labels=(), values_in_model=lambda number: None):
    """What is wrong with a network, in words, or None. `header`, `data`: what would be written; `outputs`: those of the
    model for `rows`, of these `sizes`; `labels`: of its layers; `values_in_model(number)`: what the model has after a
    layer, or None."""
    rows, wanted = np.asarray(rows, float), np.asarray(outputs, float)
    try:
        network, rounded = WrittenNetwork(header, data), WrittenNetwork(header, data, np.float32)
        given, in_float = network(rows), rounded(rows)
    except Different as why:
        return f"{why}; {WRITTEN} is not the model. {REPORT}"
    if all(is_same(wanted[:, at], given[:, at], in_float[:, at]) for at in columns(sizes)):
        return None
    why = first_difference(network, rounded, rows, labels, values_in_model) or farthest(wanted, given)
    return f"{WRITTEN} computes other numbers than the model; {why}. {REPORT}"
