# SPDX-License-Identifier: MIT
"""The training of recurrent.py in JAX: a `lax.scan` over the steps of a sequence, for each layer after the product of all its inputs."""
import functools
import time

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from jax_cpu import use_threads, version  # noqa: F401
from recurrent_rows import BATCH, CLASSES, DATA_ROWS, FEATURES, LAYERS, ROWS, TIME, UNITS  # noqa: F401

clock = time.process_time


def variants(row):
    return [] if row.block else ["scan", "scan, 4 steps unrolled"]


def gru(weights, x, unroll):
    def step(h, gates):
        r, z, n = jnp.split(gates, 3, -1)
        hr, hz, hn = jnp.split(h @ weights["hh"] + weights["b_hh"], 3, -1)
        z = jax.nn.sigmoid(z + hz)
        h = (1 - z) * jnp.tanh(n + jax.nn.sigmoid(r + hr) * hn) + z * h
        return h, h
    return lax.scan(step, jnp.zeros((x.shape[1], UNITS)), x @ weights["ih"] + weights["b_ih"], unroll=unroll)[1]


def lstm(weights, x, unroll):
    def step(state, gates):
        h, c = state
        i, f, g, o = jnp.split(gates + h @ weights["hh"], 4, -1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h
    zeros = jnp.zeros((x.shape[1], UNITS))
    return lax.scan(step, (zeros, zeros), x @ weights["ih"] + (weights["b_ih"] + weights["b_hh"]), unroll=unroll)[1]


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    random, gates, unroll = np.random.default_rng(1), {"GRU": 3, "LSTM": 4}[row.cell] * UNITS, 1 if variant == "scan" else 4
    layer = {"GRU": gru, "LSTM": lstm}[row.cell]

    def uniform(*shape):
        return jnp.asarray(random.uniform(-UNITS ** -.5, UNITS ** -.5, shape), jnp.float32)

    layers = [{"ih": uniform(UNITS if k else FEATURES, gates), "hh": uniform(UNITS, gates), "b_ih": uniform(gates), "b_hh": uniform(gates)}
              for k in range(LAYERS)]
    held = [(layers, {"w": uniform(UNITS, CLASSES), "b": uniform(CLASSES)})]
    x = jnp.asarray(random.standard_normal((DATA_ROWS, TIME, FEATURES)), jnp.float32)
    y = jnp.asarray(random.integers(CLASSES, size=DATA_ROWS))

    def loss_of(parameters, x, y):
        layers, last = parameters
        steps = x.transpose(1, 0, 2)
        for weights in layers:
            steps = layer(weights, steps, unroll)
        scores = jax.nn.log_softmax(steps[-1] @ last["w"] + last["b"])
        return -jnp.take_along_axis(scores, y[:, None], 1).mean()

    @functools.partial(jax.jit, donate_argnums=0)
    def step(parameters, chosen, x, y):
        loss, gradient = jax.value_and_grad(loss_of)(parameters, x[chosen], y[chosen])
        return jax.tree.map(lambda p, g: p - .01 * g, parameters, gradient), loss

    def train():
        losses = []
        for chosen in random.permutation(DATA_ROWS).reshape(-1, BATCH):
            held[0], loss = step(held[0], chosen, x, y)
            losses.append(loss)
        return float(jnp.stack(losses).mean())
    return train, DATA_ROWS // BATCH
