# SPDX-License-Identifier: MIT
"""The rows of `compare` in JAX: `jit` of a `lax.scan` over the steps of a pass, and `jit` of one step. Channels last."""
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from rows import ROWS, shape_after  # noqa: F401

jax.config.update("jax_platforms", "cpu")
jax.config.update("jax_default_prng_impl", "unsafe_rbg")  # the quicker one, for dropout


def version():
    return f"JAX {jax.__version__}"


def use_threads(threads):
    """XLA takes the cores that the process may run on: `compare` says which."""


def initial(layers, shape, random):
    """Parameters and running statistics of each layer."""
    parameters, statistics = [], []
    for layer in layers:
        own, seen = {}, {}
        if layer[0] == "conv":
            _, channels, kernel, _, _, bias = layer
            own = {"w": random.standard_normal((kernel, kernel, shape[0], channels)) / (kernel * shape[0] ** .5)}
            if bias:
                own["b"] = np.zeros(channels)
        elif layer[0] == "depthwise":
            own = {"w": random.standard_normal((layer[1], layer[1], 1, shape[0])) / layer[1]}
        elif layer[0] == "convt":
            _, channels, kernel, _, _ = layer
            own = {"w": random.standard_normal((kernel, kernel, shape[0], channels)) / (kernel * shape[0] ** .5), "b": np.zeros(channels)}
        elif layer[0] == "linear":
            own = {"w": random.standard_normal((shape[0], layer[1])) / shape[0] ** .5, "b": np.zeros(layer[1])}
        elif layer[0] == "encoder":
            size, hidden = shape[1], layer[2]
            own = {name: {"w": random.standard_normal((i, o)) / i ** .5, "b": np.zeros(o)}
                   for name, i, o in (("in", size, 3 * size), ("out", size, size), ("up", size, hidden), ("down", hidden, size))}
            own |= {name: {"w": np.ones(size), "b": np.zeros(size)} for name in ("norm1", "norm2")}
        elif layer[0] == "batchnorm":
            own, seen = {"w": np.ones(shape[0]), "b": np.zeros(shape[0])}, {"mean": np.zeros(shape[0]), "variance": np.ones(shape[0])}
        elif layer[0] == "residual":
            (path, path_seen), (short, short_seen) = initial(layer[1], shape, random), initial(layer[2], shape, random)
            own, seen = {"path": path, "short": short}, {"path": path_seen, "short": short_seen}
        parameters.append(own)
        statistics.append(seen)
        shape = shape_after(layer, shape)
    to_jax = lambda tree: jax.tree.map(lambda a: jnp.asarray(a, jnp.float32), tree)
    return to_jax(parameters), to_jax(statistics)


def encoder(own, x, heads):
    """PyTorch's TransformerEncoderLayer, x [batch][steps][size]."""
    def linear(name, x):
        return x @ own[name]["w"] + own[name]["b"]

    def norm(name, x):
        x = x - x.mean(-1, keepdims=True)
        return x * lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * own[name]["w"] + own[name]["b"]
    q, k, v = (part.reshape(*x.shape[:2], heads, -1) for part in jnp.split(linear("in", x), 3, axis=-1))
    attended = jax.nn.dot_product_attention(q, k, v).reshape(x.shape)
    x = norm("norm1", x + linear("out", attended))
    return norm("norm2", x + linear("down", jax.nn.relu(linear("up", x))))


