# SPDX-License-Identifier: MIT
"""Faults of from_pytorch.py for planted_faults.py: the tool, a line, the line with the fault, and a model that it
makes wrong, with the sizes of a sample."""

import torch
from torch import nn
from torch.nn import functional as F


class Written(nn.Module):
    def __init__(self, function, **layers):
        super().__init__()
        self.function = function
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x):
        return self.function(self, x)


def last_of_both(self, x):
    h = self.rnn(x)[1]
    return torch.cat([h[-2], h[-1]], 1)


torch.manual_seed(3)
THREE = nn.Sequential(nn.Conv1d(2, 3, 2, stride=2), nn.Tanh(), nn.BatchNorm1d(3, eps=0.1).eval())
IN_PLACE = Written(lambda self, x: x + self.layer(F.relu(x, inplace=True)), layer=nn.Linear(4, 4))
TWICE = Written(lambda self, x: self.layer(torch.tanh(self.layer(x))), layer=nn.Linear(4, 4))
FAULTS = [
    (
        "from_pytorch",
        'return spelled("Epsilon", number(layer.eps)) if layer.eps != default else None',
        "return None",
        THREE,
        (2, 6),
    ),
    (
        "from_pytorch",
        'spelled("LeakyReLU", number(layer.negative_slope))',
        '"LeakyReLU<0.01>"',
        nn.Sequential(nn.LeakyReLU(0.2), nn.Identity()),
        (4,),
    ),
    (
        "from_pytorch",
        'nn.ELU: lambda layer, *_: spelled("ELU", number(layer.alpha))',
        'nn.ELU: lambda layer, *_: "ELU<1.0>"',
        nn.Sequential(nn.ELU(0.5)),
        (4,),
    ),
    (
        "from_pytorch",
        "nn.Softplus: lambda layer, *_: softplus(layer)",
        'nn.Softplus: lambda layer, *_: "Softplus<1.0, 20.0>"',
        nn.Sequential(nn.Softplus(2)),
        (4,),
    ),
    (
        "from_pytorch",
        'else spelled(f"{name}Along", layer.dim)',
        'else spelled(f"{name}Along", -1)',
        nn.Sequential(nn.Softmax(1)),
        (3, 4),
    ),
    (
        "from_pytorch",
        '"GELUTanh" if layer.approximate == "tanh" else "GELU"',
        '"GELU"',
        nn.Sequential(nn.GELU("tanh")),
        (4,),
    ),
    (
        "from_pytorch",
        '"Path<Slice<0, {out[0]}>>", f"Path<Slice<{out[0]}, {out[0]}>, Sigmoid>"',
        '"Path<Slice<0, {out[0]}>, Sigmoid>", f"Path<Slice<{out[0]}, {out[0]}>>"',
        nn.Sequential(nn.GLU(1)),
        (4,),
    ),
    (
        "from_pytorch",
        '"Bidirectional" if layer.bidirectional else None,',
        '"Bidirectional" if layer.bidirectional else None, "NoBias",',
        Written(last_of_both, rnn=nn.GRU(3, 2, batch_first=True, bidirectional=True)),
        (4, 3),
    ),
    (
        "from_pytorch",
        'spelled("NumLayers", layer.num_layers) if layer.num_layers > 1 else None,',
        "None,",
        Written(lambda self, x: self.rnn(x)[0], rnn=nn.LSTM(3, 2, 2, batch_first=True)),
        (4, 3),
    ),
    (
        "from_pytorch",
        '"NormFirst" if layer.norm_first else None',
        "None",
        nn.Sequential(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, norm_first=True)),
        (3, 4),
    ),
    (
        "from_pytorch",
        '"WithActivation<GELU>" if gelu else None',
        "None",
        nn.Sequential(nn.TransformerEncoderLayer(4, 2, 6, batch_first=True, activation="gelu")),
        (3, 4),
    ),
    (
        "from_pytorch",
        '{"subtracts": negative, "divides": inverse}',
        '{"divides": inverse}',
        Written(lambda self, x: x - torch.tanh(x)),
        (4,),
    ),
    (
        "from_pytorch",
        '"subtracts": negative, "divides": inverse}',
        '"subtracts": negative}',
        Written(lambda self, x: torch.tanh(x) / (x * x + 1)),
        (4,),
    ),
    (
        "from_pytorch",
        'number if kind == "adds" else -number',
        "number",
        Written(lambda self, x: torch.tanh(x) - 0.25),
        (4,),
    ),
    (
        "from_pytorch",
        "scale * earlier_scale, scale * earlier_shift + shift",
        "scale * earlier_scale, earlier_shift + shift",
        Written(lambda self, x: torch.tanh((x + 0.5) * 3)),
        (4,),
    ),
    (
        "from_pytorch",
        "first = sum(part[dim] for part in parts[:at])",
        "first = 0",
        Written(lambda self, x: x.chunk(2, 1)[1]),
        (4,),
    ),
    (
        "from_pytorch",
        'torch.amax: ("Max", "dim")',
        'torch.amax: ("Min", "dim")',
        Written(lambda self, x: torch.amax(x, 2)),
        (3, 4),
    ),
    (
        "from_pytorch",
        "dims = [dim % rank for dim in dims]",
        "dims = [1 for dim in dims]",
        Written(lambda self, x: x.mean(2)),
        (3, 3),
    ),
    (
        "from_pytorch",
        "exponent = -0.5 if node.target in",
        "exponent = 0.5 if node.target in",
        Written(lambda self, x: torch.rsqrt(x * x + 1)),
        (4,),
    ),
    ("from_pytorch", '(0, 6): "ReLU6"', '(0, 1): "ReLU6"', Written(lambda self, x: x.clamp(0, 1)), (4,)),
    ("from_pytorch", "F.silu: nn.SiLU", "F.silu: nn.Sigmoid", Written(lambda self, x: F.silu(x)), (4,)),
    (
        "from_pytorch",
        'nn.AvgPool1d: lambda layer, *_: pool(layer, "AvgPool1d"',
        'nn.AvgPool1d: lambda layer, *_: pool(layer, "MaxPool1d"',
        nn.Sequential(nn.AvgPool1d(2)),
        (2, 6),
    ),
    (
        "from_pytorch",
        '"AlignCorners" if layer.align_corners else None',
        "None",
        nn.Sequential(nn.Upsample(scale_factor=2, mode="linear", align_corners=True)),
        (2, 5),
    ),
    (
        "graph_builder",
        'return negative(reduced(negative(source), dims, "Max", described))',
        'return negative(reduced(source, dims, "Max", described))',
        Written(lambda self, x: torch.amin(x, 1)),
        (3, 4),
    ),
    ("layer_graph", 'name += "0."', 'name += "1."', TWICE, (4,)),
    (
        "layer_graph",
        "self.weights[name + key] = tensor",
        'self.weights[name + key.replace("bias_hh", "bias_ih")] = tensor',
        Written(lambda self, x: self.rnn(x)[0], rnn=nn.RNN(3, 2, batch_first=True)),
        (4, 3),
    ),
]
