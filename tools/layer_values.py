# SPDX-License-Identifier: MIT
"""The numbers that sinter's layers give, by their definitions: with these the converters check what they write.

A layer is a Spelled of layer_shapes.py. Its function gets the layer, rows [B, ..], a Network (written_network.py), which has the weights, and
the beginning of their names. Nothing here reads a model of another library. Needs NumPy.
"""
import math

import numpy as np

from layer_shapes import along
from recurrent_values import RECURRENT, given_state, recurrence

erf = np.vectorize(math.erf, otypes=[float])


def sigmoid(x):
    return 0.5 * (1 + np.tanh(x / 2))


def axis(x, dim):
    """A dimension of a batch, which a layer counts from 1 or from the end."""
    return 1 + along(x.shape[1:], dim)


# -- functions of single numbers -----------------------------------------------------------------------------------------


def softplus(x, beta=1.0, threshold=20.0):
    return np.where(beta * x > threshold, x, np.logaddexp(0, beta * x) / beta)


def gelu_tanh(x):
    return x * 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


FUNCTIONS = {
    "ReLU": lambda x: np.maximum(x, 0), "Tanh": np.tanh, "Sigmoid": sigmoid, "SiLU": lambda x: x * sigmoid(x), "GELUTanh": gelu_tanh,
    "Hardsigmoid": lambda x: np.clip(x + 3, 0, 6) / 6, "Hardswish": lambda x: x * np.clip(x + 3, 0, 6) / 6, "ReLU6": lambda x: np.clip(x, 0, 6),
    "Hardtanh": lambda x, low=-1.0, high=1.0: np.clip(x, low, high), "GELU": lambda x: x * 0.5 * (1 + erf(x / math.sqrt(2)).astype(x.dtype)),
    "LeakyReLU": lambda x, slope=0.01: np.where(x > 0, x, slope * x), "ELU": lambda x, alpha=1.0: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    "Softplus": softplus, "Exp": np.exp, "Log": np.log, "Sqrt": np.sqrt, "Square": np.square, "Abs": np.abs, "Reciprocal": lambda x: 1 / x,
    "Negation": np.negative, "Pow": np.power,
}


def function(layer, x, *_):
    given = layer.arguments[0] if layer.name == "Activation" else layer
    return FUNCTIONS[given.name.split("::")[-1]](x, *[float(one.name) for one in given.arguments])


def prelu(layer, x, net, name):
    w = net.weight(f"{name}weight", x.shape[1] if "PerChannel" in layer.options else 1).reshape(-1, *[1] * (x.ndim - 2))
    return np.maximum(x, 0) + w * np.minimum(x, 0)


def softmax(x, dim=-1):
    e = np.exp(x - x.max(dim, keepdims=True))
    return e / e.sum(dim, keepdims=True)


def log_softmax(x, dim=-1):
    x = x - x.max(dim, keepdims=True)
    return x - np.log(np.exp(x).sum(dim, keepdims=True))


# -- products and windows ------------------------------------------------------------------------------------------------


def with_bias(layer, y, net, name, dim):
    """y + bias along a dimension."""
    if "NoBias" in layer.options:
        return y
    return y + net.weight(f"{name}bias", y.shape[dim]).reshape(-1, *[1] * (y.ndim - 1 - dim))


def linear(layer, x, net, name):
    return with_bias(layer, x @ net.weight(f"{name}weight", layer.numbers[0], x.shape[-1]).T, net, name, x.ndim - 1)


