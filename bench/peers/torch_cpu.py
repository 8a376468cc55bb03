# SPDX-License-Identifier: MIT
"""The rows of `compare` in PyTorch: eager, channels last, compiled; training with its fused optimizer."""
import torch
from torch import nn
from torch.nn import functional as F

from rows import ROWS, shape_after  # noqa: F401


def version():
    return f"PyTorch {torch.__version__}"


def use_threads(threads):
    torch.set_num_threads(threads)


class Residual(nn.Module):
    def __init__(self, path, shortcut):
        super().__init__()
        self.path, self.shortcut = path, shortcut

    def forward(self, x):
        return self.path(x) + self.shortcut(x)


def build(layers, shape):
    modules = []
    for layer in layers:
        kind = layer[0]
        if kind == "conv":
            _, channels, kernel, stride, padding, bias = layer
            modules.append(nn.Conv2d(shape[0], channels, kernel, stride, padding, bias=bias))
        elif kind == "depthwise":
            modules.append(nn.Conv2d(shape[0], shape[0], *layer[1:], groups=shape[0], bias=False))
        elif kind == "convt":
            modules.append(nn.ConvTranspose2d(shape[0], *layer[1:]))
        elif kind == "unflatten":
            modules.append(nn.Unflatten(1, layer[1:]))
        elif kind == "encoder":
            modules.append(nn.TransformerEncoderLayer(shape[1], *layer[1:], dropout=0, batch_first=True))
        elif kind == "linear":
            modules.append(nn.Linear(shape[0], layer[1]))
        elif kind == "residual":
            modules.append(Residual(build(layer[1], shape), build(layer[2], shape)))
        elif kind == "batchnorm":
            modules.append(nn.BatchNorm2d(shape[0]))
        else:
            simple = {"relu": nn.ReLU, "tanh": nn.Tanh, "sigmoid": nn.Sigmoid, "flatten": nn.Flatten, "maxpool": nn.MaxPool2d, "avgpool": nn.AvgPool2d,
                      "dropout": nn.Dropout, "dropout2d": nn.Dropout2d, "logsoftmax": lambda: nn.LogSoftmax(1)}
            modules.append(simple[kind](*layer[1:]))
        shape = shape_after(layer, shape)
    return nn.Sequential(*modules)


def variants(row):
    images = len(row.shape) == 3
    return ["eager", *(["channels last"] if images else []), "compiled"]


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    torch.manual_seed(1)
    images = len(row.shape) == 3
    layout = torch.channels_last if images and variant != "eager" else torch.contiguous_format
    net = build(row.layers, row.shape).to(memory_format=layout)
    run = torch.compile(net) if variant == "compiled" else net
    if not row.trains:
        net.eval()
        x = torch.randn(row.batch, *row.shape).to(memory_format=layout)

        def infer():
            with torch.inference_mode():
                for _ in range(row.steps):
                    run(x)
        return infer, row.steps

    rows, steps = row.data_rows, row.steps
    bytes_in = row.network == "W1"
    x = torch.randint(256, (rows, *row.shape), dtype=torch.uint8) if bytes_in else torch.randn(rows, *row.shape).to(memory_format=layout)
    y = torch.randn(rows, row.outputs) if row.loss == "mse" else torch.randint(row.outputs, (rows,))
    loss_of = {"ce": F.cross_entropy, "nll": F.nll_loss, "mse": F.mse_loss}[row.loss]
    if row.optimizer[0] == "adam":
        optimizer = torch.optim.Adam(net.parameters(), lr=row.optimizer[1], fused=True)
    else:
        _, rate, momentum, nesterov = row.optimizer
        optimizer = torch.optim.SGD(net.parameters(), lr=rate, momentum=momentum, nesterov=nesterov, fused=True)

    def train():
        losses = []
        for chosen in torch.randint(rows, (steps * row.batch,)).split(row.batch):
            batch = x[chosen]
            if bytes_in:
                batch = batch.float().mul_(1 / (255 * .3081)).sub_(.1307 / .3081).contiguous(memory_format=layout)
            optimizer.zero_grad(set_to_none=True)
            loss = loss_of(run(batch), y[chosen])
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        return float(torch.stack(losses).mean())
    return train, steps
