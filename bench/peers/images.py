#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The convolutional networks of bench/networks.cpp here and in PyTorch: milliseconds a training step, on one core.

    python3 bench/peers/images.py --ours build/release/bench/networks [--rounds 3] [--rows REGEX] [--markdown FILE] [--compile]

PyTorch runs eagerly with its fused optimizer, in both layouts; with --compile also by torch.compile, channels last.
Rounds alternate between the programs; the table has medians, and the spread (largest / smallest) of each.
"""
import argparse
import pathlib
import platform
import re
import statistics

from networks import measure, ours  # holds this process to one core

import torch
from torch import nn

ROWS = 1024  # of the data


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.path = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                  nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.path(x) + self.shortcut(x))


def gray():
    return nn.Sequential(nn.Conv2d(1, 16, 3), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(16, 32, 2), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(32, 64, 2),
                         nn.MaxPool2d(2), nn.ReLU(), nn.Flatten(), nn.Linear(576, 200), nn.ReLU(), nn.Linear(200, 10))


def lenet():
    return nn.Sequential(nn.Conv2d(1, 6, 5, padding=2), nn.Tanh(), nn.AvgPool2d(2), nn.Conv2d(6, 16, 5), nn.Tanh(), nn.AvgPool2d(2), nn.Flatten(),
                         nn.Linear(400, 120), nn.Tanh(), nn.Linear(120, 84), nn.Tanh(), nn.Linear(84, 10))


def vgg():
    return nn.Sequential(nn.Conv2d(3, 32, 3, padding=1), nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 3, padding=1), nn.ReLU(), nn.Conv2d(64, 64, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                         nn.Linear(4096, 256), nn.ReLU(), nn.Linear(256, 10))


def resnet():
    return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2),
                         nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))


# name in bench/networks.cpp: network, input, momentum (Nesterov's), batch
IMAGES = {"gray-cnn": (gray, (1, 32, 32), .9, 128), "lenet-5": (lenet, (1, 28, 28), 0, 64), "vgg": (vgg, (3, 32, 32), 0, 64),
          "resnet-8": (resnet, (3, 32, 32), 0, 128)}


class Torch:
    def __init__(self, network, shape, momentum, batch, layout, compiled=False):
        torch.set_num_threads(1)
        torch.manual_seed(1)
        self.batch, self.steps = batch, ROWS // batch
        net = network().to(memory_format=layout)
        self.optimizer = torch.optim.SGD(net.parameters(), lr=.01, momentum=momentum, nesterov=momentum > 0, fused=True)
        self.net = torch.compile(net) if compiled else net
        self.x = torch.randn(ROWS, *shape).to(memory_format=layout)
        self.y = torch.randint(10, (ROWS,))
        self.loss = nn.CrossEntropyLoss()

    def epoch(self):
        total = 0
        for rows in torch.randperm(ROWS).split(self.batch):
            self.optimizer.zero_grad(set_to_none=True)
            loss = self.loss(self.net(self.x[rows]), self.y[rows])
            loss.backward()
            self.optimizer.step()
            total += loss.detach()
        return float(total)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", default="build/release/bench/networks")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--rows", default="")
    parser.add_argument("--compile", action="store_true")
    parser.add_argument("--markdown", type=pathlib.Path)
    options = parser.parse_args()

    kinds = {"PyTorch": (torch.contiguous_format, False), "channels last": (torch.channels_last, False)}
    if options.compile:
        kinds["compiled"] = (torch.channels_last, True)
    table = [["row", "sinter, ms", *[f"{k}, ms" for k in kinds], "best peer / sinter", "spread"]]
    for name, (network, shape, momentum, batch) in IMAGES.items():
        if not re.search(options.rows, name):
            continue
        peers = {k: Torch(network, shape, momentum, batch, *kind) for k, kind in kinds.items()}
        times = {"ours": [], **{k: [] for k in peers}}
        for _ in range(options.rounds):
            times["ours"].append(ours(options.ours, name, batch) / 1e3)
            for k, peer in peers.items():
                times[k].append(measure(peer) / 1e3)
        median = {k: statistics.median(t) for k, t in times.items()}
        best = min(median[k] for k in peers)
        spread = ", ".join(f"{max(t) / min(t):.2f}" for t in times.values())
        table.append([f"{name}, batch {batch}", *[f"{m:,.2f}" for m in median.values()], f"{best / median['ours']:.2f}", spread])
        print("  ".join(f"{cell:>24}" for cell in table[-1]), flush=True)
    text = f"{platform.processor() or platform.machine()}, one core, medians of {options.rounds} rounds\n\n"
    text += "\n".join("| " + " | ".join(row) + " |" + ("\n|" + "---|" * len(row) if i == 0 else "") for i, row in enumerate(table))
    print("\n" + text)
    if options.markdown:
        options.markdown.write_text(text + "\n")


if __name__ == "__main__":
    main()
