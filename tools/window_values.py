# SPDX-License-Identifier: MIT
"""The numbers of sinter's products, convolutions and pools, by their definitions. For layer_values.py. Needs NumPy."""

import numpy as np


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

        self.kernel = of("Kernel", layer.numbers[at : at + 1])
        self.stride = of("Stride", [1]) if convolves or "Stride" in layer.options else self.kernel
        self.dilation, self.padding, self.groups = (
            of("Dilation", [1]),
            of("Padding", [0]),
            int(layer.option("Groups", [1])[0]),
        )
        self.before = self.after = self.padding
        if "Causal" in layer.options:
            self.before, self.after = [0, self.dilation[1] * (self.kernel[1] - 1)], [0, 0]

    def places(self, fill):
        """The numbers at each place of the window, for all windows, and the place."""
        x = np.pad(self.x, ((0, 0), (0, 0), *zip(self.before, self.after)), constant_values=fill)
        counts = [
            (size - d * (k - 1) - 1) // s + 1
            for size, k, s, d in zip(x.shape[2:], self.kernel, self.stride, self.dilation)
        ]
        for place in np.ndindex(*self.kernel):
            rows, columns = (
                slice(at * d, at * d + (n - 1) * s + 1, s)
                for at, d, s, n in zip(place, self.dilation, self.stride, counts)
            )
            yield place, x[:, :, rows, columns]


def shaped_as(x, y):
    return y[:, :, 0] if x.ndim == 3 else y


def convolution(layer, x, net, name):
    window, out = Window(layer, x, 1, True), layer.numbers[0]
    channels = x.shape[1] // window.groups
    weight = net.weight(f"{name}weight", out, channels, *window.kernel[4 - x.ndim :]).reshape(
        window.groups, -1, channels, *window.kernel
    )
    y = 0
    for place, part in window.places(0):
        columns = part.reshape(len(x), window.groups, channels, -1)
        y = y + (weight[(..., *place)] @ columns).reshape(len(x), out, *part.shape[2:])
    return shaped_as(x, with_bias(layer, y, net, name, 1))


def transposed_convolution(layer, x, net, name):
    window, out, more = Window(layer, x, 1, True), layer.numbers[0], layer.pair("OutputPadding", [0])
    groups, (rows, columns) = window.groups, x.shape[2:]
    weight = net.weight(f"{name}weight", x.shape[1], out // groups, *window.kernel).reshape(
        groups, -1, out // groups, *window.kernel
    )
    reach = [
        (n - 1) * s + d * (k - 1) + 1 for n, s, d, k in zip(x.shape[2:], window.stride, window.dilation, window.kernel)
    ]
    whole = np.zeros((len(x), out, *[n + m for n, m in zip(reach, more)]), x.dtype)
    source = x.reshape(len(x), groups, -1, rows * columns)
    for place in np.ndindex(*window.kernel):
        part = (weight[(..., *place)].swapaxes(1, 2) @ source).reshape(len(x), out, rows, columns)
        first, second = (at * d for at, d in zip(place, window.dilation))
        whole[
            :,
            :,
            first : first + (rows - 1) * window.stride[0] + 1 : window.stride[0],
            second : second + (columns - 1) * window.stride[1] + 1 : window.stride[1],
        ] += part
    (top, left), (height, width) = window.padding, whole.shape[2:]
    return with_bias(layer, whole[:, :, top : height - top, left : width - left], net, name, 1)


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
            x = np.stack(
                [
                    reduce(x[(slice(None),) * dim + (slice(i * size // count, -(-(i + 1) * size // count)),)], dim)
                    for i in range(count)
                ],
                dim,
            )
        return x

    return values


VALUES = {
    "Linear": linear,
    "PositionwiseLinear": linear,
    "Conv1d": convolution,
    "Conv2d": convolution,
    "ConvTranspose2d": transposed_convolution,
    **{f"{kind}Pool{rank}d": pool(kind == "Avg") for kind in ("Max", "Avg") for rank in (1, 2)},
    **{
        f"Adaptive{kind}Pool{rank}d": adaptive_pool(reduce)
        for kind, reduce in (("Max", np.max), ("Avg", np.mean))
        for rank in (1, 2)
    },
}
