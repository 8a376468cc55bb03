# SPDX-License-Identifier: MIT
"""The shapes that sinter's layers take and give, as the compiler has them: the one place where the converters know these.

Layers are given as text of C++, Path<Conv2d<8, 3, Stride<2>>, ReLU>, shapes as those of a sample, without the batch. A test compares
the rules with the compiler. Needs nothing but Python.
"""
import math
import re


class Misfit(Exception):
    """Why a layer does not take a shape, or is none."""


class OutOfBounds(Misfit):
    """Why numbers are none that a layer has, whatever it takes."""


def need(condition, why):
    if not condition:
        raise Misfit(why)


def bound(condition, why):
    if not condition:
        raise OutOfBounds(why)


class Spelled:
    """A layer, an option or a number, with its arguments."""

    def __init__(self, name, arguments):
        self.name, self.arguments = name, arguments
        self.numbers = [int(one.name) for one in arguments if re.fullmatch(r"-?\d+", one.name)]
        self.options = {one.name: one for one in arguments if not re.match(r"-?[\d\"]", one.name)}

    def __str__(self):
        return f"{self.name}<{', '.join(map(str, self.arguments))}>" if self.arguments else self.name

    def option(self, name, otherwise):
        """The numbers of an option."""
        return [float(one.name) for one in self.options[name].arguments] if name in self.options else otherwise

    def pair(self, name, otherwise):
        """Those of height and width."""
        given = [int(n) for n in self.option(name, otherwise)]
        return given * 2 if len(given) == 1 else given

    def only(self, *names):
        unknown = sorted(set(self.options) - set(names))
        need(not unknown, f"{', '.join(unknown)} are no options of {self.name}")


def parsed(text):
    """Text as Spelled."""
    stack = [Spelled("", [])]
    for token in re.findall(r'"(?:\\.|[^"\\])*"|[<>,]|[^<>,\s][^<>,]*', text):
        if token == "<":
            stack.append(stack[-1].arguments[-1])
        elif token == ">":
            made = stack.pop()
            stack[-1].arguments[-1] = Spelled(made.name, made.arguments)
        elif token != ",":
            stack[-1].arguments.append(Spelled(token.strip(), []))
    need(len(stack) == 1 and len(stack[0].arguments) == 1, f"{text} is no layer")
    return stack[0].arguments[0]


def product(shape):
    return math.prod(shape)


def in_ranks(shape, *ranks):
    need(len(shape) in ranks, f"it takes samples of {' or '.join(map(str, ranks))} sizes")


def along(shape, dim):
    """The place in a shape of a dimension of a batch, counted from 1, or from the end."""
    at = dim - 1 if dim > 0 else len(shape) + dim
    need(dim != 0 and 0 <= at < len(shape), f"there is no dimension {dim}")
    return at


def finite(number):
    """As a float: is_finite_constant of include/sinter/core/finite.hpp."""
    return abs(number) <= (2 - 2 ** -23) * 2.0 ** 127


def above_zero(number):
    """It and its inverse, as floats: is_above_zero_constant there."""
    return number >= 2.0 ** -126 and finite(number)


# The numbers that functors have, as they assert them in include/sinter/fn.
BOUNDS = {
    "CELU": (lambda alpha: above_zero(alpha) and above_zero(1 / alpha), "its alpha is above 0, and finite, as its inverse"),
    "ELU": (lambda alpha: alpha >= 0 and finite(alpha), "its alpha is finite, and 0 or more"),
    "Hardtanh": (lambda low, high: low < high, "its low is smaller than its high"),
    "LeakyReLU": (finite, "its slope is finite"),
    "Pow": (lambda power: abs(power) < 1e9, "its power is between -1e9 and 1e9"),
    "Softplus": (lambda beta, *threshold: above_zero(beta) and not any(map(math.isnan, threshold)),
                 "its beta is finite and above 0, and its threshold is a number"),
}


