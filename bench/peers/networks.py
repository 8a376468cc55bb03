#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The perceptrons of bench/networks.cpp here and in PyTorch and JAX: microseconds a training step, on the CPU.

    python3 bench/peers/networks.py --ours build/release/bench/networks [--rounds 3] [--rows REGEX] [--markdown FILE]

A step is what `fit` does: the next rows of the shuffled order gathered, forward, loss kept, backward, update.  PyTorch runs
eagerly with its fused optimizer; JAX as `jit` of a `lax.scan` over the steps of an epoch.
Rounds alternate between the programs, one thread each; the table has medians, and the spread (largest / smallest) of each.
A peer that is not installed is left out, and said to be.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import platform
import re
import statistics
import subprocess
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})  # one core for all of them: XLA takes every core whatever it is told
os.environ.pop("OPENBLAS_CORETYPE", None)  # halves OpenBLAS on some machines

ROWS = 4096  # of the data


def disc(n):
    return [2] + [2 ** k for k in range(2, n + 1)] + [2]


# name in bench/networks.cpp: widths, activations, loss, optimizer, batches
PERCEPTRONS = {
    **{f"disc-{n}": (disc(n), "relu", "ce", ("sgd", .01, 0), [100]) for n in (2, 4, 6, 8, 10, 12)},
    "1024-100-10": ([1024, 100, 10], "relu", "ce", ("sgd", .01, .9), [128]),
    "256-64-64-10": ([256, 64, 64, 10], "relu", "ce", ("sgd", .01, 0), [8, 32, 64]),
    "256-64-64-10/adam": ([256, 64, 64, 10], "relu", "ce", ("adam", .001), [8, 32, 64]),
    "17-64-64-6/adam": ([17, 64, 64, 6], "tanh", "mse", ("adam", .001), [256]),
    "784-1024-1024-10": ([784, 1024, 1024, 10], "relu", "ce", ("sgd", .01, 0), [128]),
    "784-1024-1024-10/adam": ([784, 1024, 1024, 10], "relu", "ce", ("adam", .001), [128]),
}


def ours(program, name, batch, threads=1):
    text = subprocess.run([program, f"--benchmark_filter=^{name}/train/batch:{batch}/threads:{threads}/", "--benchmark_format=json",
                           "--benchmark_min_time=0.3"], check=True, capture_output=True, text=True).stdout
    return json.loads(text)["benchmarks"][0]["us_per_step"]


