#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How well W1 learns by PyTorch on the embedded subset: the yardstick of sinter's learning test.

    python3 bench/peers/torch_learning.py --data DIR

5,000 training and 1,000 test images (the first 500 and 100 of each class in the publishers' order), NLL, SGD lr .01 momentum .9,
batch 50, 25 epochs, dropout on, a new order each epoch.  Prints test accuracy and NLL per seed, their mean, and the scatter.
"""
import argparse
import pathlib
import statistics
import time

import torch
from torch.nn import functional as F

from w1 import mnist, normalised, w1


def learn(seed, train, test, options):
    """Test accuracy in percent and test NLL after the last epoch."""
    torch.manual_seed(seed)
    net = w1()
    optimizer = torch.optim.SGD(net.parameters(), lr=options.lr, momentum=options.momentum)
    for _ in range(options.epochs):
        for rows in torch.randperm(len(train[1])).split(options.batch_size):
            optimizer.zero_grad()
            F.nll_loss(net(train[0][rows]), train[1][rows]).backward()
            optimizer.step()
    net.eval()
    with torch.inference_mode():
        scores = net(test[0])
        return 100 * float((scores.argmax(1) == test[1]).float().mean()), float(F.nll_loss(scores, test[1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=pathlib.Path, required=True, help="folder with the unpacked IDX files of MNIST")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3, 4, 5])
    parser.add_argument("--epochs", type=int, default=25)
    parser.add_argument("--batch-size", type=int, default=50)
    parser.add_argument("--lr", type=float, default=.01)
    parser.add_argument("--momentum", type=float, default=.9)
    parser.add_argument("--full", action="store_true", help="all 60,000 and 10,000 images instead of the subset")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    train, test = ((normalised(x), y) for x, y in (mnist(options.data, "train", None if options.full else 500),
                                                   mnist(options.data, "t10k", None if options.full else 100)))
    print(f"torch {torch.__version__}: {len(train[1])} training and {len(test[1])} test images, {options.epochs} epochs, "
          f"batch {options.batch_size}, lr {options.lr}, momentum {options.momentum}")
    accuracies, losses = [], []
    for seed in options.seeds:
        start = time.perf_counter()
        accuracy, loss = learn(seed, train, test, options)
        accuracies.append(accuracy)
        losses.append(loss)
        print(f"seed {seed}: accuracy {accuracy:.2f} %, NLL {loss:.4f}, {time.perf_counter() - start:.1f} s", flush=True)
    scatter = statistics.stdev(accuracies) if len(accuracies) > 1 else 0
    print(f"mean: accuracy {statistics.mean(accuracies):.2f} % (standard deviation of a seed {scatter:.2f}), NLL {statistics.mean(losses):.4f}")


if __name__ == "__main__":
    main()