def function(layer, shape, _):
    """A function of single numbers: a layer of its own, or the functor of an Activation."""
    functor = layer.arguments[0] if layer.name == "Activation" else layer
    fits, why = BOUNDS.get(re.split(r"\W+", functor.name)[-1], (None, ""))
    bound(not (fits and functor.arguments) or fits(*[float(one.name) for one in functor.arguments]), why)
    return shape


# -- layers without windows ----------------------------------------------------------------------------------------------


def same(*ranks):
    """Layers that keep the shape."""
    def rule(layer, shape, _):
        in_ranks(shape, *(ranks or (1, 2, 3)))
        epsilon, momentum = layer.option("Epsilon", [1])[0], layer.option("Momentum", [0])[0]
        bound(above_zero(epsilon) and 0 <= momentum <= 1, "its Epsilon is above 0, its Momentum between 0 and 1")
        return shape
    return rule


def dropout(*ranks):
    def rule(layer, shape, _):
        in_ranks(shape, *ranks)
        bound(0 <= float(layer.arguments[0].name) <= 1, "its probability is between 0 and 1")
        return shape
    return rule


def linear(layer, shape, _):
    in_ranks(shape, 1)
    bound(shape[0] * layer.numbers[0] < 1 << 31, "it has up to 2,147,483,647 weights")
    return layer.numbers[0],


def positionwise_linear(layer, shape, _):
    in_ranks(shape, 2)
    return shape[0], layer.numbers[0]


def normalised(layer, shape, _):
    last = tuple(int(n) for n in layer.option("NormalizedShape", shape))
    need(layer.name == "LayerNorm" or "NormalizedShape" in layer.options, "it needs a NormalizedShape")
    need(shape[len(shape) - len(last):] == last and len(last) <= len(shape), f"its last sizes are {last}")
    return same()(layer, shape, _)


def group_norm(layer, shape, _):
    groups = layer.numbers[0]
    need(groups >= 0 and (groups == 0 or shape[0] % groups == 0), "its channels are divisible by its groups")
    return same()(layer, shape, _)


def embedding(layer, shape, _):
    in_ranks(shape, 1)
    count, size = layer.numbers
    need(count <= 1 << 24, "it has up to 16,777,216 rows")
    return (size, shape[0]) if "ChannelsFirst" in layer.options else (shape[0], size)


def softmax_along(layer, shape, _):
    along(shape, layer.numbers[0])
    return shape


def flatten(layer, shape, _):
    return product(shape),


def reshape(layer, shape, _):
    after = tuple(layer.numbers)
    need(1 <= len(after) <= 3 and min(after) > 0, "samples have one to three sizes, which are above 0")
    need(product(after) == product(shape), f"it has {product(after)} numbers")
    return after


def part(layer, shape, _):
    first, count, dim = [*layer.numbers, 1][:3]
    at = along(shape, dim)
    need(first >= 0 and count > 0 and first + count <= shape[at], f"it takes numbers {first} to {first + count - 1} of {shape[at]}")
    return (*shape[:at], count, *shape[at + 1:])


def permute(layer, shape, _):
    order = layer.numbers
    need(order[:1] == [0] and sorted(order) == list(range(len(order))) and len(order) > 1, "it takes each dimension once, the batch first")
    in_ranks(shape, len(order) - 1)
    return tuple(shape[dim - 1] for dim in order[1:])


def transpose(layer, shape, _):
    first, second = (along(shape, dim) for dim in layer.numbers)
    after = list(shape)
    after[first], after[second] = after[second], after[first]
    return tuple(after)


def flip(layer, shape, _):
    need(layer.numbers, "it takes one dimension or more")
    for dim in layer.numbers:
        along(shape, dim)
    return shape


def reduction(layer, shape, _):
    need(layer.numbers, "it takes one dimension or more")
    gone = {along(shape, dim) for dim in layer.numbers}
    return tuple(size for dim, size in enumerate(shape) if dim not in gone) or (1,)


