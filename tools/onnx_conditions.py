# SPDX-License-Identifier: MIT
"""Comparisons, and what is chosen by them. from_onnx.py needs this file beside it.

Conditions are 1 where they are true, and 0 elsewhere.
"""
from functools import partial

import numpy as np

from graph_builder import each, functor
from layer_graph import Node, require
from onnx_arithmetic import combined, multiply, quotient_or_zero, subtract
from onnx_file import named
from onnx_shapes import expanded
from onnx_weights import affine, each_number, scaled


def comparison(reader, node, name, turned, negated):
    """Whether the first value is the larger one; of turned ones, the second; negated, whether it is not."""
    difference = subtract(reader, node, name)
    reader.weighted.pop(name, None)
    change = {True: "Negation", None: "Abs"}.get(turned)
    above = where_above(reader, each(difference, functor(change), difference.described) if change else difference, node)
    return complement(reader, above, node) if negated else above


def where_above(reader, source, node):
    """1 where a value is above 0."""
    large = scaled(reader, None, source, np.full(source.shape[0], 1e38), np.zeros(source.shape[0]), node, None)
    return each(large, "Hardtanh<0.0, 1.0>", source.described)


def complement(reader, source, node):
    """1 where a condition is 0."""
    return scaled(reader, None, source, -np.ones(source.shape[0]), np.ones(source.shape[0]), node, None)


def negation(reader, node, name):
    return complement(reader, reader.source(node.input[0]), node)


def either(reader, node, name):
    neither = combined(reader, node, name, "multiply")
    neither.sources = [complement(reader, source, node) for source in neither.sources]
    return complement(reader, neither, node)


def require_finite(reader, node, value):
    """Refuses a value that was infinite or no number where a choice leaves it out: there it is multiplied by 0. What a
    condition of the input is there for shows by numbers that are larger than usual, too."""
    fixed = node.input[0] in reader.constants
    for row in [row for factor, row in reader.choices if factor == 1 or not fixed]:
        taken = row[node.input[0]] == (value == node.input[1])
        left_out, numbers = np.broadcast_arrays(~taken, row[value])
        require(np.isfinite(numbers[left_out].astype(np.float64)).all(),
                f"its value {value!r} can be infinite or no number where the other one is chosen; sinter computes both "
                "and multiplies them by 1 or 0. Bound what it is computed of, such as by Clip")


def where(reader, node, name):
    """One of two values for each number, as a condition says."""
    if quotient := quotient_or_zero(reader, node, name):
        return quotient
    if node.input[0] not in reader.constants:
        return chosen(reader, node, name)
    kept = np.broadcast_to(reader.constants[node.input[0]], reader.values[name].shape).reshape(reader.sample(name)).astype(bool)
    first, second = node.input[1:]
    parts = []
    for value, other, taken in ((first, second, kept), (second, first, ~kept)):
        if value not in reader.constants:
            require_finite(reader, node, value)
            numbers = each_number(reader, other, name) if other in reader.constants else np.zeros(kept.shape)
            parts.append(affine(reader, node, name, value, reader.source(value), taken.astype(np.float64), np.where(taken, 0, numbers)))
    if len(parts) == 1:
        return parts[0]
    reader.weighted.pop(name, None)
    return Node("add", parts, reader.sample(name), named(node))


def chosen(reader, node, name):
    """One of two values for each number, as a condition of the input says: sums of products with it."""
    parts, condition = [], expanded(reader, node.input[0], name)
    for value, taken in ((node.input[1], condition), (node.input[2], complement(reader, condition, node))):
        if value not in reader.constants:
            require_finite(reader, node, value)
            parts.append(Node("multiply", [expanded(reader, value, name), taken], taken.shape, named(node)))
        elif reader.constants[value].any():
            numbers = each_number(reader, value, name)
            most = np.abs(numbers[np.isfinite(numbers)]).max(initial=0)
            require(most <= 1e30 and not np.isnan(numbers).any(), f"it chooses {most:.3g}, or what is no number; use at most 1e30")
            numbers = np.clip(numbers, -1e30, 1e30)
            parts.append(affine(reader, node, name, None, taken, numbers, np.zeros_like(numbers)))
    reader.weighted.pop(name, None)
    return parts[0] if len(parts) == 1 else Node("add", parts, condition.shape, named(node))


OPERATORS = {
    "And": multiply, "Equal": partial(comparison, turned=None, negated=True), "Greater": partial(comparison, turned=False, negated=False),
    "GreaterOrEqual": partial(comparison, turned=True, negated=True), "Less": partial(comparison, turned=True, negated=False),
    "LessOrEqual": partial(comparison, turned=False, negated=True), "Not": negation, "Or": either, "Where": where,
}
