#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well the two networks of examples/08_cifar learn by PyTorch, on the same pictures.

    python3 bench/peers/torch_cifar.py --data DIR [--seeds 3] [--network mlp|cnn|resnet8] [--initialization xavier_uniform]

DIR has CIFAR-10's binary files. Gray, / 255 - .5, cross-entropy, SGD with Nesterov momentum .9, batch 128, all 50,000 to train on and
the test set to judge by: the perceptron with lr .01 for 50 epochs, the convolutional network with lr .015 for 5.
--initialization: what the weights begin with, by 08_cifar's names; pytorch is what its layers do by themselves.
--network resnet8: bench/resnet8.cpp, colour, (pixel / 255 - .4734) / .2516, lr .05, 3 epochs.
"""
import argparse
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional as F


def read(folder, names, colour):
    rows = torch.cat([torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.uint8).view(-1, 3073) for name in names])
    if colour:
        return (rows[:, 1:].view(-1, 3, 32, 32).float() / 255 - 0.4734) / 0.2516, rows[:, 0].long()
    red, green, blue = rows[:, 1:].view(-1, 3, 32, 32).int().unbind(1)
    gray = (299 * red + 587 * green + 114 * blue + 500) // 1000
    return (gray.float() / 255 - 0.5).unsqueeze(1), rows[:, 0].long()


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(1024, 100), nn.ReLU(), nn.Linear(100, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 2), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(576, 200), nn.ReLU(),
                         nn.Linear(200, 10))


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.path = nn.Sequential(nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(),
                                  nn.Conv2d(outputs, outputs, 3, 1, 1, bias=False), nn.BatchNorm2d(outputs))
        self.shortcut = nn.Identity() if stride == 1 else nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs))

    def forward(self, x):
        return torch.relu(self.path(x) + self.shortcut(x))


def resnet8():
    return nn.Sequential(nn.Conv2d(3, 16, 3, 1, 1, bias=False), nn.BatchNorm2d(16), nn.ReLU(), Block(16, 16, 1), Block(16, 32, 2), Block(32, 64, 2),
                         nn.AvgPool2d(8), nn.Flatten(), nn.Linear(64, 10))


def initialize(net, how):
    for layer in net.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.xavier_uniform_(layer.weight) if how == "xavier_uniform" else nn.init.kaiming_uniform_(layer.weight, nonlinearity="relu")
            if layer.bias is not None:
                nn.init.zeros_(layer.bias)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with CIFAR-10's binary files")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--network", choices=("mlp", "cnn", "resnet8"), help="one of them; the first two where nothing is said")
    parser.add_argument("--initialization", choices=("pytorch", "xavier_uniform", "kaiming_uniform"), default="pytorch")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    for name, make, lr, epochs in (("cnn", cnn, 0.015, 5), ("mlp", mlp, 0.01, 50), ("resnet8", resnet8, 0.05, 3)):
        if options.network != name and (options.network or name == "resnet8"):
            continue
        x, labels = read(options.data, [f"data_batch_{i}.bin" for i in range(1, 6)], name == "resnet8")
        test_x, test_labels = read(options.data, ["test_batch.bin"], name == "resnet8")
        for seed in range(1, options.seeds + 1):
            torch.manual_seed(seed)
            net = make()
            if options.initialization != "pytorch":
                initialize(net, options.initialization)
            optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, nesterov=True)
            seconds, accuracies = 0, []
            for _ in range(epochs):
                begin = time.perf_counter()
                net.train()
                for rows in torch.randperm(len(x)).split(128):
                    optimizer.zero_grad()
                    F.cross_entropy(net(x[rows]), labels[rows]).backward()
                    optimizer.step()
                seconds += (time.perf_counter() - begin) / epochs
                net.eval()
                with torch.inference_mode():
                    right = sum(int((net(images).argmax(1) == wanted).sum())
                                for images, wanted in zip(test_x.split(500), test_labels.split(500)))
                accuracies.append(100 * right / len(test_x))
            print(f"{name} seed {seed}: test accuracy {accuracies[-1]:.2f} %, {seconds:.2f} s an epoch; epoch by epoch",
                  ", ".join(f"{a:.2f}" for a in accuracies), flush=True)


if __name__ == "__main__":
    main()
