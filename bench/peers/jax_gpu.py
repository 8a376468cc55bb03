#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training step of the workloads by JAX on a GPU: microseconds, median and the least to the most of the repeats.

    python3 bench/peers/jax_gpu.py [--quick] [--seconds S]

Data is on the GPU as bytes or floats; a step gathers the next rows of a shuffled order, normalises, goes forward and
backward and updates, all of it in one jit. Variants: jit, that step called from Python; scan, an epoch or 200 steps,
whichever is more, in one call by lax.scan. 132 nets: as many networks at once by vmap, 100 steps, each with its own
weights, order and learning rate, without momentum; microseconds of a step of one of them. At the end, each of them as JAX may be faster:
"x8", the scan unrolled, and "win", max pooling by reduce_window. TF32 is off in all. Batch
normalisation keeps no running statistics. --quick: few repeats of little
data, to try it on a CPU.
"""
import argparse
import math
import os
import statistics
import time

os.environ.setdefault("NVIDIA_TF32_OVERRIDE", "0")  # both are read when JAX is imported
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

MOMENTUM = .5

# A layer: the shape of its weight, or None, and a function of (weight, bias), rows and a random key.


def plain(function):
    return None, lambda weights, x, key: function(x)


def linear(inputs, outputs):
    return (outputs, inputs), lambda weights, x, key: x @ weights[0].T + weights[1]


def conv(inputs, outputs, size, padding=0):
    return (outputs, inputs, size, size), lambda weights, x, key: (
        lax.conv_general_dilated(x, weights[0], (1, 1), [(padding, padding)] * 2) + weights[1][:, None, None])


def unbiased_conv(inputs, outputs, size, stride):
    """Same padding. The bias that every layer has is not read."""
    return (outputs, inputs, size, size), lambda weights, x, key: (
        lax.conv_general_dilated(x, weights[0], (stride, stride), [(size // 2, size // 2)] * 2))


def batch_norm(channels):
    def apply(weights, x, key):
        mean, variance = x.mean((0, 2, 3), keepdims=True), x.var((0, 2, 3), keepdims=True)
        return (x - mean) * lax.rsqrt(variance + 1e-5) * weights[0][:, None, None] + weights[1][:, None, None]
    return (channels,), apply


def residual(inputs, outputs, stride):
    path = [unbiased_conv(inputs, outputs, 3, stride), batch_norm(outputs), RELU, unbiased_conv(outputs, outputs, 3, 1),
            batch_norm(outputs)]
    shortcut = [] if inputs == outputs else [unbiased_conv(inputs, outputs, 1, stride), batch_norm(outputs)]
    return (path, shortcut), lambda weights, x, key: jax.nn.relu(
        through(path, weights[0], x, key) + through(shortcut, weights[1], x, key))


def through(layers, weights, x, key):
    for i, ((_, apply), own) in enumerate(zip(layers, weights)):
        x = apply(own, x, jax.random.fold_in(key, i))
    return x


def dropout(axes):
    """Zeroes half of what the first `axes` axes number: 4 or 2 of an image, single numbers or whole channels."""
    def apply(weights, x, key):
        kept = jax.random.bernoulli(key, .5, x.shape[:axes] + (1,) * (x.ndim - axes))
        return jnp.where(kept, x * 2, 0)
    return None, apply


def blocks_pool(x):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // 2, 2, w // 2, 2).max((3, 5))


def window_pool(x):
    return lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")


RELU = plain(jax.nn.relu)
FLATTEN = plain(lambda x: x.reshape(len(x), -1))


def w1(pool, dropped=True):
    drop = dropout if dropped else lambda axes: plain(lambda x: x)
    return [conv(1, 10, 5), plain(pool), RELU, conv(10, 20, 5), drop(2), plain(pool), RELU, FLATTEN,
            linear(320, 50), RELU, drop(2), linear(50, 10)]


def mlp(*widths):
    layers = [layer for a, b in zip(widths, widths[1:]) for layer in (linear(a, b), RELU)]
    return lambda pool: [FLATTEN] + layers[:-1]


def w2(n):
    return mlp(*(2 ** i for i in range(1, n + 1)), 2)


def w3_cnn(pool):
    return [conv(1, 16, 3), RELU, plain(pool), conv(16, 32, 2), RELU, plain(pool), conv(32, 64, 2), RELU, plain(pool),
            FLATTEN, linear(576, 200), RELU, linear(200, 10)]


def vgg(pool):
    def pair(inputs, outputs):
        return [conv(inputs, outputs, 3, 1), RELU, conv(outputs, outputs, 3, 1), RELU, plain(pool)]
    return [*pair(3, 32), *pair(32, 64), FLATTEN, linear(4096, 256), RELU, linear(256, 10)]


def resnet8(pool):
    return [unbiased_conv(3, 16, 3, 1), batch_norm(16), RELU, residual(16, 16, 1), residual(16, 32, 2), residual(32, 64, 2),
            plain(lambda x: x.mean((2, 3))), linear(64, 10)]


W4 = mlp(256, 64, 64, 10)
CASES = [  # name, network, shape of a row, rows, batch, networks; what matters most first, for time may run out
    ("W1 batch 200", w1, (1, 28, 28), 60000, 200, 1),
    ("W4 batch 32, 132 nets", W4, (256,), 50000, 32, 132),
    ("W3 mlp batch 128", mlp(1024, 100, 10), (1, 32, 32), 50000, 128, 1),
    ("W3 cnn batch 128", w3_cnn, (1, 32, 32), 50000, 128, 1),
    ("Wide batch 128", mlp(784, 1024, 1024, 10), (784,), 12800, 128, 1),
    ("VGG batch 64", vgg, (3, 32, 32), 6400, 64, 1),
    ("ResNet-8 batch 128", resnet8, (3, 32, 32), 12800, 128, 1),
    ("W2 n=6 batch 100", w2(6), (2,), 1000, 100, 1),
    ("W2 n=10 batch 100", w2(10), (2,), 1000, 100, 1),
    ("W4 batch 32, one net", W4, (256,), 50000, 32, 1),
    ("W4 batch 8, 132 nets", W4, (256,), 50000, 8, 132),
    ("W4 batch 64, 132 nets", W4, (256,), 50000, 64, 132),
    ("W2 n=4 batch 100", w2(4), (2,), 1000, 100, 1),
    ("W2 n=8 batch 100", w2(8), (2,), 1000, 100, 1),
    ("W4 batch 64, one net", W4, (256,), 50000, 64, 1),
    ("W2 n=2 batch 100", w2(2), (2,), 1000, 100, 1),
]


def initial(layers, key):
    """Uniform within 1 / sqrt(inputs), as PyTorch does."""
    weights = []
    for shape, _ in layers:
        if shape is None:
            weights.append(())
            continue
        if isinstance(shape[0], list):
            key, *own = jax.random.split(key, 1 + len(shape))
            weights.append(tuple(initial(path, k) for path, k in zip(shape, own)))
            continue
        if len(shape) == 1:
            weights.append((jnp.ones(shape), jnp.zeros(shape)))
            continue
        key, one, other = jax.random.split(key, 3)
        bound = 1 / math.sqrt(math.prod(shape[1:]))
        weights.append((jax.random.uniform(one, shape, minval=-bound, maxval=bound),
                        jax.random.uniform(other, shape[:1], minval=-bound, maxval=bound)))
    return weights


def loss(layers, weights, x, labels, key):
    """The mean cross-entropy of the last layer's numbers; for W1 the same as LogSoftmax and the loss of its logarithms."""
    x = through(layers, weights, x, key)
    return -jnp.take_along_axis(jax.nn.log_softmax(x), labels[:, None], 1).mean()


