#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training step of the workloads by PyTorch on a GPU: microseconds, median and 10 to 90 %.

    python3 bench/peers/torch_gpu.py [--compile]

Data is on the GPU as bytes or floats; a step gathers the next rows of a shuffled order, normalises, goes forward and
backward and updates. Variants: eager, as the tutorials write it; graph, the whole step captured by hand as a CUDA graph
(rows gathered by an order that is copied in before each replay); compile, torch.compile(mode="reduce-overhead") of
network and loss, when asked for. TF32 is off in all.
"""
import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F


def w1():
    return nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.Dropout2d(), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Dropout(), nn.Linear(50, 10), nn.LogSoftmax(1))


def w2(n):
    widths = [2 ** i for i in range(1, n + 1)] + [2]
    layers = [m for a, b in zip(widths, widths[1:]) for m in (nn.Linear(a, b), nn.ReLU())]
    return nn.Sequential(*layers[:-1])


def w3_mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(1024, 100), nn.ReLU(), nn.Linear(100, 10))


def w3_cnn():
    return nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(576, 200), nn.ReLU(), nn.Linear(200, 10))


def w4():
    return nn.Sequential(nn.Linear(256, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10))


CASES = [  # name, network, shape of a row, rows, batch, loss
    ("W1 batch 200", w1, (1, 28, 28), 60000, 200, F.nll_loss),
    ("W2 n=4 batch 100", lambda: w2(4), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=6 batch 100", lambda: w2(6), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=8 batch 100", lambda: w2(8), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=10 batch 100", lambda: w2(10), (2,), 1000, 100, F.cross_entropy),
    ("W3 mlp batch 128", w3_mlp, (1, 32, 32), 50000, 128, F.cross_entropy),
    ("W3 cnn batch 128", w3_cnn, (1, 32, 32), 50000, 128, F.cross_entropy),
    ("W4 batch 32, one net", w4, (256,), 50000, 32, F.cross_entropy),
    ("W4 batch 64, one net", w4, (256,), 50000, 64, F.cross_entropy),
]


class Step:
    def __init__(self, make, shape, rows, batch, loss, variant):
        torch.manual_seed(1)
        gpu = torch.device("cuda")
        pixels = len(shape) == 3
        self.x = torch.randint(0, 256, (rows, *shape), dtype=torch.uint8, device=gpu) if pixels else torch.randn(rows, *shape, device=gpu)
        self.labels = torch.randint(0, 2 if shape == (2,) else 10, (rows,), device=gpu)
        self.pixels, self.batch = pixels, batch
        self.order = torch.randperm(rows, device=gpu)
        self.net = make().to(gpu)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=.01, momentum=.5, foreach=True)
        self.model = (lambda x, y: loss(self.net(x), y))
        if variant == "compile":
            self.model = torch.compile(self.model, mode="reduce-overhead")
        self.total = torch.zeros((), device=gpu)
        self.at = 0
        self.rows = self.order[:batch].clone()
        self.graph = None
        if variant == "graph":
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    self.work()
            torch.cuda.current_stream().wait_stream(side)
            self.graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self.graph):
                self.work()

    def work(self):
        x = self.x[self.rows]
        if self.pixels:
            x = x.float().mul_(1 / (255 * .3081)).sub_(.1307 / .3081)
        self.optimizer.zero_grad(set_to_none=True)
        loss = self.model(x, self.labels[self.rows])
        loss.backward()
        self.optimizer.step()
        self.total.add_(loss.detach())

    def step(self):
        if self.at + self.batch > len(self.order):
            self.at = 0
        self.rows.copy_(self.order[self.at:self.at + self.batch])
        self.at += self.batch
        if self.graph is None:
            self.work()
        else:
            self.graph.replay()


def microseconds(step, steps=200, repeats=7):
    for _ in range(20):
        step.step()
    torch.cuda.synchronize()
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        for _ in range(steps):
            step.step()
        torch.cuda.synchronize()
        times.append((time.perf_counter() - begin) * 1e6 / steps)
    return sorted(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compile", action="store_true", help="also torch.compile (half a minute for each case)")
    options = arguments.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    print(f"{'us a step':22} {'variant':9} {'median':>9} {'10-90 %':>17}")
    for name, *case in CASES:
        for variant in ("eager", "graph") + (("compile",) if options.compile else ()):
            try:
                times = microseconds(Step(*case, variant))
                print(f"{name:22} {variant:9} {statistics.median(times):9.1f} {times[0]:8.1f}-{times[-1]:<8.1f}", flush=True)
            except Exception as error:  # one that fails must not hide the others
                print(f"{name:22} {variant:9} failed: {str(error).splitlines()[0][:80]}", flush=True)


if __name__ == "__main__":
    main()
