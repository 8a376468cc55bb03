#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the network of examples/16_cifar_residual learns by PyTorch, on the same pictures, in the same time.

    python3 bench/peers/torch_cifar_residual.py --data DIR --epochs 10
    python3 bench/peers/torch_cifar_residual.py --data DIR --minutes 10 --threads 2

DIR has CIFAR-10's binary files. Crops with padding 4 and flips anew in each epoch, cross-entropy, SGD with Nesterov momentum .9,
weight decay 5e-4 and one cycle up to --lr, batch 128, all to train on and the test set to judge by after each epoch. --minutes
times an epoch by another network first, as the example does, in both orders of memory that PyTorch has for pictures; then the quicker
one runs for as many epochs as they are enough for. bench/peers/cifar_in_minutes runs both sides one after another.
"""
import argparse
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional as F

BATCH = 128
RECORD = 3073  # a label, then 1,024 of red, green and blue


def read(folder, names):
    rows = torch.cat([torch.frombuffer(bytearray((folder / name).read_bytes()), dtype=torch.uint8).view(-1, RECORD) for name in names])
    return rows[:, 1:].view(-1, 3, 32, 32), rows[:, 0].long()


def scaled(pixels):
    return (pixels.float() / 255 - 0.4734) / 0.2516


def changed(pictures):
    """A crop of each picture, padded by 4 black pixels, and every other one mirrored."""
    padded = F.pad(pictures, (4, 4, 4, 4))
    n = len(pictures)
    rows = torch.arange(32) + torch.randint(0, 9, (n, 1))
    columns = torch.arange(32) + torch.randint(0, 9, (n, 1))
    columns = torch.where(torch.rand(n, 1) < 0.5, columns.flip(1), columns)
    return padded[torch.arange(n)[:, None, None], :, rows[:, :, None], columns[:, None, :]].permute(0, 3, 1, 2).contiguous()


class Same(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.path = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
                                  nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

    def forward(self, x):
        return self.path(x) + x


def make():
    def entry(inputs, outputs, stride):
        return [nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU()]
    net = nn.Sequential(*entry(3, 16, 1), nn.MaxPool2d(2), Same(16), nn.ReLU(), *entry(16, 32, 2), Same(32), nn.ReLU(),
                        *entry(32, 64, 2), Same(64), nn.ReLU(), nn.AvgPool2d(4), nn.Flatten(), nn.Linear(64, 10))
    for layer in net.modules():
        if isinstance(layer, (nn.Conv2d, nn.Linear)):
            nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return net


def learn(train, test, epochs, order, options):
    """A new network, as many epochs, and how much of the test set it then has right, in percent."""
    torch.manual_seed(options.seed)
    pictures, labels = train
    net = make().to(memory_format=order)
    optimizer = torch.optim.SGD(net.parameters(), lr=options.lr, momentum=0.9, weight_decay=5e-4, nesterov=True)
    steps = (len(pictures) + BATCH - 1) // BATCH * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, options.lr, total_steps=steps, cycle_momentum=False)
    begin = time.perf_counter()
    for epoch in range(epochs):
        net.train()
        for rows in torch.randperm(len(pictures)).split(BATCH):
            optimizer.zero_grad()
            F.cross_entropy(net(scaled(changed(pictures[rows])).contiguous(memory_format=order)), labels[rows]).backward()
            optimizer.step()
            schedule.step()
        net.eval()
        with torch.inference_mode():
            right = sum(int((net(scaled(x).contiguous(memory_format=order)).argmax(1) == y).sum()) for x, y in zip(*(part.split(1000) for part in test)))
        print(f"epoch {epoch + 1}: test accuracy {100 * right / len(test[0]):.2f} %, {time.perf_counter() - begin:.1f} s", flush=True)
    return 100 * right / len(test[0])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with CIFAR-10's binary files")
    parser.add_argument("--epochs", type=int, default=10)
    parser.add_argument("--minutes", type=float, default=0, help="instead: as many epochs as these are enough for")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    train = read(options.data, [f"data_batch_{i}.bin" for i in range(1, 6)])
    test = read(options.data, ["test_batch.bin"])

    epochs, order = options.epochs, torch.contiguous_format
    if options.minutes > 0:
        seconds = {}
        for one in (torch.contiguous_format, torch.channels_last):
            print(f"one epoch by another network, {one}:")
            begin = time.perf_counter()
            learn(train, test, 1, one, options)
            seconds[one] = time.perf_counter() - begin
        order = min(seconds, key=seconds.get)
        epochs = max(1, int(60 * options.minutes / seconds[order]))
    begin, processor_begin = time.perf_counter(), time.process_time()
    accuracy = learn(train, test, epochs, order, options)
    print(f"test accuracy {accuracy:.2f} % after {epochs} epochs: {time.perf_counter() - begin:.1f} s, "
          f"{time.process_time() - processor_begin:.1f} s of the processor, validation included; PyTorch {torch.__version__}, {order}")


if __name__ == "__main__":
    main()