def forward(layers, parameters, statistics, x, key, train):
    """y [batch][..], and the statistics after a step."""
    after = []
    for i, (layer, own, seen) in enumerate(zip(layers, parameters, statistics)):
        kind = layer[0]
        if kind == "conv":
            _, _, _, stride, padding, _ = layer
            x = lax.conv_general_dilated(x, own["w"], (stride, stride), [(padding, padding)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"))
            if "b" in own:
                x = x + own["b"]
        elif kind == "depthwise":
            _, _, stride, padding = layer
            x = lax.conv_general_dilated(x, own["w"], (stride, stride), [(padding, padding)] * 2, dimension_numbers=("NHWC", "HWIO", "NHWC"),
                                         feature_group_count=x.shape[3])
        elif kind == "convt":
            _, _, kernel, stride, padding = layer
            around = [(kernel - 1 - padding,) * 2] * 2
            x = lax.conv_transpose(x, own["w"], (stride, stride), around, dimension_numbers=("NHWC", "HWIO", "NHWC")) + own["b"]
        elif kind == "unflatten":
            x = x.reshape(-1, *layer[2:], layer[1])
        elif kind == "encoder":
            x = encoder(own, x, layer[1])
        elif kind == "linear":
            x = x @ own["w"] + own["b"]
        elif kind == "maxpool":
            x = lax.reduce_window(x, -jnp.inf, lax.max, (1, layer[1], layer[1], 1), (1, layer[1], layer[1], 1), "VALID")
        elif kind == "avgpool":
            n, h, w, c = x.shape
            k = layer[1]
            x = x.reshape(n, h // k, k, w // k, k, c).mean((2, 4))
        elif kind == "batchnorm":
            if train:
                mean, variance = x.mean((0, 1, 2)), x.var((0, 1, 2))
                seen = {"mean": .9 * seen["mean"] + .1 * lax.stop_gradient(mean), "variance": .9 * seen["variance"] + .1 * lax.stop_gradient(variance)}
            else:
                mean, variance = seen["mean"], seen["variance"]
            x = (x - mean) * (own["w"] / jnp.sqrt(variance + 1e-5)) + own["b"]
        elif kind == "residual":
            path, path_seen = forward(layer[1], own["path"], seen["path"], x, key, train)
            short, short_seen = forward(layer[2], own["short"], seen["short"], x, key, train)
            x, seen = path + short, {"path": path_seen, "short": short_seen}
        elif kind in ("dropout", "dropout2d"):
            if train:
                shape = (x.shape[0], 1, 1, x.shape[3]) if kind == "dropout2d" else x.shape
                x = x * (jax.random.bernoulli(jax.random.fold_in(key, i), 1 - layer[1], shape) / (1 - layer[1]))
        elif kind == "flatten":
            x = x.reshape(x.shape[0], -1)
        else:
            x = {"relu": jax.nn.relu, "tanh": jnp.tanh, "sigmoid": jax.nn.sigmoid, "logsoftmax": jax.nn.log_softmax}[kind](x)
        after.append(seen)
    return x, after


def variants(row):
    return ["scan", "step"] if row.trains else ["jit"]


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    random = np.random.default_rng(1)
    shape = (*row.shape[1:], row.shape[0]) if len(row.shape) == 3 else row.shape
    parameters, statistics = initial(row.layers, row.shape, random)
    key = jax.random.key(1)
    if not row.trains:
        run = jax.jit(lambda p, s, x: forward(row.layers, p, s, x, key, False)[0])
        x = jnp.asarray(random.standard_normal((row.batch, *shape)), jnp.float32)

        def infer():
            for _ in range(row.steps):
                run(parameters, statistics, x).block_until_ready()
        return infer, row.steps

    rows, steps, bytes_in = row.data_rows, row.steps, row.network == "W1"
    x = jnp.asarray(random.integers(256, size=(rows, *shape), dtype=np.uint8)) if bytes_in else jnp.asarray(random.standard_normal((rows, *shape)), jnp.float32)
    y = (jnp.asarray(random.standard_normal((rows, row.outputs)), jnp.float32) if row.loss == "mse" else
         jnp.asarray(random.integers(row.outputs, size=rows)))

    def loss_of(parameters, statistics, chosen, key, x, y):
        batch = x[chosen]
        if bytes_in:
            batch = batch.astype(jnp.float32) * (1 / (255 * .3081)) - .1307 / .3081
        out, statistics = forward(row.layers, parameters, statistics, batch, key, True)
        if row.loss == "mse":
            return ((out - y[chosen]) ** 2).mean(), statistics
        scores = jax.nn.log_softmax(out) if row.loss == "ce" else out
        return -jnp.take_along_axis(scores, y[chosen][:, None], 1).mean(), statistics

    def step(state, chosen, key, x, y):
        parameters, statistics, m, v, t = state
        (loss, statistics), gradient = jax.value_and_grad(loss_of, has_aux=True)(parameters, statistics, chosen, key, x, y)
        rate, t, tree = row.optimizer[1], t + 1, jax.tree.map
        if row.optimizer[0] == "adam":
            m = tree(lambda m, g: .9 * m + .1 * g, m, gradient)
            v = tree(lambda v, g: .999 * v + .001 * g * g, v, gradient)
            parameters = tree(lambda p, m, v: p - rate * (m / (1 - .9 ** t)) / (jnp.sqrt(v / (1 - .999 ** t)) + 1e-8), parameters, m, v)
        elif row.optimizer[2]:
            _, _, momentum, nesterov = row.optimizer
            m = tree(lambda m, g: momentum * m + g, m, gradient)
            parameters = tree(lambda p, m, g: p - rate * (g + momentum * m if nesterov else m), parameters, m, gradient)
        else:
            parameters = tree(lambda p, g: p - rate * g, parameters, gradient)
        return (parameters, statistics, m, v, t), loss

    zeros = lambda wanted: jax.tree.map(jnp.zeros_like, parameters) if wanted else ()
    adam = row.optimizer[0] == "adam"
    state = parameters, statistics, zeros(adam or row.optimizer[2]), zeros(adam), jnp.zeros(())

    def scan(state, key, x, y):
        chosen = jax.random.randint(key, (steps, row.batch), 0, rows)
        return lax.scan(lambda state, order: step(state, order[0], order[1], x, y), state, (chosen, jax.random.split(key, steps)))

    whole, single = jax.jit(scan, donate_argnums=0), jax.jit(step, donate_argnums=0)
    held = [state, key]

    def train_by_scan():
        held[1], now = jax.random.split(held[1])
        held[0], losses = whole(held[0], now, x, y)
        return float(losses.mean())

    def train_by_step():
        losses = []
        for chosen in random.integers(rows, size=(steps, row.batch)):
            held[0], loss = single(held[0], chosen, jax.random.wrap_key_data(random.integers(2 ** 32, size=4, dtype=np.uint32), impl="unsafe_rbg"), x, y)
            losses.append(loss)
        return float(jnp.stack(losses).mean())
    return train_by_scan if variant == "scan" else train_by_step, steps
