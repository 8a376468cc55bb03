# SPDX-License-Identifier: MIT
"""Normalisations and softmax of single operators. from_onnx.py needs this file beside it."""
import math
from functools import partial

import numpy as np

from graph_builder import shaped
from layer_graph import number, require, spelled
from onnx_functions import attributes_of, short
from onnx_products import causal_scores


def batch_normalisation(reader, node, name):
    given = attributes_of(node)
    require(not given.get("training_mode", 0), "training_mode; export the model for inference")
    scale, bias, mean, variance = (reader.given(node, i) for i in range(1, 5))
    momentum = round(1 - given.get("momentum", 0.9), 6)
    more = [epsilon(node), spelled("Momentum", number(momentum)) if momentum != 0.1 else None]
    source = reader.channels(node.input[0])
    rank = max(len(source.shape) - 1, 1)
    return reader.one(node, spelled(f"BatchNorm{rank}d", *more), source.shape,
                      {"weight": scale, "bias": bias, "running_mean": mean, "running_var": variance})


def epsilon(node):
    given = attributes_of(node).get("epsilon", 1e-5)
    return spelled("Epsilon", short(given)) if abs(given - 1e-5) > 1e-10 else None


def layer_normalisation(reader, node, name):
    shape, last = normalised(reader, node)
    require(name == node.output[0], "its mean or its deviation is read; sinter's LayerNorm gives neither")
    scale, bias = (over(last, reader.given(node, i)) for i in (1, 2))
    more = [spelled("NormalizedShape", *last) if last != shape else None, epsilon(node), "NoBias" if bias is None else None]
    return reader.one(node, spelled("LayerNorm", *more), shape,
                      {"weight": scale, **({"bias": bias} if bias is not None else {})})


def normalised(reader, node):
    """The sizes of a sample, and the last ones of these, over which a node normalises."""
    shape, dim = reader.sample(node.output[0]), reader.dim(node.output[0], attributes_of(node).get("axis", -1))
    require(dim, "it normalises the batch")
    return shape, shape[dim - 1:]


def over(shape, numbers):
    """A weight or bias with a number for each of those that are normalised; None of None."""
    if numbers is None:
        return None
    sizes = list(numbers.shape)
    more = max(numbers.ndim - len(shape), 0)
    own = numbers.reshape(shape) if numbers.size == math.prod(shape) else numbers[(0,) * more]
    fits = numbers.size == own.size and all(n in (1, size) for n, size in zip(own.shape[::-1], shape[::-1]))
    require(fits, f"a weight or bias of the sizes {sizes} for the normalised sizes {list(shape)}; sinter's have a "
            "number for each of these")
    return np.broadcast_to(own, shape)


def rms_normalisation(reader, node, name):
    shape, last = normalised(reader, node)
    smallest = spelled("Epsilon", short(attributes_of(node).get("epsilon", 1e-5)))
    return reader.one(node, spelled("RMSNorm", spelled("NormalizedShape", *last), smallest), shape,
                      {"weight": over(last, reader.given(node, 1))})


def group_normalisation(reader, node, name):
    shape, groups = reader.channels(node.input[0]).shape, attributes_of(node)["num_groups"]
    scale, bias = reader.given(node, 1), reader.given(node, 2)
    if scale.size == groups != shape[0]:
        scale, bias = np.repeat(scale, shape[0] // groups), np.repeat(bias, shape[0] // groups)
    return reader.one(node, spelled("GroupNorm", groups, epsilon(node)), shape, {"weight": scale, "bias": bias})


def instance_normalisation(reader, node, name):
    shape, scale, bias = reader.channels(node.input[0]).shape, reader.given(node, 1), reader.given(node, 2)
    require(len(shape) in (2, 3), f"samples of {shape}")
    if (scale == 1).all() and not bias.any():
        return reader.one(node, spelled(f"InstanceNorm{len(shape) - 1}d", epsilon(node)), shape)
    return reader.one(node, spelled("GroupNorm", 0, epsilon(node)), shape, {"weight": scale, "bias": bias})


def softmax(reader, node, name, layer):
    axis = attributes_of(node).get("axis", 1 if reader.opset < 13 else -1)
    shape, dim = reader.sample(name), reader.dim(name, axis)
    if dim == len(shape) > 1 and (scores := causal_scores(reader, node.input[0])):
        return reader.one(node, spelled(f"{layer}Along", dim), shape, source=shaped(scores, shape))
    if len(shape) == 1 and dim == 1:
        return reader.one(node, layer, shape)
    require(reader.opset >= 13 or dim == len(shape), f"axis {axis} of samples of {shape}, from which on an old opset takes all sizes")
    require(dim, "it goes along the batch")
    return reader.one(node, spelled(f"{layer}Along", dim), shape)


OPERATORS = {
    "BatchNormalization": batch_normalisation, "GroupNormalization": group_normalisation, "InstanceNormalization": instance_normalisation,
    "LayerNormalization": layer_normalisation, "RMSNormalization": rms_normalisation,
    "LogSoftmax": partial(softmax, layer="LogSoftmax"), "Softmax": partial(softmax, layer="Softmax"),
}
