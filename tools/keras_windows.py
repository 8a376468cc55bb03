# SPDX-License-Identifier: MIT
"""Keras' convolutions, pools and paddings, of one or two dimensions. from_keras.py needs this file beside it."""
import numpy as np

from graph_builder import padded, part, shaped
from keras_activations import activated
from keras_layers import no_bias, sides
from keras_layouts import first, last
from layer_graph import kernel, option, product, require, spelled
from numpy_weights import layer as layer_with
from numpy_weights import scaled

LARGEST_POOL = 65536


class Window:
    """The options that convolutions and pools have in common."""

    def __init__(self, given, rank, size, paddings=("valid", "same")):
        self.rank, self.given, self.taps = rank, given, given.wholes(size, rank)
        strides = given.get("strides", 1)
        self.strides = given.wholes("strides", rank) if strides is not None else self.taps
        self.dilation = given.wholes("dilation_rate", rank) if "dilation_rate" in given.config else (1,) * rank
        self.padding, self.channels_last = given.choice("padding", *paddings), given.channels_last()
        self.reach = tuple((k - 1) * d + 1 for k, d in zip(self.taps, self.dilation))

    def source(self, x):
        require(len(x.shape) == self.rank + 1, f"samples of {list(x.shape)}; it takes those of {self.rank + 1} sizes")
        return first(x, self.channels_last)

    def pads(self, sizes):
        """Before and after each dimension."""
        if self.padding == "causal":
            return [(self.reach[0] - 1, 0)]
        if self.padding == "valid":
            return [(0, 0)] * self.rank
        needed = [max((-(-n // s) - 1) * s + r - n, 0) for n, s, r in zip(sizes, self.strides, self.reach)]
        return [(n // 2, n - n // 2) for n in needed]

    def after(self, sizes, pads):
        made = tuple((n + sum(pad) - r) // s + 1 for n, pad, r, s in zip(sizes, pads, self.reach, self.strides))
        require(all(n + sum(pad) >= r for n, pad, r in zip(sizes, pads, self.reach)),
                f"its window is larger than samples of {list(sizes)}")
        return made

    def options(self, pads):
        causal = self.padding == "causal" and self.reach[0] > 1
        before = tuple(pad[0] for pad in pads)
        return [
            kernel(self.taps, self.rank),
            option("Stride", self.strides, self.rank, 1),
            "Causal" if causal else option("Padding", before, self.rank, 0),
            option("Dilation", self.dilation, self.rank, 1)]


def convolved(source, window, weight, bias, groups):
    """weight [out, in / groups, ..] on channels first."""
    rank, pads = window.rank, window.pads(source.shape[1:])
    shape = (weight.shape[0], *window.after(source.shape[1:], pads))
    if window.padding != "causal" and any(before != after for before, after in pads):
        source, pads = padded(source, "ZeroPad", pads, source.described), [(0, 0)] * rank
    text = spelled(f"Conv{rank}d", weight.shape[0], *window.options(pads),
                   spelled("Groups", groups) if groups > 1 else None, no_bias(bias))
    return layer_with(source, text, shape, source.described, weight=weight, bias=bias)


def channels_first(weight):
    """[.., in, out] as [out, in, ..]."""
    return np.moveaxis(weight, (-1, -2), (0, 1))


def bias_of(given, count):
    return (count,) if given.flag("use_bias", True) else None


def convolution(rank):

    def function(layer, x):
        given = layer.given
        window = Window(given, rank, "kernel_size", ("valid", "same", "causal") if rank == 1 else ("valid", "same"))
        source, groups, out = window.source(x), given.whole("groups"), given.whole("filters")
        require(source.shape[0] % groups == out % groups == 0,
                f"{groups} groups of {source.shape[0]} inputs and {out} outputs")
        weight, bias = layer.weights((*window.taps, source.shape[0] // groups, out), bias_of(given, out))
        made = convolved(source, window, channels_first(weight), bias, groups)
        return activated(last(made, window.channels_last), given.get("activation"))

    return function


def of_each_channel(weight):
    """[.., channels, several] as [channels several, 1, ..]."""
    taps = weight.shape[:-2]
    return np.moveaxis(weight.reshape(*taps, -1), -1, 0)[:, None]


def depthwise(rank):

    def function(layer, x):
        given = layer.given
        window = Window(given, rank, "kernel_size", ("valid", "same", "causal") if rank == 1 else ("valid", "same"))
        source, several = window.source(x), given.whole("depth_multiplier")
        channels = source.shape[0]
        weight, bias = layer.weights((*window.taps, channels, several), bias_of(given, channels * several))
        made = convolved(source, window, of_each_channel(weight), bias, channels)
        return activated(last(made, window.channels_last), given.get("activation"))

    return function


def separable(rank):

    def function(layer, x):
        given = layer.given
        window = Window(given, rank, "kernel_size", ("valid", "same", "causal") if rank == 1 else ("valid", "same"))
        source, several, out = window.source(x), given.whole("depth_multiplier"), given.whole("filters")
        channels = source.shape[0]
        each, across, bias = layer.weights((*window.taps, channels, several), (*[1] * rank, channels * several, out),
                                           bias_of(given, out))
        made = convolved(source, window, of_each_channel(each), None, channels)
        text = spelled(f"Conv{rank}d", out, 1, no_bias(bias))
        made = layer_with(made, text, (out, *made.shape[1:]), x.described, weight=channels_first(across), bias=bias)
        return activated(last(made, window.channels_last), given.get("activation"))

    return function


def transposed(rank):
    """All that the kernels reach, without what the padding takes away. A series is an image of one row."""

    def function(layer, x):
        given = layer.given
        window = Window(given, rank, "kernel_size")
        require(given.get("output_padding") is None, "output_padding; leave it to Keras")
        source, out = window.source(x), given.whole("filters")
        weight, bias = layer.weights((*window.taps, out, source.shape[0]), bias_of(given, out))
        one = (1,) * (2 - rank)
        sizes = source.shape[1:]
        full = tuple((n - 1) * s + r for n, s, r in zip(sizes, window.strides, window.reach))
        ends = [
            n * s if window.padding == "same" else (n - 1) * s + max(r, s)
            for n, s, r in zip(sizes, window.strides, window.reach)]
        cuts = [
            (max(0, all_of - end) // 2, end - all_of + max(0, all_of - end) // 2) for all_of, end in zip(full, ends)]
        late, bias = (bias, None) if any(more > 0
                                         for _, more in cuts) else (None, bias)  # Keras adds it to all that is padded
        text = spelled("ConvTranspose2d", out, kernel((*one, *window.taps), 2),
                       option("Stride", (*one, *window.strides), 2, 1),
                       option("Dilation", (*one, *window.dilation), 2, 1), no_bias(bias))
        weight = np.moveaxis(weight, (-1, -2), (0, 1)).reshape(source.shape[0], out, *one, *window.taps)
        made = layer_with(shaped(source, (source.shape[0], *one, *sizes)), text, (out, *one, *full), x.described,
                          weight=weight, bias=bias)
        made = shaped(made, (out, *full))
        if any(more > 0 for _, more in cuts):
            made = padded(made, "ZeroPad", [(0, max(0, more)) for _, more in cuts], x.described)
        for dim, ((before, _), end) in enumerate(zip(cuts, ends), 1):
            made = part(made, dim, before, end, x.described)
        made = scaled(made, 0, 1, late, x.described) if late is not None else made
        return activated(last(made, window.channels_last), given.get("activation"))

    return function


def pool(rank, kind):

    def function(layer, x):
        window = Window(layer.given, rank, "pool_size")
        source = window.source(x)
        pads = window.pads(source.shape[1:])
        shape = (source.shape[0], *window.after(source.shape[1:], pads))
        even = all(before == after and 2 * before <= k for (before, after), k in zip(pads, window.taps))
        require(
            kind == "Max" or not any(map(any, pads)),
            f'padding="same" of {list(x.shape)}, whose averages leave out the padding; sinter\'s count it as zeros')
        if not even:  # the last numbers again do not make the largest one larger
            source, pads = padded(source, "ReplicationPad", pads, x.described), [(0, 0)] * rank
        text = spelled(f"{kind}Pool{rank}d", kernel(window.taps, rank),
                       option("Stride", window.strides, rank, window.taps),
                       option("Padding", tuple(before for before, _ in pads), rank, 0))
        return last(layer_with(source, text, shape, x.described), window.channels_last)

    return function


def global_pool(rank, kind):
    """One number for each channel."""

    def function(layer, x):
        channels_last = layer.given.channels_last()
        require(len(x.shape) == rank + 1, f"samples of {list(x.shape)}; it takes those of {rank + 1} sizes")
        source = first(x, channels_last)
        sizes = source.shape[1:]
        require(kind == "Avg" or product(sizes) <= LARGEST_POOL,
                f"it takes the largest of {product(sizes)} numbers; a pool of sinter has up to 65,536")
        text = spelled(f"AdaptiveAvgPool{rank}d", 1) if kind == "Avg" else spelled(f"MaxPool{rank}d", kernel(
            sizes, rank))
        made = layer_with(source, text, (source.shape[0], *[1] * rank), x.described)
        return last(made, channels_last) if layer.given.flag("keepdims", False) else shaped(made, (source.shape[0],))

    return function


def zero_padding(rank):

    def function(layer, x):
        channels_last = layer.given.channels_last()
        require(len(x.shape) == rank + 1, f"samples of {list(x.shape)}; it takes those of {rank + 1} sizes")
        return last(padded(first(x, channels_last), "ZeroPad", sides(layer.given, "padding", rank), x.described),
                    channels_last)

    return function


def upsampling(rank):

    def function(layer, x):
        given = layer.given
        factors = given.wholes("size", rank)
        channels_last = rank == 1 or given.channels_last()
        require(len(x.shape) == rank + 1, f"samples of {list(x.shape)}; it takes those of {rank + 1} sizes")
        how = given.choice("interpolation", "nearest", "bilinear") if rank == 2 else "nearest"
        source = first(x, channels_last)
        shape = (source.shape[0], *[n * factor for n, factor in zip(source.shape[1:], factors)])
        if len(set(factors)) == 1:
            text = spelled("Upsample", factors[0], "Bilinear" if how == "bilinear" else None)
        else:
            require(how == "nearest",
                    f"bilinear upsampling by {factors[0]} and {factors[1]}; sinter's is by one number")
            text = spelled(f"AdaptiveAvgPool{rank}d", *shape[1:])  # of windows of one number
        return last(layer_with(source, text, shape, x.described), channels_last)

    return function


KINDS = (("Max", "Max"), ("Average", "Avg"))
LAYERS = {
    "Conv1D": convolution(1), "Conv2D": convolution(2), "DepthwiseConv1D": depthwise(1),
    "DepthwiseConv2D": depthwise(2), "SeparableConv1D": separable(1), "SeparableConv2D": separable(2),
    "Conv1DTranspose": transposed(1), "Conv2DTranspose": transposed(2), "ZeroPadding1D": zero_padding(1),
    "ZeroPadding2D": zero_padding(2), "UpSampling1D": upsampling(1), "UpSampling2D": upsampling(2),
    **{f"{kind}Pooling{rank}D": pool(rank, short) for kind, short in KINDS for rank in (1, 2)},
    **{f"Global{kind}Pooling{rank}D": global_pool(rank, short) for kind, short in KINDS for rank in (1, 2)}
}