def pad(rank, reflects):
    def rule(layer, shape, _):
        in_ranks(shape, rank)
        sides = layer.numbers * (2 * rank - 2) if len(layer.numbers) == 1 else layer.numbers
        need(len(sides) == 2 * rank - 2 and min(sides) >= 0, "it takes one size, or one for each side, of 0 or more")
        pairs = list(zip(sides[::2], sides[1::2]))[::-1]  # of height, then of width
        need(not reflects or all(max(pair) < size for pair, size in zip(pairs, shape[1:])), "its padding is smaller than the sample")
        return (shape[0], *[size + before + after for size, (before, after) in zip(shape[1:], pairs)])
    return rule


def upsample(layer, shape, _):
    in_ranks(shape, 2, 3)
    layer.only("Bilinear", "AlignCorners")
    need(layer.numbers[0] > 0 and not ("AlignCorners" in layer.options and "Bilinear" not in layer.options), "AlignCorners is of Bilinear")
    return (shape[0], *[size * layer.numbers[0] for size in shape[1:]])


def pixel_shuffle(layer, shape, _):
    in_ranks(shape, 3)
    factor = layer.numbers[0]
    bound(0 < factor <= 1024, "its factor is 1 to 1024")
    need(shape[0] % factor**2 == 0, "its channels are divisible by the square of its factor")
    return shape[0] // factor**2, shape[1] * factor, shape[2] * factor


def pixel_unshuffle(layer, shape, _):
    in_ranks(shape, 3)
    factor = layer.numbers[0]
    bound(0 < factor <= 1024, "its factor is 1 to 1024")
    need(shape[1] % factor == shape[2] % factor == 0, "height and width are divisible by its factor")
    return shape[0] * factor**2, shape[1] // factor, shape[2] // factor


# -- windows -------------------------------------------------------------------------------------------------------------


