# SPDX-License-Identifier: MIT
"""What `compare` compares: networks, as lists of layers that each peer builds in its own words, and rows of the table.

Needs nothing but Python.  A shape is (features,), (steps, features) or (channels, height, width).
"""
import dataclasses
import math


def perceptron(widths, between="relu"):
    layers = []
    for i, width in enumerate(widths[1:]):
        layers += ([(between,)] if i else []) + [("linear", width)]
    return (widths[0],), layers


def disc(n):
    return perceptron([2] + [2 ** k for k in range(2, n + 1)] + [2])


def conv(channels, kernel, stride=1, padding=0, bias=True):
    return "conv", channels, kernel, stride, padding, bias


def convt(channels, kernel, stride, padding):
    return "convt", channels, kernel, stride, padding


def separable(channels, stride):
    return [("depthwise", 3, stride, 1), ("batchnorm",), RELU, conv(channels, 1, bias=False), ("batchnorm",), RELU]


def block(channels, stride):
    def plain(kernel, stride):
        return [conv(channels, kernel, stride, kernel // 2, bias=False), ("batchnorm",)]
    return [("residual", plain(3, stride) + [("relu",)] + plain(3, 1), plain(1, stride) if stride > 1 else []), ("relu",)]


RELU, FLAT, POOL = ("relu",), ("flatten",), ("maxpool", 2)

# As in bench/support/networks.hpp and w1.hpp.
NETWORKS = {
    "W1": ((1, 28, 28), [conv(10, 5), POOL, RELU, conv(20, 5), ("dropout2d", .5), POOL, RELU, FLAT, ("linear", 50), RELU, ("dropout", .5),
                         ("linear", 10), ("logsoftmax",)]),
    **{f"disc-{n}": disc(n) for n in (2, 4, 6, 8, 10, 12)},
    "1024-100-10": perceptron([1024, 100, 10]),
    "gray-cnn": ((1, 32, 32), [conv(16, 3), POOL, RELU, conv(32, 2), POOL, RELU, conv(64, 2), POOL, RELU, FLAT, ("linear", 200), RELU,
                               ("linear", 10)]),
    "256-64-64-10": perceptron([256, 64, 64, 10]),
    "17-64-64-6": perceptron([17, 64, 64, 6], "tanh"),
    "4-64-64-2": perceptron([4, 64, 64, 2]),
    "784-1024-1024-10": perceptron([784, 1024, 1024, 10]),
    "13-40-20-5": ((13,), [("linear", 40), ("tanh",), ("linear", 20), ("sigmoid",), ("linear", 5)]),
    "lenet-5": ((1, 28, 28), [conv(6, 5, padding=2), ("tanh",), ("avgpool", 2), conv(16, 5), ("tanh",), ("avgpool", 2), FLAT, ("linear", 120),
                              ("tanh",), ("linear", 84), ("tanh",), ("linear", 10)]),
    "vgg": ((3, 32, 32), [conv(32, 3, padding=1), RELU, conv(32, 3, padding=1), RELU, POOL, conv(64, 3, padding=1), RELU,
                          conv(64, 3, padding=1), RELU, POOL, FLAT, ("linear", 256), RELU, ("linear", 10)]),
    "resnet-8": ((3, 32, 32), [conv(16, 3, padding=1, bias=False), ("batchnorm",), RELU, *block(16, 1), *block(32, 2), *block(64, 2),
                               ("avgpool", 8), FLAT, ("linear", 10)]),
    "mobile": ((3, 32, 32), [conv(16, 3, padding=1, bias=False), ("batchnorm",), RELU, *separable(32, 2), *separable(64, 2), *separable(64, 1),
                             *separable(128, 2), ("avgpool", 4), FLAT, ("linear", 10)]),
    "decoder": ((64,), [("linear", 64 * 7 * 7), RELU, ("unflatten", 64, 7, 7), convt(32, 4, 2, 1), RELU, convt(1, 4, 2, 1), FLAT]),
    "encoder": ((32, 64), [("encoder", 4, 128), FLAT]),
    "patches": ((3, 64, 64), [conv(64, 8, 8)]),
}


def shape_after(layer, shape):
    """The shape that a layer makes of one."""
    kind = layer[0]
    if kind == "linear":
        return (layer[1],)
    if kind == "flatten":
        return (math.prod(shape),)
    if kind == "conv":
        _, channels, kernel, stride, padding, _ = layer
        return channels, *((n + 2 * padding - kernel) // stride + 1 for n in shape[1:])
    if kind == "depthwise":
        return shape_after(conv(shape[0], *layer[1:]), shape)
    if kind == "convt":
        _, channels, kernel, stride, padding = layer
        return channels, *((n - 1) * stride - 2 * padding + kernel for n in shape[1:])
    if kind == "unflatten":
        return layer[1:]
    if kind in ("maxpool", "avgpool"):
        return shape[0], shape[1] // layer[1], shape[2] // layer[1]
    if kind == "residual":
        return through(layer[1], shape)
    return shape


def through(layers, shape):
    for layer in layers:
        shape = shape_after(layer, shape)
    return shape


def flops(layers, shape):
    """Of a forward pass of one sample."""
    total = 0
    for layer in layers:
        out = shape_after(layer, shape)
        if layer[0] == "linear":
            total += 2 * shape[0] * out[0]
        elif layer[0] == "conv":
            total += 2 * out[0] * out[1] * out[2] * shape[0] * layer[2] ** 2
        elif layer[0] == "depthwise":
            total += 2 * out[0] * out[1] * out[2] * layer[1] ** 2
        elif layer[0] == "convt":
            total += 2 * shape[0] * shape[1] * shape[2] * out[0] * layer[2] ** 2
        elif layer[0] == "encoder":  # attention's linear layers, its two products, the layers after it
            steps, size = shape
            total += 2 * steps * (4 * size ** 2 + 2 * steps * size + 2 * size * layer[2])
        elif layer[0] == "residual":
            total += flops(layer[1], shape) + flops(layer[2], shape)
        shape = out
    return total


@dataclasses.dataclass(frozen=True)
class Row:
    network: str
    batch: int
    optimizer: tuple = ()  # ("sgd", rate, momentum, Nesterov's) or ("adam", rate); none: inference
    loss: str = "ce"       # "ce", "nll", "mse"

    @property
    def trains(self):
        return bool(self.optimizer)

    @property
    def name(self):
        adam = "/adam" if self.trains and self.optimizer[0] == "adam" else ""
        return f"{self.network}{adam} {'train' if self.trains else 'infer'} batch {self.batch}"

    @property
    def shape(self):
        return NETWORKS[self.network][0]

    @property
    def layers(self):
        return NETWORKS[self.network][1]

    @property
    def outputs(self):
        return through(self.layers, self.shape)[0]

    @property
    def data_rows(self):
        """Of the data that a peer has: as many as ours."""
        return 60000 if self.network == "W1" else max(4096 // self.batch, 1) * self.batch

    @property
    def steps(self):
        """Of a pass that a peer times: up to an epoch, and a few where a step is long; or calls of an inference."""
        one = flops(self.layers, self.shape) * self.batch
        if not self.trains:
            return max(1, min(64, int(1e9 / one)))
        return max(1, min(self.data_rows // self.batch, max(2, int(1e9 / one)), 4096))


SGD, ADAM = ("sgd", .01, 0, False), ("adam", .001)


def training(network, batches, optimizer=SGD, loss="ce"):
    return [Row(network, batch, optimizer, loss) for batch in batches]


ROWS = [
    *training("W1", (200, 50, 1), ("sgd", .01, .5, False), "nll"),
    *(row for n in (2, 4, 6, 8, 10, 12) for row in training(f"disc-{n}", [100])),
    *training("1024-100-10", [128], ("sgd", .01, .9, True)),
    *training("gray-cnn", [128], ("sgd", .015, .9, True)),
    *training("256-64-64-10", (8, 32, 64)),
    *training("256-64-64-10", (8, 32, 64), ADAM),
    *training("17-64-64-6", [256], ADAM, "mse"),
    *training("784-1024-1024-10", [128]),
    *training("784-1024-1024-10", [128], ADAM),
    *training("13-40-20-5", [37]),
    *training("lenet-5", [64]),
    *training("vgg", [64]),
    *training("resnet-8", [128]),
    *training("mobile", [64]),
    *training("decoder", [64], loss="mse"),
    *training("encoder", [64], loss="mse"),
    *(Row(network, batch) for network in ("W1", "784-1024-1024-10", "vgg", "resnet-8", "4-64-64-2", "17-64-64-6", "256-64-64-10", "lenet-5",
                                    "mobile", "decoder", "encoder", "patches")
      for batch in (1, 64, 800)),
]


def program(row, threads):
    """The program of ours that measures a row, and the name of its benchmark there."""
    if not row.trains:  # a single row by weights packed for it
        return "networks", f"{row.network}/{'packed' if row.batch == 1 else 'forward'}/batch:{row.batch}/real_time"
    if row.network == "W1":
        return "w1", f"fit/W1/batch:{row.batch}/threads:{threads}"
    adam = "/adam" if row.optimizer[0] == "adam" else ""
    return "networks", f"{row.network}{adam}/train/batch:{row.batch}/threads:{threads}/manual_time"
