# SPDX-License-Identifier: MIT
"""The cells of recurrent.py in PyTorch: a sample at a time by torch.nn.GRU, and by torch.nn.GRUCell; and training."""
import json
import time

import torch
from torch import nn
from torch.nn import functional as F

from recurrent_rows import BATCH, CELLS, CLASSES, DATA_ROWS, FEATURES, LAYERS, ROWS, TIME, UNITS  # noqa: F401

clock = time.process_time


def version():
    return f"PyTorch {torch.__version__}"


def use_threads(threads):
    torch.set_num_threads(threads)


def variants(row):
    if not row.block:
        return ["eager", "time first"]
    if row.model not in CELLS:
        return []
    return ["layer", "cell"]  # what torch.compile makes of the cell took longer


class Layer(nn.Module):
    def __init__(self, cell, hidden):
        super().__init__()
        self.add_module("0", getattr(nn, cell)(1, hidden))
        self.add_module("1", nn.Linear(hidden, 1))
        self.recurrent, self.linear, self.count = getattr(self, "0"), getattr(self, "1"), 2 if cell == "LSTM" else 1

    def first(self):
        state = tuple(torch.zeros(1, 1, self.recurrent.hidden_size) for _ in range(self.count))
        return state if self.count == 2 else state[0]

    def forward(self, x, state):
        y, state = self.recurrent(x, state)
        return self.linear(y), state


class Cell(nn.Module):
    def __init__(self, cell, layer):
        super().__init__()
        self.cell, self.linear, self.count = getattr(nn, cell + "Cell")(1, layer.recurrent.hidden_size), layer.linear, layer.count
        self.cell.load_state_dict({key.removesuffix("_l0"): tensor for key, tensor in layer.recurrent.state_dict().items()})

    def first(self):
        state = tuple(torch.zeros(1, self.cell.hidden_size) for _ in range(self.count))
        return state if self.count == 2 else state[0]

    def forward(self, x, state):
        state = self.cell(x, state)
        return self.linear(state[0] if self.count == 2 else state), state


def stream(row, variant):
    """A function that takes a sample, [1, 1] or [1, 1, 1], and the state."""
    layer = Layer(row.cell, row.hidden)
    with open(f"{row.model}.json") as file:
        tensors = {key: torch.tensor(value) for key, value in json.load(file).items()}
    layer.load_state_dict(tensors, strict=False)
    net = layer.eval() if variant == "layer" else Cell(row.cell, layer).eval()
    return net, net.first(), (1, 1, 1) if variant == "layer" else (1, 1)


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    if row.block:
        net, state, shape = stream(row, variant)
        x, held, steps = torch.full(shape, .5), [state], 64

        def run():
            with torch.inference_mode():
                for _ in range(steps):
                    _, held[0] = net(x, held[0])
        return run, steps

    class Deep(nn.Module):
        def __init__(self):
            super().__init__()
            self.recurrent = getattr(nn, row.cell)(FEATURES, UNITS, LAYERS, batch_first=variant == "eager")
            self.linear = nn.Linear(UNITS, CLASSES)

        def forward(self, x):
            y = self.recurrent(x)[0]
            return self.linear(y[:, -1] if variant == "eager" else y[-1])

    net, steps = Deep(), DATA_ROWS // BATCH
    along = 0 if variant == "eager" else 1
    x, y = torch.randn((DATA_ROWS, TIME, FEATURES) if along == 0 else (TIME, DATA_ROWS, FEATURES)), torch.randint(CLASSES, (DATA_ROWS,))
    optimizer = torch.optim.SGD(net.parameters(), lr=.01, fused=True)

    def train():
        losses = []
        for chosen in torch.randperm(DATA_ROWS).split(BATCH):
            optimizer.zero_grad(set_to_none=True)
            loss = F.cross_entropy(net(x.index_select(along, chosen)), y[chosen])
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean())
    return train, steps


def outputs(row, variant, signal):
    net, state, shape = stream(row, variant)
    given = []
    with torch.inference_mode():
        for x in torch.tensor(signal):
            y, state = net(x.reshape(shape), state)
            given.append(float(y))
    return given