class Torch:
    def __init__(self, widths, activation, loss, optimizer, batch):
        import torch
        from torch import nn
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.torch, self.batch, self.steps = torch, batch, max(1, ROWS // batch)
        rows = self.steps * batch
        between = {"relu": nn.ReLU, "tanh": nn.Tanh}[activation]
        layers = []
        for i, (a, b) in enumerate(zip(widths, widths[1:])):
            layers += ([between()] if i else []) + [nn.Linear(a, b)]
        self.net = nn.Sequential(*layers)
        self.x = torch.randn(rows, widths[0])
        self.y = torch.randint(widths[-1], (rows,)) if loss == "ce" else torch.randn(rows, widths[-1])
        self.loss = nn.CrossEntropyLoss() if loss == "ce" else nn.MSELoss()
        if optimizer[0] == "sgd":
            self.optimizer = torch.optim.SGD(self.net.parameters(), lr=optimizer[1], momentum=optimizer[2], nesterov=optimizer[2] > 0, fused=True)
        else:
            self.optimizer = torch.optim.Adam(self.net.parameters(), lr=optimizer[1], fused=True)

    def epoch(self):
        losses = []
        for rows in self.torch.randperm(len(self.x)).split(self.batch):
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(self.net(self.x[rows]), self.y[rows])
            loss.backward()
            self.optimizer.step()
            losses.append(loss.detach())
        return float(self.torch.stack(losses).mean())


class Jax:
    def __init__(self, widths, activation, loss, optimizer, batch):
        import jax
        import jax.numpy as jnp
        self.jax, self.steps = jax, max(1, ROWS // batch)
        rows = self.steps * batch
        key = jax.random.PRNGKey(1)
        keys = jax.random.split(key, 2 * len(widths))
        parameters = [(jax.random.normal(keys[i], (a, b)) / a ** .5, jnp.zeros(b)) for i, (a, b) in enumerate(zip(widths, widths[1:]))]
        x = jax.random.normal(keys[-1], (rows, widths[0]))
        y = jax.random.randint(keys[-2], (rows,), 0, widths[-1]) if loss == "ce" else jax.random.normal(keys[-2], (rows, widths[-1]))
        between = {"relu": jax.nn.relu, "tanh": jnp.tanh}[activation]

        def value(parameters, x, y):
            for i, (w, b) in enumerate(parameters):
                x = x @ w + b
                if i + 1 < len(parameters):
                    x = between(x)
            if loss == "ce":
                return -jnp.take_along_axis(jax.nn.log_softmax(x), y[:, None], 1).mean()
            return ((x - y) ** 2).mean()

        zeros = jax.tree.map(jnp.zeros_like, parameters)

        def step(state, rows):
            parameters, m, v, t = state
            value_now, gradient = jax.value_and_grad(value)(parameters, x[rows], y[rows])
            lr = optimizer[1]
            if optimizer[0] == "adam":
                t = t + 1
                m = jax.tree.map(lambda m, g: .9 * m + .1 * g, m, gradient)
                v = jax.tree.map(lambda v, g: .999 * v + .001 * g * g, v, gradient)
                parameters = jax.tree.map(lambda p, m, v: p - lr * (m / (1 - .9 ** t)) / (jnp.sqrt(v / (1 - .999 ** t)) + 1e-8), parameters, m, v)
            elif optimizer[2]:
                m = jax.tree.map(lambda m, g: optimizer[2] * m + g, m, gradient)
                parameters = jax.tree.map(lambda p, m, g: p - lr * (g + optimizer[2] * m), parameters, m, gradient)
            else:
                parameters = jax.tree.map(lambda p, g: p - lr * g, parameters, gradient)
            return (parameters, m, v, t), value_now

        def epoch(state, key):
            order = jax.random.permutation(key, rows).reshape(self.steps, batch)
            return jax.lax.scan(step, state, order)

        self.run, self.state, self.key = jax.jit(epoch, donate_argnums=0), (parameters, zeros, jax.tree.map(jnp.copy, zeros), jnp.zeros(())), key

    def epoch(self):
        self.key, key = self.jax.random.split(self.key)
        self.state, losses = self.run(self.state, key)
        return float(losses.mean())


def measure(peer, least=.3):
    """Microseconds a step, over epochs of at least so many seconds."""
    peer.epoch()
    epochs, start = 0, time.perf_counter()
    while epochs == 0 or time.perf_counter() - start < least:
        peer.epoch()
        epochs += 1
    return (time.perf_counter() - start) / (epochs * peer.steps) * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="build/release/bench/networks")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()

    peers = {name: kind for name, kind in (("torch", Torch), ("jax", Jax)) if importlib.util.find_spec(name)}
    for name in ("torch", "jax"):
        if name not in peers:
            print(f"{name} is not installed: left out")
    table = [["row", "sinter, us", *[f"{p}, us" for p in peers], "best peer / sinter", "spread"]]
    for name, (widths, activation, loss, optimizer, batches) in PERCEPTRONS.items():
        for batch in batches:
            if not re.search(options.rows, f"{name} batch {batch}"):
                continue
            made = {p: kind(widths, activation, loss, optimizer, batch) for p, kind in peers.items()}
            times = {"ours": [], **{p: [] for p in peers}}
            for _ in range(options.rounds):
                times["ours"].append(ours(options.ours, name, batch))
                for p, peer in made.items():
                    times[p].append(measure(peer))
            median = {p: statistics.median(t) for p, t in times.items()}
            best = min((median[p] for p in peers), default=float("nan"))
            spread = ", ".join(f"{max(t) / min(t):.2f}" for t in times.values())
            table.append([f"{name}, batch {batch}", *[f"{m:,.1f}" for m in median.values()], f"{best / median['ours']:.2f}", spread])
            print("  ".join(f"{cell:>24}" for cell in table[-1]), flush=True)
    text = f"{platform.processor() or platform.machine()}, one thread, medians of {options.rounds} rounds\n\n"
    text += "\n".join("| " + " | ".join(row) + " |" + ("\n|" + "---|" * len(row) if i == 0 else "") for i, row in enumerate(table))
    print("\n" + text)
    if options.markdown:
        options.markdown.write_text(text + "\n")


if __name__ == "__main__":
    main()
