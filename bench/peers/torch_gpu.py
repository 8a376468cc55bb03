#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A training step of the workloads by PyTorch on a GPU: microseconds, median and the least to the most of the repeats.

    python3 bench/peers/torch_gpu.py [--compile [NAME ...]]

Data is on the GPU as bytes or floats; a step gathers the next rows of a shuffled order, normalises, goes forward and
backward and updates. Variants: eager, as the tutorials write it; graph, the whole step captured by hand as a CUDA graph
(rows gathered by an order that is copied in before each replay); compile, torch.compile(mode="reduce-overhead") of
network and loss, when asked for. 132 nets: as many networks at once by torch.func.vmap, each with its own weights, order
and learning rate, without momentum; microseconds of a step of one of them. cuDNN picks its algorithms by trial. TF32 is off
in all but the variant tf32: graph with TF32 in products and convolutions.
"""
import argparse
import statistics
import time

import torch
from torch import nn
from torch.nn import functional as F

from torch_cifar import resnet8

DEVICE = "cuda"


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


def wide():
    return nn.Sequential(nn.Linear(784, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10))


def vgg():
    def pair(inputs, outputs):
        return [nn.Conv2d(inputs, outputs, 3, padding=1), nn.ReLU(), nn.Conv2d(outputs, outputs, 3, padding=1), nn.ReLU(),
                nn.MaxPool2d(2)]
    return nn.Sequential(*pair(3, 32), *pair(32, 64), nn.Flatten(), nn.Linear(4096, 256), nn.ReLU(), nn.Linear(256, 10))


CASES = [  # name, network, shape of a row, rows, batch, loss
    ("W1 batch 200", w1, (1, 28, 28), 60000, 200, F.nll_loss),
    ("W2 n=2 batch 100", lambda: w2(2), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=4 batch 100", lambda: w2(4), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=6 batch 100", lambda: w2(6), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=8 batch 100", lambda: w2(8), (2,), 1000, 100, F.cross_entropy),
    ("W2 n=10 batch 100", lambda: w2(10), (2,), 1000, 100, F.cross_entropy),
    ("W3 mlp batch 128", w3_mlp, (1, 32, 32), 50000, 128, F.cross_entropy),
    ("W3 cnn batch 128", w3_cnn, (1, 32, 32), 50000, 128, F.cross_entropy),
    ("Wide batch 128", wide, (784,), 12800, 128, F.cross_entropy),
    ("VGG batch 64", vgg, (3, 32, 32), 6400, 64, F.cross_entropy),
    ("ResNet-8 batch 128", resnet8, (3, 32, 32), 12800, 128, F.cross_entropy),
    ("W4 batch 32, one net", w4, (256,), 50000, 32, F.cross_entropy),
    ("W4 batch 64, one net", w4, (256,), 50000, 64, F.cross_entropy),
]


class Step:
    """Of one network; `Steps` of many at once."""
    nets = 1

    def __init__(self, make, shape, rows, batch, loss, variant):
        torch.manual_seed(1)
        gpu = torch.device(DEVICE)
        pixels = len(shape) == 3
        self.x = torch.randint(0, 256, (rows, *shape), dtype=torch.uint8, device=gpu) if pixels else torch.randn(rows, *shape, device=gpu)
        self.labels = torch.randint(0, 2 if shape == (2,) else 10, (rows,), device=gpu)
        self.pixels, self.batch, self.loss = pixels, batch, loss
        self.order = torch.stack([torch.randperm(rows, device=gpu) for _ in range(self.nets)]).squeeze(0)
        self.total = torch.zeros((), device=gpu)
        self.at = 0
        self.rows = self.order[..., :batch].clone()
        self.prepare(make, gpu, variant)
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

    def prepare(self, make, gpu, variant):
        self.net = make().to(gpu)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=.01, momentum=.5, foreach=True)
        self.model = (lambda x, y: self.loss(self.net(x), y))
        if variant == "compile":
            self.model = torch.compile(self.model, mode="reduce-overhead")

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
        if self.at + self.batch > self.order.shape[-1]:
            self.at = 0
        self.rows.copy_(self.order[..., self.at:self.at + self.batch])
        self.at += self.batch
        if self.graph is None:
            self.work()
        else:
            self.graph.replay()


class Steps(Step):
    nets = 132

    def prepare(self, make, gpu, variant):
        nets = [make().to(gpu) for _ in range(self.nets)]
        self.weights, _ = torch.func.stack_module_state(nets)
        self.weights = {name: weight.detach() for name, weight in self.weights.items()}
        rates = torch.logspace(-3, -1, self.nets, device=gpu)
        self.rates = {name: -rates.view(-1, *[1] * (weight.dim() - 1)) for name, weight in self.weights.items()}
        one = nets[0]

        def loss(weights, x, y):
            return self.loss(torch.func.functional_call(one, weights, (x,)), y)

        self.gradients = torch.func.vmap(torch.func.grad_and_value(loss))

    def work(self):
        gradients, loss = self.gradients(self.weights, self.x[self.rows], self.labels[self.rows])
        torch._foreach_addcmul_(list(self.weights.values()), [gradients[name] for name in self.weights],
                                list(self.rates.values()))
        self.total.add_(loss.mean())


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
        times.append((time.perf_counter() - begin) * 1e6 / (steps * step.nets))
    return sorted(times)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--compile", nargs="*", metavar="NAME", help="also torch.compile, half a minute for each case: "
                           "of all, or of those whose names begin so")
    options = arguments.parse_args()
    torch.backends.cudnn.benchmark = True

    def allow_tf32(allowed):
        torch.backends.cuda.matmul.allow_tf32 = allowed
        torch.backends.cudnn.allow_tf32 = allowed

    allow_tf32(False)
    print(f"PyTorch {torch.__version__}, {torch.cuda.get_device_name()}")
    print(f"{'us a step':22} {'variant':9} {'median':>9} {'spread':>17}")

    def measure(name, case, variant, kind=Step):
        allow_tf32(variant == "tf32")
        try:
            times = microseconds(kind(*case, "graph" if variant == "tf32" else variant))
            print(f"{name:22} {variant:9} {statistics.median(times):9.2f} {times[0]:8.2f}-{times[-1]:<8.2f}", flush=True)
        except Exception as error:  # one that fails must not hide the others
            print(f"{name:22} {variant:9} failed: {(str(error).splitlines() or [repr(error)])[0][:80]}", flush=True)

    for name, *case in CASES:
        for variant in ("eager", "graph", "tf32"):
            measure(name, case, variant)
    for batch in (8, 32, 64):
        for variant in ("eager", "graph"):
            measure(f"W4 batch {batch}, 132 nets", (w4, (256,), 50000, batch, F.cross_entropy), variant, Steps)
    if options.compile is not None:
        for name, *case in CASES:
            if not options.compile or name.startswith(tuple(options.compile)):
                measure(name, case, "compile")


if __name__ == "__main__":
    main()
