# SPDX-License-Identifier: MIT
"""Which function of one number a group of ONNX operators computes: an activation, a power, or one within bounds.

It is identified by its values in double precision. They are compared at numbers of every size, and beside each number
at which the operators change what they do, as follows from the constants of the group: no bound or threshold stays
unseen. They are the same if they differ by no more than the rounding of floats. from_onnx.py needs this file beside it.
"""
import functools
import math

import numpy as np
import onnx

from graph_builder import functor, power
from layer_graph import number, spelled


def short(value):
    """The shortest number that rounds to the same float."""
    return number(str(np.float32(value)))


def attributes_of(node):
    return {entry.name: onnx.helper.get_attribute_value(entry) for entry in node.attribute}


def erf(x):
    return np.vectorize(math.erf)(x)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def clip(x, low=None, high=None):
    return np.clip(x, -np.inf if low is None else low, np.inf if high is None else high)


# The functions of the operators of which files compose activations.
ELEMENTS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Div": np.divide, "Pow": np.power,
    "Min": lambda *x: functools.reduce(np.minimum, x), "Max": lambda *x: functools.reduce(np.maximum, x),
    "Neg": np.negative, "Abs": np.abs, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Erf": erf, "Tanh": np.tanh,
    "Sigmoid": sigmoid, "Relu": lambda x: np.maximum(x, 0), "Softplus": lambda x: np.logaddexp(0, x),
    "Reciprocal": lambda x: 1 / x, "Clip": clip,
    "HardSigmoid": lambda x, alpha, beta: np.clip(alpha * x + beta, 0, 1),
    "Where": np.where, "Greater": np.greater, "Less": np.less, "GreaterOrEqual": np.greater_equal,
    "LessOrEqual": np.less_equal,
}
ACTIVATIONS = {
    "": lambda x: x, "ReLU": lambda x: np.maximum(x, 0), "ReLU6": lambda x: np.clip(x, 0, 6),
    "Tanh": np.tanh, "Sigmoid": sigmoid, "SiLU": lambda x: x * sigmoid(x),
    "GELU": lambda x: x / 2 * (1 + erf(x / math.sqrt(2))),
    "GELUTanh": lambda x: x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))),
    "Hardswish": lambda x: x * np.clip(x / 6 + 0.5, 0, 1), "Softplus<1.0, 20.0>": lambda x: np.logaddexp(0, x),
    "ELU<1.0>": lambda x: np.where(x > 0, x, np.expm1(np.minimum(x, 0))),
    "Hardsigmoid": lambda x: np.clip(x / 6 + 0.5, 0, 1),
    functor("Exp"): np.exp, functor("Log"): np.log, functor("Sqrt"): np.sqrt,
    functor("Square"): np.square, functor("Abs"): np.abs, functor("Negation"): np.negative,
    functor("Reciprocal"): lambda x: 1 / x,
}
LARGEST, SMALLEST = float(np.finfo(np.float32).max), float(np.finfo(np.float32).tiny)
SIZES = np.outer(10.0 ** np.arange(-37, 38), [1, 1.3, 1.7, 2.2, 3, 4, 5.5, 7.5]).reshape(-1)
# The last four are those by which bounds, slopes and exponents are found.
PROBES = np.concatenate([SIZES, -SIZES, np.linspace(-30, 30, 601), [-LARGEST, LARGEST, -1, 2]])
ROUNDING, GIVEN = 2.0**-24, 2.0**-22  # of a float, and of a constant as files write it, relative to it
# The same of roots and sixths, of which files write few digits, such as 1.41421.
FEW_DIGITS = dict.fromkeys(("GELU", "GELUTanh", "Hardsigmoid", "Hardswish"), 2.0**-19)


