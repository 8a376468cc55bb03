# SPDX-License-Identifier: MIT
"""Convolutions, and the windows that they have in common with pools. from_onnx.py needs this file beside it."""
import math

import numpy as np

from graph_builder import padded, shaped
from layer_graph import kernel, option, require, spelled
from onnx_file import named
from onnx_functions import attributes_of
from onnx_weights import with_weights


def window(reader, node, kind, rank, taps):
    """Strides, paddings and dilations of a window, and whether it reaches to one side alone."""
    given = attributes_of(node)
    dilations, strides = given.get("dilations", [1] * rank), given.get("strides", [1] * rank)
    automatic = given.get("auto_pad", b"NOTSET")
    pads = list(given.get("pads", [0] * 2 * rank))
    if automatic in (b"SAME_UPPER", b"SAME_LOWER"):
        before, after = reader.values[node.input[0]].shape[2:], reader.values[node.output[0]].shape[2:]
        need = [(o - 1) * s + (k - 1) * d + 1 - n for n, o, s, k, d in zip(before, after, strides, taps, dilations)]
        require(kind != "pool" or min(need) >= 0,
                f"auto_pad with strides of {list(strides)} for a window of {list(taps)}, which leave numbers out; write pads")
        need = [max(n, 0) for n in need]
        less, more = [n // 2 for n in need], [n - n // 2 for n in need]
        pads = less + more if automatic == b"SAME_UPPER" else more + less
    causal = kind == "Conv" and rank == 1 and pads[0] > 0 and pads == [dilations[0] * (taps[0] - 1), 0]
    require(all(n >= 0 for n in pads), f"pads of {pads}; a negative one cuts off")
    if not causal and pads[:rank] != pads[rank:] and kind != "ConvTranspose":
        return strides, pads, dilations, causal
    require(causal or pads[:rank] == pads[rank:], f"pads of {pads[:rank]} before and {pads[rank:]} after; sinter pads both sides equally")
    return strides, tuple(pads[:rank]), dilations, causal


def convolution(reader, node, name):
    weight, given = reader.constant(node.input[1], "its weight"), attributes_of(node)
    rank, groups = weight.ndim - 2, given.get("group", 1)
    require(rank in (1, 2), f"it has {rank} directions; sinter has convolutions of 1 and 2")
    strides, pads, dilations, causal = window(reader, node, "Conv", rank, weight.shape[2:])
    source, shape = reader.channels(node.input[0]), reader.sample(name)
    if not causal and len(pads) > rank:
        source, pads = padded(source, "ZeroPad", list(zip(pads[:rank], pads[rank:])), named(node)), (0,) * rank
    thin = [i for i in range(2) if rank == 2 and source.shape[1 + i] == 1 == shape[1 + i] and weight.shape[2 + i] == 1]
    if thin:  # an image of one row or column is a series
        kept = 1 - thin[-1]
        source, weight = shaped(source, (source.shape[0], source.shape[1 + kept])), weight.squeeze(3 - kept)
        rank, strides, pads, dilations, shape = 1, [strides[kept]], (pads[kept],), [dilations[kept]], (shape[0], shape[1 + kept])
    once = at_one_place(weight, source, shape, pads, dilations) if groups == 1 and not causal else None
    if once is not None:
        row = shaped(source, (once.shape[1],))
        made = with_weights(reader, node, name, row, lambda with_bias: spelled("Linear", len(once), None if with_bias else "NoBias"), once,
                            shape=(len(once),))
        return reader.reshape(made, name)
    padding = "Causal" if causal else option("Padding", pads, rank, 0)

    def spell(with_bias):
        return spelled(f"Conv{rank}d", weight.shape[0], kernel(weight.shape[2:], rank), option("Stride", strides, rank, 1), padding,
                       option("Dilation", dilations, rank, 1), spelled("Groups", groups) if groups != 1 else None,
                       None if with_bias else "NoBias")

    return reader.reshape(with_weights(reader, node, name, source, spell, weight, shape=shape), name)


def at_one_place(weight, source, shape, pads, dilations):
    """The matrix of a convolution with a single position, without the taps on its padding. None for others, and if numbers of the
    source meet no tap."""
    sizes = source.shape[1:]
    if math.prod(shape[1:]) != 1 or len(pads) > len(sizes):
        return None
    taps = [[place * dilation - pad for place in range(count)] for count, dilation, pad in zip(weight.shape[2:], dilations, pads)]
    if any(set(range(size)) - set(places) for size, places in zip(sizes, taps)):
        return None
    seen = [[places.index(i) for i in range(size)] for size, places in zip(sizes, taps)]
    return weight[np.ix_(range(weight.shape[0]), range(weight.shape[1]), *seen)].reshape(weight.shape[0], -1)


def transposed_convolution(reader, node, name):
    weight, given = reader.constant(node.input[1], "its weight"), attributes_of(node)
    rank, groups = weight.ndim - 2, given.get("group", 1)
    require(rank == 2, f"it has {rank} directions; sinter's ConvTranspose2d has 2")
    require("output_shape" not in given and given.get("auto_pad", b"NOTSET") in (b"NOTSET", b"VALID"),
            "its padding follows from output_shape or auto_pad; write pads")
    strides, pads, dilations, _ = window(reader, node, "ConvTranspose", rank, weight.shape[2:])
    more = tuple(given.get("output_padding", [0] * rank))

    def spell(with_bias):
        return spelled("ConvTranspose2d", weight.shape[1] * groups, kernel(weight.shape[2:], rank), option("Stride", strides, rank, 1),
                       option("Padding", pads, rank, 0), option("OutputPadding", more, rank, 0), option("Dilation", dilations, rank, 1),
                       spelled("Groups", groups) if groups != 1 else None, None if with_bias else "NoBias")

    made = with_weights(reader, node, name, reader.channels(node.input[0]), spell, weight, 1)
    if groups != 1:
        del reader.weighted[name]  # outputs are in two places of its weight
    return made


OPERATORS = {"Conv": convolution, "ConvTranspose": transposed_convolution}
