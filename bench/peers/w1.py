# SPDX-License-Identifier: MIT
"""W1 in PyTorch and the IDX files of MNIST, for the two programs beside this file."""
import struct

import numpy as np
import torch
from torch import nn


def w1():
    """The MNIST CNN, 21,840 parameters, PyTorch's default initialisation."""
    return nn.Sequential(nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.Dropout2d(.5), nn.MaxPool2d(2),
                         nn.ReLU(), nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Dropout(.5), nn.Linear(50, 10), nn.LogSoftmax(1))


def idx(path):
    data = path.read_bytes()
    shape = struct.unpack(f">{data[3]}I", data[4:4 + 4 * data[3]])
    return np.frombuffer(data, np.uint8, offset=4 + 4 * data[3]).reshape(shape)


def mnist(folder, part, per_class=None):
    """u8 images [N, 1, 28, 28] and labels [N]; part: "train" or "t10k"; per_class: the first so many of each class, in order."""
    images, labels = idx(folder / f"{part}-images-idx3-ubyte"), idx(folder / f"{part}-labels-idx1-ubyte")
    if per_class:
        keep = np.sort(np.concatenate([np.flatnonzero(labels == c)[:per_class] for c in range(10)]))
        images, labels = images[keep], labels[keep]
    return torch.from_numpy(images.copy())[:, None], torch.from_numpy(labels.astype(np.int64))


def normalised(images):
    """x = ((u8 / 255) - .1307) / .3081 as one multiplication and one addition."""
    return images.float().mul_(1 / (255 * .3081)).sub_(.1307 / .3081)