class Group:
    """Operators, the first one first, that compute the value `name` of `leaf` and of constants of one number."""

    def __init__(self, nodes, name, leaf, constants, opset):
        self.nodes, self.name, self.leaf, self.opset = nodes, name, leaf, opset
        self.makers = {node.output[0]: node for node in nodes}
        self.numbers = {value: float(constants[value].reshape(())) for node in nodes for value in node.input
                        if value in constants}

    def operands(self, node):
        """What an operator takes: names, numbers, and None for what is left out."""
        given = [self.numbers.get(value, value) if value else None for value in node.input]
        attributes = attributes_of(node)
        if node.op_type == "HardSigmoid":
            return given + [attributes.get("alpha", 0.2), attributes.get("beta", 0.5)]
        if node.op_type == "Clip" and self.opset < 11:
            return given + [attributes.get("min"), attributes.get("max")]
        return given

    # -- values --------------------------------------------------------------------------------------------------------

    def values(self, x, given_to=GIVEN):
        """The values at x, how far those of floats may be from them if constants are given as exactly as this, and
        where one of floats is infinite on the way."""
        known, beyond = {self.leaf: (x, np.zeros_like(x))}, np.zeros(x.shape, bool)
        with np.errstate(all="ignore"):
            for node in self.nodes:
                given = [known[n] if isinstance(n, str) else (n, given_to * abs(n or 0)) for n in self.operands(node)]
                y, error = with_error(ELEMENTS[node.op_type], given)
                if y.dtype != bool:
                    over = np.isfinite(y) & (np.abs(y) > LARGEST)
                    overflows = np.isinf(y) & (node.op_type in ("Add", "Sub", "Mul", "Pow", "Exp", "Softplus"))
                    y, beyond = np.where(over, np.copysign(np.inf, y), y), beyond | over | overflows
                known[node.output[0]] = y, error
        return *known[self.name], beyond

    # -- where it changes ----------------------------------------------------------------------------------------------

    def turns(self):
        """The numbers at which operators take one way or another, and sums are zero. None if they are not known."""
        found = set()
        for node in self.nodes:
            given = self.operands(node)
            if node.op_type in ("Add", "Sub"):
                found |= self.where(node.output[0], 0.0) or set()
            for one, other in self.switches(node, given):
                zeros = self.where_equal(one, other)
                if zeros is None:
                    return None
                found |= zeros
        return sorted(turn for turn in found if math.isfinite(turn) and abs(turn) <= LARGEST)

    @staticmethod
    def switches(node, given):
        """Pairs of operands between which an operator tells which is larger."""
        if node.op_type in ("Min", "Max", "Greater", "Less", "GreaterOrEqual", "LessOrEqual"):
            return [(one, other) for i, one in enumerate(given) for other in given[i + 1:]]
        if node.op_type == "Clip":
            return [(given[0], bound) for bound in given[1:] if bound is not None]
        if node.op_type == "HardSigmoid":
            return [(node.output[0], 0.0), (node.output[0], 1.0)]
        return [(given[0], 0.0)] if node.op_type in ("Abs", "Relu") else []

    def where_equal(self, one, other):
        if isinstance(one, float) or isinstance(other, float):
            fixed, value = (one, other) if isinstance(one, float) else (other, one)
            return set() if isinstance(value, float) else self.where(value, fixed)
        lines = self.line(one), self.line(other)
        if None in lines:
            return None
        slope, shift = (a - b for a, b in zip(*lines))
        return {-shift / slope} if slope else set()

    def line(self, value):
        """slope, shift of a value that is slope x + shift; None of others."""
        if isinstance(value, float):
            return 0.0, value
        if value == self.leaf:
            return 1.0, 0.0
        node = self.makers[value]
        if node.op_type not in ("Add", "Sub", "Mul", "Div", "Neg"):
            return None
        lines = [self.line(operand) for operand in self.operands(node)]
        if None in lines:
            return None
        (a, b), (c, d) = lines if len(lines) == 2 else ((0.0, 0.0), lines[0])
        if node.op_type in ("Add", "Sub", "Neg"):
            sign = 1 if node.op_type == "Add" else -1
            return a + sign * c, b + sign * d
        if node.op_type == "Mul":
            return None if a and c else (a * d + c * b, b * d)
        return None if c or not d else (a / d, b / d)

    def where(self, value, wanted):
        """The numbers at which a value is `wanted`, and maybe others. None if they are not known."""
        if value == self.leaf:
            return {wanted}
        node, given, line = self.makers[value], self.operands(self.makers[value]), self.line(value)
        if line:
            return {(wanted - line[1]) / line[0]} if line[0] else set()
        live = [operand for operand in given[node.op_type == "Where":] if isinstance(operand, str)]
        if node.op_type in ("Min", "Max", "Clip", "Where"):
            sides = [self.where(operand, wanted) for operand in live]
            return None if None in sides else set().union(*sides)
        if len(set(live)) > 1:
            return None
        with np.errstate(all="ignore"):
            before = inverse(node.op_type, given, wanted)
        if before is None:
            return None
        found = [self.where(live[0], float(number)) for number in before if math.isfinite(number)]
        return None if None in found else set().union(*found)

    def probes(self):
        """Numbers of every size, those beside each turn, and between them. None if the turns are not known."""
        turns = self.turns()
        if turns is None:
            return None
        near, apart = np.array(turns), np.array(sorted({*turns, 0.0}))
        beside = [near * factor for factor in (1, 1 - 1e-5, 1 + 1e-5, 1 - 1e-3, 1 + 1e-3)]
        return np.concatenate([*beside, (apart[:-1] + apart[1:]) / 2, PROBES])


