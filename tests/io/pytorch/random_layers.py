# SPDX-License-Identifier: MIT
"""Random layers of PyTorch, and how a forward() calls them, for random_pytorch.py."""

from torch import nn

ANY = (
    lambda c: nn.ReLU(inplace=c(True, False)),
    lambda c: nn.Tanh(),
    lambda c: nn.GELU(c("none", "tanh")),
    lambda c: nn.LeakyReLU(c(0.1, -0.2)),
    lambda c: nn.ELU(c(1.0, 0.5)),
    lambda c: nn.Softplus(c(1, 2), c(20, 1)),
    lambda c: nn.Hardtanh(-0.5, 0.75),
    lambda c: nn.ReLU6(),
    lambda c: nn.Softmax(c(1, -1, 0, None, 2)),
    lambda c: nn.LogSoftmax(1),
    lambda c: nn.Dropout(c(0.5, 0.0, 1.0)),
    lambda c: nn.PReLU(c(1, 1, 3)),
    lambda c: nn.Identity(),
    lambda c: nn.Flatten(c(1, 1, 0, 2)),
    lambda c: nn.Sequential(nn.SiLU(), nn.Hardswish()),
    lambda c: nn.GLU(c(1, -1)),
    lambda c: c(nn.SELU, nn.Mish, nn.Softsign, nn.Sigmoid, nn.Hardsigmoid, nn.Softmin, nn.LogSigmoid)(),
)


def of_image(c, channels, sizes):
    groups, kernel = c(1, 1, 1, channels), c(1, 2, 3, (1, 3), (2, 1))
    return c(
        lambda: nn.Conv2d(
            channels,
            2 * groups,
            kernel,
            c(1, 2),
            c(0, 1, "same", "valid"),
            c(1, 2),
            groups,
            c(True, False),
            c("zeros", "zeros", "zeros", "reflect"),
        ),
        lambda: nn.ConvTranspose2d(
            channels, 2 * groups, kernel, c(1, 2), c(0, 1), c(0, 1), groups, c(True, False), c(1, 2)
        ),
        lambda: nn.MaxPool2d(kernel, c(None, 1, 2), c(0, 0, 1), c(1, 1, 2), False, c(False, False, True)),
        lambda: nn.AvgPool2d(kernel, c(None, 1, 2), c(0, 0, 1), c(False, True), c(True, True, False)),
        lambda: c(nn.AdaptiveAvgPool2d, nn.AdaptiveMaxPool2d)(c(1, 2, (3, 1), (None, 2))),
        lambda: nn.BatchNorm2d(
            channels,
            eps=c(1e-5, 0.01),
            momentum=c(0.1, 0.2, None),
            affine=c(True, False),
            track_running_stats=c(True, True, False),
        ),
        lambda: nn.InstanceNorm2d(channels, affine=c(True, False), track_running_stats=c(False, False, True)),
        lambda: nn.GroupNorm(c(1, channels), channels, affine=c(True, False)),
        lambda: nn.LayerNorm(c(sizes, sizes[1:], [channels, *sizes])),
        lambda: nn.Upsample(scale_factor=c(2, 1.5, (2, 3)), mode=c("nearest", "bilinear", "bicubic")),
        lambda: c(nn.ZeroPad2d, nn.ReflectionPad2d, nn.ReplicationPad2d, nn.CircularPad2d)(c(1, (1, 0, 0, 2))),
        lambda: nn.PixelShuffle(c(1, 2)),
        lambda: nn.PixelUnshuffle(2),
        lambda: nn.Dropout2d(),
        lambda: nn.Linear(sizes[-1], 3),
        lambda: nn.LocalResponseNorm(2),
        lambda: nn.Softmax2d(),
        lambda: nn.Unflatten(1, (1, channels)),
    )()


def of_series(c, channels, length):
    groups = c(1, 1, 1, channels)
    return c(
        lambda: nn.Conv1d(
            channels,
            3 * groups,
            c(1, 2, 3),
            c(1, 2),
            c(0, 1, "same"),
            c(1, 2),
            groups,
            c(True, False),
            c("zeros", "zeros", "circular"),
        ),
        lambda: nn.ConvTranspose1d(channels, 2, 3),
        lambda: nn.MaxPool1d(
            c(1, 2, 3), c(None, 1), c(0, 0, 1), c(1, 1, 2), c(False, False, True), c(False, False, False, True)
        ),
        lambda: nn.AvgPool1d(c(1, 2, 3), c(None, 1), c(0, 0, 1), c(False, True), c(True, False)),
        lambda: c(nn.AdaptiveAvgPool1d, nn.AdaptiveMaxPool1d)(c(1, 2, length)),
        lambda: nn.BatchNorm1d(channels, affine=c(True, False)),
        lambda: nn.InstanceNorm1d(channels, affine=c(True, False)),
        lambda: nn.GroupNorm(c(1, channels), channels),
        lambda: nn.LayerNorm(c(length, (channels, length)), bias=c(True, False)),
        lambda: nn.RMSNorm(c(length, (channels, length)), c(None, 0.01)),
        lambda: nn.Linear(length, c(2, 3), c(True, False)),
        lambda: nn.LSTM(
            length, 2, c(1, 2), c(True, False), c(True, True, False), bidirectional=c(True, False), proj_size=c(0, 0, 1)
        ),
        lambda: nn.GRU(
            length, 2, c(1, 2), c(True, False), c(True, True, False), dropout=c(0, 0.5), bidirectional=c(True, False)
        ),
        lambda: nn.RNN(length, 2, nonlinearity=c("tanh", "relu"), batch_first=True),
        lambda: nn.MultiheadAttention(length, c(1, 2), bias=c(True, False), batch_first=c(True, True, False)),
        lambda: nn.Upsample(scale_factor=2, mode=c("nearest", "linear"), align_corners=c(None, True)),
        lambda: nn.TransformerEncoderLayer(
            length, c(1, 2), 3, c(0, 0.1), c("relu", "gelu"), batch_first=True, norm_first=c(True, False)
        ),
        lambda: nn.ReflectionPad1d(c(1, (0, 1))),
        lambda: nn.Transformer(length, 1, 1, 1, 3, batch_first=True),
        lambda: nn.Bilinear(length, length, 2),
    )()