class Window:
    """Of an image, or of a series as an image of one row."""

    def __init__(self, layer, x, at, convolves):
        single = x.ndim == 3
        self.x = x[:, :, None] if single else x

        def of(option, otherwise):
            numbers = layer.pair(option, otherwise)
            return [otherwise[0] if option != "Kernel" else 1, numbers[1]] if single else numbers

        self.kernel = of("Kernel", layer.numbers[at:at + 1])
        self.stride = of("Stride", [1]) if convolves or "Stride" in layer.options else self.kernel
        self.dilation, self.padding, self.groups = of("Dilation", [1]), of("Padding", [0]), int(layer.option("Groups", [1])[0])
        self.before = self.after = self.padding
        if "Causal" in layer.options:
            self.before, self.after = [0, self.dilation[1] * (self.kernel[1] - 1)], [0, 0]

    def places(self, fill):
        """The numbers at each place of the window, for all windows, and the place."""
        x = np.pad(self.x, ((0, 0), (0, 0), *zip(self.before, self.after)), constant_values=fill)
        counts = [(size - d * (k - 1) - 1) // s + 1 for size, k, s, d in zip(x.shape[2:], self.kernel, self.stride, self.dilation)]
        for place in np.ndindex(*self.kernel):
            rows, columns = (slice(at * d, at * d + (n - 1) * s + 1, s) for at, d, s, n in zip(place, self.dilation, self.stride, counts))
            yield place, x[:, :, rows, columns]


def shaped_as(x, y):
    return y[:, :, 0] if x.ndim == 3 else y


def convolution(layer, x, net, name):
    window, out = Window(layer, x, 1, True), layer.numbers[0]
    channels = x.shape[1] // window.groups
    weight = net.weight(f"{name}weight", out, channels, *window.kernel[4 - x.ndim:]).reshape(window.groups, -1, channels, *window.kernel)
    y = 0
    for place, part in window.places(0):
        columns = part.reshape(len(x), window.groups, channels, -1)
        y = y + (weight[(..., *place)] @ columns).reshape(len(x), out, *part.shape[2:])
    return shaped_as(x, with_bias(layer, y, net, name, 1))


def transposed_convolution(layer, x, net, name):
    window, out, more = Window(layer, x, 1, True), layer.numbers[0], layer.pair("OutputPadding", [0])
    groups, (rows, columns) = window.groups, x.shape[2:]
    weight = net.weight(f"{name}weight", x.shape[1], out // groups, *window.kernel).reshape(groups, -1, out // groups, *window.kernel)
    reach = [(n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(x.shape[2:], window.stride, window.dilation, window.kernel)]
    whole = np.zeros((len(x), out, *[n + m for n, m in zip(reach, more)]), x.dtype)
    source = x.reshape(len(x), groups, -1, rows * columns)
    for place in np.ndindex(*window.kernel):
        part = (weight[(..., *place)].swapaxes(1, 2) @ source).reshape(len(x), out, rows, columns)
        first, second = (at * d for at, d in zip(place, window.dilation))
        whole[:, :, first:first + (rows - 1) * window.stride[0] + 1:window.stride[0], second:second + (columns - 1) * window.stride[1] + 1:window.stride[1]] += part
    (top, left), (height, width) = window.padding, whole.shape[2:]
    return with_bias(layer, whole[:, :, top:height - top, left:width - left], net, name, 1)


def pool(average):
    def values(layer, x, *_):
        window = Window(layer, x, 0, False)
        parts = [part for _, part in window.places(0 if average else -np.inf)]
        return shaped_as(x, sum(parts) / len(parts) if average else np.max(parts, 0))
    return values


def adaptive_pool(reduce):
    def values(layer, x, *_):
        wanted = layer.numbers * (x.ndim - 2) if len(layer.numbers) == 1 else layer.numbers
        for dim, count in enumerate(wanted, 2):
            size = x.shape[dim]
            x = np.stack([reduce(x[(slice(None),) * dim + (slice(i * size // count, -(-(i + 1) * size // count)),)], dim) for i in range(count)], dim)
        return x
    return values


# -- norms ---------------------------------------------------------------------------------------------------------------


def epsilon(layer, otherwise=1e-5):
    return layer.option("Epsilon", [otherwise])[0]


def standard(x, dims, eps):
    return (x - x.mean(dims, keepdims=True)) / np.sqrt(x.var(dims, keepdims=True) + eps)


def affine(layer, y, net, name, shape, bias=True):
    """y times the weight plus the bias, of the sizes `shape` at the end."""
    if "NoAffine" in layer.options:
        return y
    y = y * net.weight(f"{name}weight", *shape)
    return y + net.weight(f"{name}bias", *shape) if bias and "NoBias" not in layer.options else y


def by_channel(layer, y, net, name):
    return np.moveaxis(affine(layer, np.moveaxis(y, 1, -1), net, name, y.shape[1:2]), -1, 1)


def batch_norm(layer, x, net, name):
    mean, variance = (net.weight(name + key, x.shape[1]).reshape(-1, *[1] * (x.ndim - 2)) for key in ("running_mean", "running_var"))
    return by_channel(layer, (x - mean) / np.sqrt(variance + epsilon(layer)), net, name)


def layer_norm(layer, x, net, name):
    shape = tuple(int(n) for n in layer.option("NormalizedShape", x.shape[1:]))
    return affine(layer, standard(x, tuple(range(x.ndim - len(shape), x.ndim)), epsilon(layer)), net, name, shape)


def rms_norm(layer, x, net, name):
    shape = tuple(int(n) for n in layer.option("NormalizedShape", []))
    squares = np.square(x).mean(tuple(range(x.ndim - len(shape), x.ndim)), keepdims=True)
    return affine(layer, x / np.sqrt(squares + epsilon(layer, 1.1920928955078125e-7)), net, name, shape, False)


def group_norm(layer, x, net, name):
    groups = layer.numbers[0] or x.shape[1]
    return by_channel(layer, standard(x.reshape(len(x), groups, -1), 2, epsilon(layer)).reshape(x.shape), net, name)


def instance_norm(layer, x, *_):
    return standard(x, tuple(range(2, x.ndim)), epsilon(layer))


# -- what moves numbers --------------------------------------------------------------------------------------------------


def pad(mode):
    def values(layer, x, *_):
        sides = layer.numbers * (2 * x.ndim - 4) if len(layer.numbers) == 1 else layer.numbers
        return np.pad(x, [(0, 0), (0, 0), *list(zip(sides[::2], sides[1::2]))[::-1]], mode)
    return values


def upsample(layer, x, *_):
    factor = layer.numbers[0]
    for dim in range(2, x.ndim):
        size = x.shape[dim]
        at = np.arange(factor * size)
        if "Bilinear" not in layer.options:
            x = x.take(at // factor, dim)
            continue
        place = at * (size - 1) / max(1, factor * size - 1) if "AlignCorners" in layer.options else np.maximum(0, (at + 0.5) / factor - 0.5)
        first = np.minimum(place.astype(int), size - 1)
        share = (place - first).astype(x.dtype).reshape(-1, *[1] * (x.ndim - 1 - dim))
        x = x.take(first, dim) * (1 - share) + x.take(np.minimum(first + 1, size - 1), dim) * share
    return x


def pixel_shuffle(layer, x, *_):
    f, (count, channels, height, width) = layer.numbers[0], x.shape
    return x.reshape(count, channels // f**2, f, f, height, width).transpose(0, 1, 4, 2, 5, 3).reshape(count, channels // f**2, height * f, width * f)


def pixel_unshuffle(layer, x, *_):
    f, (count, channels, height, width) = layer.numbers[0], x.shape
    return x.reshape(count, channels, height // f, f, width // f, f).transpose(0, 1, 3, 5, 2, 4).reshape(count, channels * f**2, height // f, width // f)


def part(layer, x, *_):
    first, count, dim = [*layer.numbers, 1][:3]
    return x.take(range(first, first + count), axis(x, dim))


def reduction(reduce):
    def values(layer, x, *_):
        y = reduce(x, tuple(axis(x, dim) for dim in layer.numbers))
        return y[:, None] if y.ndim == 1 else y
    return values


def embedding(layer, x, net, name):
    count, size = layer.numbers
    table = net.weight(f"{name}weight", count, size)
    known = (x == np.floor(x)) & (x >= 0) & (x < count)
    y = np.where(known[..., None], table[np.where(known, x, 0).astype(int)], np.nan)
    return y.swapaxes(1, 2) if "ChannelsFirst" in layer.options else y


# -- sequences -----------------------------------------------------------------------------------------------------------


def product_with(layer, x, net, weight, bias):
    y = x @ weight.T
    return y if "NoBias" in layer.options else y + net.weight(bias, len(weight))


def attention(layer, x, net, name):
    (size, heads), (count, steps) = layer.numbers[:2], x.shape[:2]
    q, k, v = (one.reshape(count, steps, heads, -1).swapaxes(1, 2) for one in
               np.split(product_with(layer, x, net, net.weight(f"{name}in_proj_weight", 3 * size, size), f"{name}in_proj_bias"), 3, -1))
    scores = q @ k.swapaxes(2, 3) / math.sqrt(size // heads)
    if "Causal" in layer.options:
        scores = np.where(np.tri(steps, dtype=bool), scores, -np.inf)
    made = (softmax(scores) @ v).swapaxes(1, 2).reshape(x.shape)
    return product_with(layer, made, net, net.weight(f"{name}out_proj.weight", size, size), f"{name}out_proj.bias")


def encoder_layer(layer, x, net, name):
    size, hidden = layer.numbers[0], layer.numbers[2]
    activation = FUNCTIONS[layer.options["WithActivation"].arguments[0].name] if "WithActivation" in layer.options else FUNCTIONS["ReLU"]

    def norm(x, key):
        return affine(layer, standard(x, -1, epsilon(layer)), net, name + key, (size,))

    def feed_forward(x):
        inside = activation(product_with(layer, x, net, net.weight(f"{name}linear1.weight", hidden, size), f"{name}linear1.bias"))
        return product_with(layer, inside, net, net.weight(f"{name}linear2.weight", size, hidden), f"{name}linear2.bias")

    def attended(x):
        return attention(layer, x, net, f"{name}self_attn.")

    if "NormFirst" in layer.options:
        x = x + attended(norm(x, "norm1."))
        return x + feed_forward(norm(x, "norm2."))
    x = norm(x + attended(x), "norm1.")
    return norm(x + feed_forward(x), "norm2.")


def positional_encoding(_, x, *__):
    steps, size = x.shape[1:]
    k = np.arange(size)
    angle = np.arange(steps)[:, None] / 10000 ** ((k - k % 2) / size)
    return x + np.where(k % 2, np.cos(angle), np.sin(angle)).astype(x.dtype)


# -- layers of layers ----------------------------------------------------------------------------------------------------


def branches(layer, x, net, name):
    return [net.path(one.arguments, x, f"{name}{i}.") for i, one in enumerate(layer.arguments) if one.name == "Path"]


def heads(layer, x, net, name):
    ends = [one.arguments[1] if one.name == "Named" else one for one in layer.arguments]
    return np.concatenate([net.path(one.arguments, x, f"{name}{i}.").reshape(len(x), -1) for i, one in enumerate(ends)], 1)


def residual(layer, x, net, name):
    given, *shortcut = layer.arguments
    return net.path(given.arguments, x, f"{name}path.") + (net.path(shortcut[0].arguments, x, f"{name}shortcut.") if shortcut else x)


def matrix_product(layer, x, net, name):
    one, two = branches(layer, x, net, name)
    one = one.swapaxes(-1, -2) if "TransposeFirst" in layer.options else one
    y = layer.option("Factor", [1])[0] * (one @ (two.swapaxes(-1, -2) if "TransposeSecond" in layer.options else two))
    return np.where(np.tri(*y.shape[-2:], dtype=bool), y, -np.inf) if "Causal" in layer.options else y


def recurrent(layer, x, net, name):
    inside, steps, *others = layer.arguments
    given = {one.name: net.path(one.arguments, x, f"{name}{begin}") for one in others for begin in [{"Lengths": "lengths.", "InitialState": "initial_state."}[one.name]]}
    state = given_state(inside, given["InitialState"]) if "InitialState" in given else None
    return recurrence(inside, net.path(steps.arguments, x, f"{name}path."), net, name, state, given.get("Lengths"))


VALUES = {
    **dict.fromkeys(("ReLU", "Tanh", "Sigmoid", "SiLU", "Hardswish", "Hardsigmoid", "ReLU6", "Hardtanh", "GELU", "GELUTanh", "LeakyReLU", "ELU", "Softplus",
                     "Activation"), function), "PReLU": prelu,
    "Softmax": lambda _, x, *__: softmax(x), "LogSoftmax": lambda _, x, *__: log_softmax(x),
    "SoftmaxAlong": lambda layer, x, *_: softmax(x, axis(x, layer.numbers[0])), "LogSoftmaxAlong": lambda layer, x, *_: log_softmax(x, axis(x, layer.numbers[0])),
    **dict.fromkeys(("Dropout", "Dropout2d"), lambda _, x, *__: x), "Linear": linear, "PositionwiseLinear": linear,
    "Conv1d": convolution, "Conv2d": convolution, "ConvTranspose2d": transposed_convolution,
    **{f"{kind}Pool{rank}d": pool(kind == "Avg") for kind in ("Max", "Avg") for rank in (1, 2)},
    **{f"Adaptive{kind}Pool{rank}d": adaptive_pool(reduce) for kind, reduce in (("Max", np.max), ("Avg", np.mean)) for rank in (1, 2)},
    "BatchNorm1d": batch_norm, "BatchNorm2d": batch_norm, "LayerNorm": layer_norm, "RMSNorm": rms_norm, "GroupNorm": group_norm,
    "InstanceNorm1d": instance_norm, "InstanceNorm2d": instance_norm, "Embedding": embedding,
    "Flatten": lambda _, x, *__: x.reshape(len(x), -1), "Reshape": lambda layer, x, *_: x.reshape(len(x), *layer.numbers),
    **{f"{kind}Pad{rank}d": pad(mode) for kind, mode in (("Zero", "constant"), ("Reflection", "reflect"), ("Replication", "edge")) for rank in (1, 2)},
    "Upsample": upsample, "PixelShuffle": pixel_shuffle, "PixelUnshuffle": pixel_unshuffle, "Slice": part,
    "Permute": lambda layer, x, *_: x.transpose(layer.numbers), "Transpose": lambda layer, x, *_: x.swapaxes(*[axis(x, dim) for dim in layer.numbers]),
    "Flip": lambda layer, x, *_: np.flip(x, [axis(x, dim) for dim in layer.numbers]), "Mean": reduction(np.mean), "Sum": reduction(np.sum),
    **RECURRENT, "MultiheadAttention": attention, "TransformerEncoderLayer": encoder_layer, "PositionalEncoding": positional_encoding,
    "PositionEmbedding": lambda _, x, net, name: x + net.weight(f"{name}weight", *x.shape[1:]),
    "Path": lambda layer, x, net, name: net.path(layer.arguments, x, name), "Concat": lambda *given: np.concatenate(branches(*given), 1), "Heads": heads,
    "Product": lambda *given: np.prod(branches(*given), 0), "Maximum": lambda *given: np.max(branches(*given), 0), "Residual": residual,
    "MatrixProduct": matrix_product, "Recurrent": recurrent, "TakeInput": lambda layer, x, net, _: net.input_of(x, layer.arguments[1].name),
}