def inverse(operator, given, y):
    """The numbers of which an operator of one of them and of constants makes y; None for operators that are not known
    here."""
    numbers, first = [n for n in given if isinstance(n, float)], not isinstance(given[0], float)
    c = numbers[0] if numbers else None
    if operator == "Mul" and c is None:
        operator, c = "Pow", 2.0
    if operator in ("Add", "Sub", "Mul", "Div", "Pow") and c is None:
        return None
    y, c = np.float64(y), None if c is None else np.float64(c)
    if operator == "Pow":
        root = np.abs(y) ** (1 / c)
        return [root, -root] if first else [np.log(y) / np.log(c)]
    made = {
        "Add": lambda: [y - c], "Sub": lambda: [y + c if first else c - y], "Mul": lambda: [y / c],
        "Div": lambda: [y * c if first else c / y], "Neg": lambda: [-y], "Abs": lambda: [y, -y], "Relu": lambda: [y],
        "Exp": lambda: [np.log(y)], "Log": lambda: [np.exp(y)], "Sqrt": lambda: [y * y], "Reciprocal": lambda: [1 / y],
        "Tanh": lambda: [np.arctanh(y)], "Sigmoid": lambda: [np.log(y / (1 - y))],
        "Softplus": lambda: [np.log(np.expm1(y))],
        "HardSigmoid": lambda: [(y - given[2]) / given[1] if given[1] else np.inf],
    }.get(operator)
    return made and made()


def with_error(function, given):
    """What a function makes of operands, each with its error, and the error of that."""
    y = np.asarray(function(*[value for value, _ in given]))
    error = np.zeros(y.shape) if y.dtype == bool else ROUNDING * np.abs(y) + SMALLEST
    for i, (value, around) in enumerate(given):
        if value is None or not np.any(around):
            continue
        most = 0
        for moved in (value ^ (around > 0),) if np.asarray(value).dtype == bool else (value + around, value - around):
            changed = function(*[moved if j == i else other for j, (other, _) in enumerate(given)])
            away = (changed != y).astype(np.float64) if y.dtype == bool else np.abs(changed - y)
            most = np.maximum(most, np.nan_to_num(away, nan=0, posinf=np.inf))
        error = error + most
    return y, error


def is_function(y, error, beyond, wanted):
    """Whether values are those of a function, where floats can have them."""
    with np.errstate(all="ignore"):
        allowed = np.minimum(2 * error, 2e-6 * (1 + np.abs(wanted)))
        same = (y == wanted) | (np.isnan(y) & np.isnan(wanted)) | (np.abs(y - wanted) <= allowed)
    return bool((same | (beyond & ~np.isfinite(y))).all())


@functools.cache
def at_probes(text):
    with np.errstate(all="ignore"):
        return ACTIVATIONS[text](PROBES)


def candidates(y):
    """Texts of layers and their functions, which may have the values y at PROBES."""
    yield from ACTIVATIONS.items()
    low, high, minus_one, two = (float(n) for n in y[-4:])
    exponent = float(np.float32(np.log(two) / np.log(2))) if two > 0 else math.nan
    if math.isfinite(exponent) and exponent not in (0, 1):
        yield power(float(short(exponent))), lambda x: np.power(x, exponent)
    if low < high:
        yield spelled("Hardtanh", short(max(low, -LARGEST)), short(min(high, LARGEST))), lambda x: np.clip(x, low, high)
    if math.isfinite(minus_one):
        yield f"LeakyReLU<{short(-minus_one)}>", lambda x: np.where(x > 0, x, -minus_one * x)


def activation_of(group):
    """The activation that a group computes: its text, "" for none at all, or None for one that is not known."""
    y, *around = group.values(PROBES)
    if y.shape != PROBES.shape or y.dtype == bool:
        return None
    probes = None
    for text, function in candidates(y):
        with np.errstate(all="ignore"):
            wanted = at_probes(text) if text in ACTIVATIONS else function(PROBES)
        given_to = FEW_DIGITS.get(text, GIVEN)
        if not is_function(y, *(group.values(PROBES, given_to)[1:] if text in FEW_DIGITS else around), wanted):
            continue
        if probes is None:
            probes = group.probes()
            if probes is None:
                return None
        with np.errstate(all="ignore"):
            if is_function(*group.values(probes, given_to), function(probes)):
                return text
    return None
