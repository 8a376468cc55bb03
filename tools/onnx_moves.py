# SPDX-License-Identifier: MIT
"""Operators that only move numbers, as parts of dimensions and one change of their order. from_onnx.py needs this file in its folder."""
import dataclasses
import math

import numpy as np


@dataclasses.dataclass
class Digit:
    """A dimension of the numbers that are taken: so many, `stride` apart in a row of all, in place `place` of the result's dimensions.
    In the row the dimension has `size` numbers, of which they are those from `first` on."""
    count: int
    stride: int
    place: int
    size: int = 0
    first: int = 0


def digits_of(at):
    """The dimensions of numbers at these places of a row, the fastest one first; None if they are not at even distances."""
    numbers, digits = at.reshape(-1), []
    while len(numbers) > 1:
        distances = np.diff(numbers)
        stride = int(distances[0])
        other = np.flatnonzero(distances != stride)
        count = int(other[0]) + 1 if len(other) else len(numbers)
        rows = numbers.reshape(-1, count) if len(numbers) % count == 0 else None
        if stride <= 0 or rows is None or (rows != rows[:, :1] + stride * np.arange(count)).any():
            return None
        digits.append(Digit(count, stride, -len(digits)))
        numbers = rows[:, 0]
    return digits


def in_row(at, total):
    """The same dimensions in their order in the row of `total` numbers, with what they take of it; None if they are none of it."""
    digits = digits_of(at)
    if digits is None:
        return None
    digits = sorted(digits, key=lambda digit: -digit.stride)
    if not digits or digits[-1].stride > 1:
        digits.append(Digit(1, 1, 1))
    outer, offset = total, int(at.reshape(-1)[0])
    for digit in digits:
        if outer % digit.stride:
            return None
        digit.size, digit.first, outer = outer // digit.stride, offset // digit.stride, digit.stride
        offset %= digit.stride
        if digit.first + digit.count > digit.size:
            return None
    return digits


def whole(digits):
    """The sizes and the new order of dimensions of which all numbers are taken. Neighbours that stay neighbours are one."""
    merged = []
    for digit in sorted(digits, key=lambda digit: digit.place):
        at = digits.index(digit)
        if merged and merged[-1][-1] + 1 == at:
            merged[-1].append(at)
        elif digit.count > 1 or not merged:
            merged.append([at])
    inside = sorted(merged)
    return [math.prod(digits[at].count for at in group) for group in inside], [inside.index(group) for group in merged]
