#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well the two networks of examples/08_cifar learn by PyTorch, on the same pictures.

    python3 bench/peers/torch_cifar.py --data DIR [--seeds 3]

DIR has CIFAR-10's binary files. Gray, / 255 - .5, cross-entropy, SGD with Nesterov momentum .9, batch 128, all 50,000 to train on and
the test set to judge by: the perceptron with lr .01 for 50 epochs, the convolutional network with lr .015 for 5.
"""
import argparse
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional as F


def read(folder, names):
    rows = torch.cat([torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.uint8).view(-1, 3073) for name in names])
    red, green, blue = rows[:, 1:].view(-1, 3, 32, 32).int().unbind(1)
    gray = (299 * red + 587 * green + 114 * blue + 500) // 1000
    return (gray.float() / 255 - 0.5).unsqueeze(1), rows[:, 0].long()


def mlp():
    return nn.Sequential(nn.Flatten(), nn.Linear(1024, 100), nn.ReLU(), nn.Linear(100, 10))


def cnn():
    return nn.Sequential(nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 2), nn.ReLU(), nn.MaxPool2d(2),
                         nn.Conv2d(32, 64, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(576, 200), nn.ReLU(),
                         nn.Linear(200, 10))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with CIFAR-10's binary files")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    x, labels = read(options.data, [f"data_batch_{i}.bin" for i in range(1, 6)])
    test_x, test_labels = read(options.data, ["test_batch.bin"])
    for name, make, lr, epochs in (("cnn", cnn, 0.015, 5), ("mlp", mlp, 0.01, 50)):
        for seed in range(1, options.seeds + 1):
            torch.manual_seed(seed)
            net = make()
            optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9, nesterov=True)
            begin = time.perf_counter()
            for _ in range(epochs):
                for rows in torch.randperm(len(x)).split(128):
                    optimizer.zero_grad()
                    F.cross_entropy(net(x[rows]), labels[rows]).backward()
                    optimizer.step()
            seconds = (time.perf_counter() - begin) / epochs
            with torch.inference_mode():
                accuracy = 100 * float((net(test_x).argmax(1) == test_labels).float().mean())
            print(f"{name} seed {seed}: test accuracy {accuracy:.2f} %, {seconds:.2f} s an epoch", flush=True)


if __name__ == "__main__":
    main()
