# SPDX-License-Identifier: MIT
"""Activations of single operators, and dropout. from_onnx.py needs this file beside it."""
from functools import partial

import numpy as np

from graph_builder import each
from layer_graph import require, spelled
from onnx_file import named
from onnx_functions import attributes_of, short
from onnx_weights import scaled

SELU_ALPHA, SELU_GAMMA = 1.6732632, 1.0507010


def activation(reader, node, name, text):
    return each(reader.source(node.input[0]), text, named(node))


def with_number(reader, node, name, layer, attribute, usual):
    return activation(reader, node, name, spelled(layer, short(attributes_of(node).get(attribute, usual))))


def hard_sigmoid(reader, node, name):
    """min(max(alpha x + beta, 0), 1), which sinter has for alpha = 1 / 6, beta = 1 / 2."""
    given, source = attributes_of(node), reader.source(node.input[0])
    scale, shift = 6 * given.get("alpha", 0.2), 6 * (given.get("beta", 0.5) - 0.5)
    if abs(scale - 1) > 1e-6 or abs(shift) > 1e-6:
        each = np.ones(source.shape[0])
        source = scaled(reader, node.input[0], source, scale * each, shift * each, node, name)
        reader.weighted.pop(name, None)
    return reader.one(node, "Hardsigmoid", source.shape, source=source)


def gelu(reader, node, name):
    return activation(reader, node, name, "GELUTanh" if attributes_of(node).get("approximate", b"none") == b"tanh" else "GELU")


def selu(reader, node, name):
    given = attributes_of(node)
    usual = abs(given.get("alpha", SELU_ALPHA) - SELU_ALPHA) < 1e-6 and abs(given.get("gamma", SELU_GAMMA) - SELU_GAMMA) < 1e-6
    require(usual, f"its alpha or gamma is not that of SELU, {SELU_ALPHA} and {SELU_GAMMA}")
    return activation(reader, node, name, "SELU")


def prelu(reader, node, name):
    slope, shape = reader.constant(node.input[1], "its slope"), reader.sample(name)
    each = np.broadcast_to(slope, (1, *shape)).reshape(shape[0], -1)
    require((each == each[:, :1]).all(), "slopes that differ within a channel")
    single = slope.size == 1
    return reader.one(node, "PReLU<>" if single else "PReLU<PerChannel>", shape, {"weight": slope.reshape(-1) if single else each[:, 0]})


def dropout(reader, node, name):
    require(name == node.output[0], "its mask is read")
    require(not in_training(reader, node), "training_mode is true, so that its numbers are random; export the model for inference, after model.eval()")
    ratio = attributes_of(node).get("ratio", 0.5) if reader.opset < 12 else reader.given(node, 1)
    ratio = float(np.reshape(0.5 if ratio is None else ratio, ()))
    return reader.one(node, spelled("Dropout", short(ratio)), reader.sample(name)) if 0 < ratio < 1 else reader.source(node.input[0])


def in_training(reader, node):
    """Whether it drops numbers when the file is run."""
    rate = reader.given(node, 1)
    return len(node.input) > 2 and bool(node.input[2]) and bool(np.any(reader.given(node, 2))) and (rate is None or bool(np.any(rate)))


OPERATORS = {
    "Relu": partial(activation, text="ReLU"), "Tanh": partial(activation, text="Tanh"), "Sigmoid": partial(activation, text="Sigmoid"),
    "HardSwish": partial(activation, text="Hardswish"), "Softplus": partial(activation, text="Softplus<1.0, 20.0>"),
    "LeakyRelu": partial(with_number, layer="LeakyReLU", attribute="alpha", usual=0.01),
    "Mish": partial(activation, text="Mish"), "Softsign": partial(activation, text="Softsign"), "Selu": selu,
    "Celu": partial(with_number, layer="CELU", attribute="alpha", usual=1.0),
    "Elu": partial(with_number, layer="ELU", attribute="alpha", usual=1.0),
    "HardSigmoid": hard_sigmoid, "Gelu": gelu, "PRelu": prelu, "Dropout": dropout,
}