class Training:
    def __init__(self, layers, shape, rows, batch, nets, quick):
        random = np.random.default_rng(1)
        pixels = len(shape) == 3
        steps = 4 if quick else max(200 if nets == 1 else 100, rows // batch if nets == 1 else 0)
        x = random.integers(0, 256, (rows, *shape), np.uint8) if pixels else random.standard_normal((rows, *shape), np.float32)
        epochs = -(-steps // (rows // batch))
        orders = [np.concatenate([random.permutation(rows)[:rows // batch * batch] for _ in range(epochs)])[:steps * batch]
                  for _ in range(nets)]
        key = jax.random.key(1, impl="rbg")  # the fast one on a GPU
        many = nets > 1
        self.steps, self.nets = steps, nets
        self.data = jax.device_put({
            "x": x, "labels": random.integers(0, 2 if shape == (2,) else 10, rows, np.int32), "key": key,
            "order": np.stack(orders, 1).reshape(steps, batch, nets).swapaxes(1, 2).astype(np.int32) if many
            else orders[0].reshape(steps, batch).astype(np.int32),
            "rate": np.geomspace(.001, .1, nets, dtype=np.float32) if many else np.float32(.01)})
        weights = (jax.vmap(lambda k: initial(layers, k))(jax.random.split(jax.random.key(2), nets)) if many
                   else initial(layers, jax.random.key(2)))
        self.state = {"weights": weights, "velocity": () if many else jax.tree.map(jnp.zeros_like, weights), "at": jnp.int32(0),
                      "total": jnp.float32(0)}

        def update(weights, velocity, rows, rate, data, key):
            x = data["x"][rows]
            if pixels:
                x = x.astype(jnp.float32) * (1 / (255 * .3081)) - .1307 / .3081
            value, gradient = jax.value_and_grad(lambda w: loss(layers, w, x, data["labels"][rows], key))(weights)
            velocity = () if many else jax.tree.map(lambda v, g: MOMENTUM * v + g, velocity, gradient)
            return jax.tree.map(lambda w, v: w - rate * v, weights, gradient if many else velocity), velocity, value

        def step(state, data):
            work = jax.vmap(update, (0, 0, 0, 0, None, None)) if many else update
            weights, velocity, value = work(state["weights"], state["velocity"], data["order"][state["at"] % steps],
                                            data["rate"], data, jax.random.fold_in(data["key"], state["at"]))
            return {"weights": weights, "velocity": velocity, "at": state["at"] + 1, "total": state["total"] + value.mean()}

        self.step = step

    def microseconds(self, variant, unroll, quick):
        """Sorted, of a step of one network."""
        if variant == "jit":
            calls = 5 if quick else 200
            run, steps = jax.jit(self.step, donate_argnums=0), calls
        else:
            calls = 1
            run, steps = jax.jit(lambda state, data: lax.scan(lambda s, _: (self.step(s, data), None), state, None,
                                                              self.steps, unroll=unroll)[0], donate_argnums=0), self.steps
        state = jax.tree.map(jnp.copy, self.state)  # the first call takes its memory over
        for _ in range(20 if variant == "jit" and not quick else 1):
            state = run(state, self.data)
        jax.block_until_ready(state)
        times = []
        for _ in range(2 if quick else 7):
            begin = time.perf_counter()
            for _ in range(calls):
                state = run(state, self.data)
            jax.block_until_ready(state)
            times.append((time.perf_counter() - begin) * 1e6 / (steps * self.nets))
        if not math.isfinite(float(state["total"])):
            raise RuntimeError("the loss is not a number")
        return sorted(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--quick", action="store_true", help="few repeats of little data, to try it on a CPU")
    arguments.add_argument("--seconds", type=float, default=math.inf, help="begin nothing more after so many")
    options = arguments.parse_args()
    jax.config.update("jax_default_matmul_precision", "highest")
    begin = time.perf_counter()
    print(f"JAX {jax.__version__}, {jax.devices()[0].device_kind}")
    print(f"{'us a step':22} {'variant':9} {'median':>9} {'spread':>17}")

    def measure(name, network, shape, rows, batch, nets, pool, variants):
        training = None
        for variant, label, unroll in variants:
            if time.perf_counter() - begin > options.seconds:
                print(f"{name:22} {label:9} skipped: out of time", flush=True)
                continue
            try:
                training = training or Training(network(pool), shape, min(rows, 4 * batch) if options.quick else rows, batch,
                                                nets, options.quick)
                times = training.microseconds(variant, unroll, options.quick)
                print(f"{name:22} {label:9} {statistics.median(times):9.2f} {times[0]:8.2f}-{times[-1]:<8.2f}", flush=True)
            except Exception as error:  # one that fails must not hide the others
                print(f"{name:22} {label:9} failed: {(str(error).splitlines() or [repr(error)])[0][:80]}", flush=True)

    for case in CASES:
        measure(*case, blocks_pool, [("jit", "jit", 1), ("scan", "scan", 1)])
    for case in CASES:
        if case[1] in (w1, w3_cnn, vgg):
            measure(*case, window_pool, [("jit", "jit win", 1), ("scan", "scan win", 1)])
        else:
            measure(*case, None, [("scan", "scan x8", 8)])


if __name__ == "__main__":
    main()