def of_row(c, size):
    return c(
        lambda: nn.Linear(size, c(1, 3, size), c(True, False)),
        lambda: nn.Linear(size, 4),
        lambda: nn.BatchNorm1d(size, eps=c(1e-5, 0.5)),
        lambda: nn.LayerNorm(size, c(1e-5, 0.1), c(True, False)),
        lambda: nn.RMSNorm(size),
        lambda: nn.GroupNorm(1, size),
        lambda: nn.Unflatten(1, (size, 1)),
        lambda: nn.Embedding(9, 3, padding_idx=c(None, 0)),
        lambda: nn.LSTMCell(size, 2),
        lambda: nn.GRUCell(size, 2),
        lambda: nn.EmbeddingBag(9, 2),
        lambda: nn.Sequential(nn.Linear(size, 5), nn.Tanh(), nn.Linear(5, size)),
    )()


def call_of(c, layer, x):
    """How a forward() calls LAYER with the value `x`."""
    if isinstance(layer, (nn.LSTM, nn.GRU, nn.RNN)):
        h = "[1][0]" if isinstance(layer, nn.LSTM) else "[1]"
        return c(
            f"LAYER({x})[0]",
            f"LAYER({x})[0]",
            f"LAYER({x})[0][:, -1]",
            f"LAYER({x}){h}[-1]",
            f"torch.cat([LAYER({x}){h}[-2], LAYER({x}){h}[-1]], 1)",
            f"LAYER({x})[0][:, 0]",
            f"LAYER({x}){h}",
            f"LAYER({x})",
        )
    if isinstance(layer, nn.MultiheadAttention):
        return c(
            f"LAYER({x}, {x}, {x})[0]",
            f"LAYER({x}, {x}, {x}, need_weights=False)[0]",
            f"LAYER({x}, {x}, value={x})[0]",
            f"LAYER({x}, {x} * 2, {x})[0]",
            f"LAYER({x}, {x}, {x})[1]",
            f"LAYER({x})",
        )
    if isinstance(layer, nn.Embedding):
        return c(
            f"LAYER({x}.long())",
            f"LAYER({x}.abs().long())",
            f"LAYER({x}[:, 0].long())",
            f"LAYER({x}[:, :1].long()).squeeze(1)",
            f"LAYER({x})",
        )
    if isinstance(layer, nn.LSTMCell):
        return c(
            f"LAYER({x})[0]", f"LAYER({x}, ({x}[:, :2], {x}[:, :2]))[0]", f"LAYER({x}, ({x}[:, :2], {x}[:, :2]))[1]"
        )
    if isinstance(layer, nn.GRUCell):
        return c(f"LAYER({x})", f"LAYER({x}, {x}[:, :2])", f"LAYER({x}, hx={x}[:, :2])")
    if isinstance(layer, (nn.Bilinear, nn.Transformer)):
        return f"LAYER({x}, {x})"
    return c(*[f"LAYER({x})"] * 9, f"LAYER(input={x})", f"LAYER({x}) + {x}")


def layer_for(random, shape, x):
    """A layer that may take a value of this shape, and a call of it; None, None if PyTorch does not make it."""

    def c(*choices):
        return random.choice(choices)

    try:
        if random.random() < 0.3 or len(shape) not in (1, 2, 3):
            layer = c(*ANY)(c)
        else:
            layer = {1: of_row, 2: of_series}.get(len(shape), lambda c, n, *sizes: of_image(c, n, sizes))(c, *shape)
    except (RuntimeError, TypeError, ValueError, AssertionError, ZeroDivisionError):
        return None, None
    for name, buffer in layer.named_buffers():  # as after a training
        if name.endswith(("running_mean", "running_var")):
            buffer.uniform_(0.5, 1.5)
    return layer, call_of(c, layer, x)
