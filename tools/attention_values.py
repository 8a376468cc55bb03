# SPDX-License-Identifier: MIT
"""The numbers of sinter's layers of attention, by their definitions. For layer_values.py. Needs NumPy."""

import math

import numpy as np

from function_values import FUNCTIONS, affine, epsilon, softmax, standard


def product_with(layer, x, net, weight, bias):
    y = x @ weight.T
    return y if "NoBias" in layer.options else y + net.weight(bias, len(weight))


def attention(layer, x, net, name):
    (size, heads), (count, steps) = layer.numbers[:2], x.shape[:2]
    q, k, v = (
        one.reshape(count, steps, heads, -1).swapaxes(1, 2)
        for one in np.split(
            product_with(layer, x, net, net.weight(f"{name}in_proj_weight", 3 * size, size), f"{name}in_proj_bias"),
            3,
            -1,
        )
    )
    scores = q @ k.swapaxes(2, 3) / math.sqrt(size // heads)
    if "Causal" in layer.options:
        scores = np.where(np.tri(steps, dtype=bool), scores, -np.inf)
    made = (softmax(scores) @ v).swapaxes(1, 2).reshape(x.shape)
    return product_with(layer, made, net, net.weight(f"{name}out_proj.weight", size, size), f"{name}out_proj.bias")


def encoder_layer(layer, x, net, name):
    size, hidden = layer.numbers[0], layer.numbers[2]
    activation = (
        FUNCTIONS[layer.options["WithActivation"].arguments[0].name]
        if "WithActivation" in layer.options
        else FUNCTIONS["ReLU"]
    )

    def norm(x, key):
        return affine(layer, standard(x, -1, epsilon(layer)), net, name + key, (size,))

    def feed_forward(x):
        inside = activation(
            product_with(layer, x, net, net.weight(f"{name}linear1.weight", hidden, size), f"{name}linear1.bias")
        )
        return product_with(
            layer, inside, net, net.weight(f"{name}linear2.weight", size, hidden), f"{name}linear2.bias"
        )

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


VALUES = {
    "MultiheadAttention": attention,
    "TransformerEncoderLayer": encoder_layer,
    "PositionalEncoding": positional_encoding,
    "PositionEmbedding": lambda _, x, net, name: x + net.weight(f"{name}weight", *x.shape[1:]),
}