class Window:
    """The window of a convolution or pool; of a series as of an image of one row."""

    def __init__(self, layer, rank, kernel, convolves):
        self.kernel = layer.pair("Kernel", [kernel])
        self.stride = layer.pair("Stride", [1] if convolves else self.kernel)
        self.padding, self.dilation = layer.pair("Padding", [0]), layer.pair("Dilation", [1])
        self.groups = int(layer.option("Groups", [1])[0])
        for numbers in (self.kernel, self.stride, self.padding, self.dilation) if rank == 2 else ():
            need(len(set(numbers)) == 1, "it has one number for each option")
        need(min(*self.kernel, *self.stride, *self.dilation, self.groups) > 0 and min(self.padding) >= 0, "its numbers are above 0, its padding is 0 or more")
        self.reach = [(k - 1) * d + 1 for k, d in zip(self.kernel, self.dilation)]
        self.added = [2 * p for p in self.padding]
        bound(max(*self.stride, *self.padding, *self.dilation, *self.reach) <= 1 << 24 and product(self.kernel) < 1 << 31, "its numbers and what its window reaches over are up to 16,777,216")
        if rank == 2:
            self.drop_height()
        if "Causal" in layer.options:
            need("Padding" not in layer.options, "it takes Padding or Causal, not both")
            self.added = [self.reach[0] - 1]

    def drop_height(self):
        for name in ("kernel", "stride", "padding", "dilation", "reach", "added"):
            setattr(self, name, getattr(self, name)[1:])

    def after(self, sizes):
        need(all(size + more >= reach for size, more, reach in zip(sizes, self.added, self.reach)), "the window is larger than the sample")
        return tuple((size + more - reach) // stride + 1 for size, more, reach, stride in zip(sizes, self.added, self.reach, self.stride))


def kernel_of(layer, at):
    """The kernel as a number, or None where it is an option."""
    need(len(layer.numbers) + ("Kernel" in layer.options) == at + 1, "it needs its kernel once")
    return layer.numbers[at] if len(layer.numbers) > at else None


def convolution(rank):
    def rule(layer, shape, _):
        in_ranks(shape, rank)
        layer.only("Stride", "Padding", "Dilation", "Groups", "NoBias", "Causal" if rank == 2 else "Kernel")
        window, out = Window(layer, rank, kernel_of(layer, 1), True), layer.numbers[0]
        need(out > 0 and shape[0] % window.groups == out % window.groups == 0, "its channels are divisible by its groups")
        return out, *window.after(shape[1:])
    return rule


def transposed_convolution(layer, shape, _):
    in_ranks(shape, 3)
    layer.only("Kernel", "Stride", "Padding", "OutputPadding", "Dilation", "Groups", "NoBias")
    window, out, more = Window(layer, 3, kernel_of(layer, 1), True), layer.numbers[0], layer.pair("OutputPadding", [0])
    need(out > 0 and shape[0] % window.groups == out % window.groups == 0, "its channels are divisible by its groups")
    need(all(0 <= m and (m < s or m < d) for m, s, d in zip(more, window.stride, window.dilation)), "its OutputPadding is less than its stride or dilation")
    after = tuple((size - 1) * s - 2 * p + reach + m for size, s, p, reach, m in zip(shape[1:], window.stride, window.padding, window.reach, more))
    need(min(after) > 0, "it gives an image of a pixel or more")
    return out, *after


def pool(rank):
    def rule(layer, shape, _):
        in_ranks(shape, rank)
        layer.only("Stride", "Padding", *(["Kernel"] if rank == 3 else []))
        window = Window(layer, rank, kernel_of(layer, 0), False)
        need(all(2 * p <= k for p, k in zip(window.padding, window.kernel)), "the padding of a pool is at most half its window")
        need(product(window.kernel) <= 65536, "its window has up to 65,536 numbers")
        return shape[0], *window.after(shape[1:])
    return rule


def adaptive_pool(rank, largest):
    def rule(layer, shape, _):
        in_ranks(shape, rank)
        sizes = layer.numbers * (rank - 1) if len(layer.numbers) == 1 else layer.numbers
        need(len(sizes) == rank - 1 and min(sizes) > 0, "its sizes are 1 or more")
        regions = [max(-(-(i + 1) * size // out) - i * size // out for i in range(out)) for size, out in zip(shape[1:], sizes)]
        need(not largest or product(regions) <= 65536, "its windows have up to 65,536 numbers")
        return shape[0], *sizes
    return rule


# -- sequences -----------------------------------------------------------------------------------------------------------


def attention(layer, shape, _):
    in_ranks(shape, 2)
    size, heads = layer.numbers[:2]
    bound(max(size, heads) <= 1 << 20, "it has up to 1,048,576 features")
    need(size > 0 and heads > 0 and size % heads == 0 and shape[1] == size, f"it takes steps of {size} features, divisible by its heads")
    bound(shape[0] * shape[0] * heads < 1 << 31, "its table of steps has up to 2,147,483,647 numbers")
    bound(0 <= layer.option("WithDropout", [0])[0] < 1, "its WithDropout is 0 or more, and below 1")
    return shape


def encoder_layer(layer, shape, _):
    bound(layer.numbers[2] > 0 and above_zero(layer.option("Epsilon", [1])[0]), "its hidden features are 1 or more, its Epsilon is above 0")
    return attention(layer, shape, _)


def recurrent_layer(layer, shape, _):
    in_ranks(shape, 2)
    layer.only("NumLayers", "Bidirectional", "FinalState", "LearnedState", "ProjectionSize", "DropoutBetween", "NoBias")
    hidden, projected = layer.numbers[0], int(layer.option("ProjectionSize", [0])[0])
    need(not projected or layer.name == "LSTM" and projected < hidden, "a ProjectionSize is of an LSTM, and smaller than its hidden state")
    layers, between = layer.option("NumLayers", [1])[0], layer.option("DropoutBetween", [0])[0]
    bound(0 < hidden <= 1 << 20 and 1 <= layers < 100, "it has 1 to 99 layers, of 1 to 1,048,576 hidden units")
    bound(0 <= between <= 1 and (between == 0 or layers > 1), "its DropoutBetween is between 0 and 1, of several layers")
    size = (projected or hidden) * (2 if "Bidirectional" in layer.options else 1)
    return (size,) if "FinalState" in layer.options else (shape[0], size)


def state_size(layer):
    """The numbers of the first state of a recurrent layer: h, and c, of each layer and direction."""
    places = int(layer.option("NumLayers", [1])[0]) * (2 if "Bidirectional" in layer.options else 1)
    hidden = layer.numbers[0]
    return places * (int(layer.option("ProjectionSize", [hidden])[0]) + (hidden if layer.name == "LSTM" else 0))


def cell(states):
    def rule(layer, shape, _):
        in_ranks(shape, 1)
        bound(0 < layer.numbers[0] <= 1 << 20, "it has 1 to 1,048,576 hidden units")
        need(shape[0] > states * layer.numbers[0], "its row has features, and then its state")
        return states * layer.numbers[0],
    return rule


def position_embedding(layer, shape, _):
    need(shape == tuple(layer.numbers), f"it takes samples of {tuple(layer.numbers)}")
    return shape


# -- layers of layers ----------------------------------------------------------------------------------------------------


def path(layer, shape, known):
    for inside in layer.arguments:
        shape = after(inside, shape, known)
    return shape


def branch(layer, kind="Path"):
    need(layer.name == kind, f"its branches are in a {kind}")
    return layer


def concat(layer, shape, known):
    ends = [path(branch(one), shape, known) for one in layer.arguments]
    need(len(ends) >= 2, "a Concat takes 2 branches or more")
    return joined(ends)


def joined(ends):
    need(len({end[1:] for end in ends}) == 1, f"its branches end in {ends}, which are not side by side")
    return sum(end[0] for end in ends), *ends[0][1:]


def heads(layer, shape, known):
    need(len(layer.arguments) >= 2, "Heads are 2 or more")
    return sum(map(product, ends_of_heads(layer, shape, known))),


def ends_of_heads(layer, shape, known):
    """The shapes of all heads."""
    return [path(branch(one.arguments[1] if one.name == "Named" else one), shape, known) for one in layer.arguments]


def both(layer, shape, known):
    need(len(layer.arguments) == 2, "it has two branches")
    return equal([path(branch(one), shape, known) for one in layer.arguments])


def equal(ends):
    need(len(set(ends)) == 1, f"its branches end in {ends}, which are not the same")
    return ends[0]


def residual(layer, shape, known):
    given, *shortcut = layer.arguments
    return equal([path(branch(given), shape, known), path(branch(shortcut[0], "Shortcut"), shape, known) if shortcut else shape])


def matrix_product(layer, shape, known):
    first, second = (path(branch(one), shape, known) for one in layer.arguments[:2])
    return multiplied(first, second, [str(one) for one in layer.arguments[2:]])


def multiplied(first, second, options):
    factors = [re.match("Factor<(.*)>$", one) for one in options]
    bound(all(float(one[1]) != 0 for one in factors if one), "its Factor is a number other than 0")
    need(len(first) == len(second) >= 2 and first[:-2] == second[:-2], f"its branches end in {first} and {second}, which are not as many matrices")
    rows, terms = first[:-3:-1] if "TransposeFirst" in options else first[-2:]
    others, columns = second[:-3:-1] if "TransposeSecond" in options else second[-2:]
    need(terms == others, f"its branches end in {first} and {second}, whose matrices cannot be multiplied")
    return (*first[:-2], rows, columns)


def recurrent(layer, shape, known):
    inside, steps, *others = layer.arguments
    branches = {one.name: path(one, shape, known) for one in others}
    need(others and len(branches) == len(others) and set(branches) <= {"Lengths", "InitialState"}, "it has Lengths or an InitialState")
    return of_recurrent(inside, path(branch(steps), shape, known), branches, known)


def of_recurrent(inside, steps, branches, known):
    """`branches`: the shapes of its Lengths and its InitialState."""
    inside = known["shared"].get(inside.name, inside)
    need(inside.name in ("RNN", "GRU", "LSTM"), "it begins with its layer")
    need(product(branches.get("Lengths", (1,))) == 1, "its Lengths are one number")
    need("InitialState" not in branches or product(branches["InitialState"]) == state_size(inside), f"its InitialState has {state_size(inside)} numbers")
    need(not ("InitialState" in branches and "LearnedState" in inside.options), "its state is given or learned")
    return after(inside, steps, known)


def take_input(layer, shape, known):
    row = sum(map(product, known["inputs"]))
    need(shape == (row,), "it takes the row of all inputs, so it comes first in a branch")
    return known["inputs"][int(layer.arguments[1].name)]


ROWS = same(1)
RULES = {
    **dict.fromkeys(("ReLU", "Tanh", "Sigmoid", "SiLU", "Hardswish", "Hardsigmoid", "ReLU6", "Hardtanh", "GELU", "GELUTanh", "LeakyReLU", "ELU", "CELU", "SELU", "Softplus", "Mish", "Softsign", "LogSigmoid", "PReLU", "Activation"), function),
    "Softmax": ROWS, "LogSoftmax": ROWS, "SoftmaxAlong": softmax_along, "LogSoftmaxAlong": softmax_along,
    "Dropout": dropout(1, 2, 3), "Dropout2d": dropout(3), "Linear": linear, "PositionwiseLinear": positionwise_linear,
    "Conv1d": convolution(2), "Conv2d": convolution(3), "ConvTranspose2d": transposed_convolution,
    "MaxPool1d": pool(2), "AvgPool1d": pool(2), "MaxPool2d": pool(3), "AvgPool2d": pool(3),
    "AdaptiveAvgPool1d": adaptive_pool(2, False), "AdaptiveMaxPool1d": adaptive_pool(2, True),
    "AdaptiveAvgPool2d": adaptive_pool(3, False), "AdaptiveMaxPool2d": adaptive_pool(3, True),
    "BatchNorm1d": same(1, 2), "BatchNorm2d": same(3), "LayerNorm": normalised, "RMSNorm": normalised, "GroupNorm": group_norm,
    "InstanceNorm1d": same(2), "InstanceNorm2d": same(3), "Embedding": embedding, "Flatten": flatten, "Reshape": reshape,
    **{f"{kind}Pad{rank - 1}d": pad(rank, kind == "Reflection") for kind in ("Zero", "Reflection", "Replication") for rank in (2, 3)},
    "Upsample": upsample, "PixelShuffle": pixel_shuffle, "PixelUnshuffle": pixel_unshuffle, "Slice": part, "Permute": permute,
    "Transpose": transpose, "Flip": flip, "Mean": reduction, "Sum": reduction, "RNN": recurrent_layer, "GRU": recurrent_layer,
    "LSTM": recurrent_layer, "LSTMCell": cell(2), "GRUCell": cell(1), "MultiheadAttention": attention,
    "TransformerEncoderLayer": encoder_layer, "PositionalEncoding": same(2), "PositionEmbedding": position_embedding,
    "Path": path, "Concat": concat, "Heads": heads, "Product": both, "Maximum": both, "Residual": residual, "MatrixProduct": matrix_product,
    "Recurrent": recurrent, "TakeInput": take_input,
}
NOTHING = {"shared": {}, "inputs": []}


def after(layer, shape, known=NOTHING):
    """The shape after a layer. Raises Misfit where it does not take the one before it. `known`: the layers of structs that are Shared,
    and the shapes of several inputs."""
    layer = parsed(layer) if isinstance(layer, str) else layer
    layer = known["shared"].get(layer.name, layer)
    need(layer.name in RULES, f"{layer.name} is not known")
    try:
        shape_after = RULES[layer.name](layer, tuple(shape), known)
    except (IndexError, ValueError) as problem:
        raise Misfit(f"{layer} is no layer: {problem}") from None
    except OutOfBounds as why:
        raise why if " is no layer of sinter: " in str(why) else OutOfBounds(f"{layer} is no layer of sinter: {why}") from None
    except Misfit as why:
        inside = str(why)
        raise Misfit(inside if " does not take samples of " in inside else f"{layer} does not take samples of {list(shape)}: {inside}") from None
    need(all(0 < size for size in shape_after) and product(shape_after) < 1 << 31, f"{layer} does not take samples of {list(shape)}: they would become {list(shape_after)}")
    return shape_after
