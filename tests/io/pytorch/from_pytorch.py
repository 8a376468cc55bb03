#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_pytorch.py CXX FOLDER: what tools/from_pytorch.py makes of models of PyTorch's, compiled and run.

Each model becomes a header and weights; one program has all of them, loads the weights (whose self-test is replayed) and
gives what PyTorch gives for other rows. Then the models that sinter has no layers for, each refused by name.
"""
import pathlib
import struct
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import converted  # noqa: E402
import from_pytorch  # noqa: E402
import torch  # noqa: E402
from converted import check  # noqa: E402
from torch import nn  # noqa: E402
from torch.nn import functional as F  # noqa: E402


class Digits(nn.Module):
    """As the examples of PyTorch write it: layers with names, functions between them."""

    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 4, 5)
        self.conv2 = nn.Conv2d(4, 6, 3, bias=False)
        self.drop = nn.Dropout2d()
        self.fc1 = nn.Linear(54, 16)
        self.fc2 = nn.Linear(16, 10)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = torch.tanh(self.drop(self.conv2(x)))
        x = F.avg_pool2d(x, kernel_size=2, stride=2).view(-1, 54)
        x = F.dropout(F.leaky_relu(self.fc1(x), 0.2), 0.3, training=self.training)
        return F.log_softmax(self.fc2(x), dim=1)


class Block(nn.Module):
    def __init__(self, inputs, outputs, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(inputs, outputs, 3, stride, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(outputs, momentum=0.2)
        self.conv2 = nn.Conv2d(outputs, outputs, 3, 1, "same", bias=False)
        self.bn2 = nn.BatchNorm2d(outputs)
        self.down = nn.Sequential(nn.Conv2d(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs)) if stride != 1 else nn.Identity()

    def forward(self, x):
        y = self.bn2(self.conv2(self.bn1(self.conv1(x)).relu()))
        y += self.down(x)
        return y.relu()


class Branches(nn.Module):
    def __init__(self):
        super().__init__()
        self.start, self.one, self.two = nn.Conv2d(2, 4, 3, padding=1), nn.Conv2d(4, 3, 1), nn.Conv2d(4, 2, 3, padding=1)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(119, 5))

    def forward(self, x):
        x = self.start(x)
        x = torch.cat([self.one(x), torch.sigmoid(self.two(x)), x, torch.tanh(x), x.relu()], dim=1)
        return self.head(F.adaptive_avg_pool2d(x, (7, 1)))


class Siamese(nn.Module):
    """The same layers on two channels, one behind the other in the names of others; an activation in several places."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.relu = nn.Conv2d(1, 3, 3, padding=1), nn.BatchNorm2d(3), nn.ReLU()
        self.tower = nn.Sequential(self.conv, self.norm, self.relu, nn.MaxPool2d(2), nn.Flatten())
        self.end = nn.Linear(72, 4)

    def forward(self, x):
        y = torch.cat([self.tower(x[:, :1]), self.tower(x[:, 1:])], 1)
        return self.relu(self.end(self.relu(y)))


class Again(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x):
        return self.layer(torch.relu(self.layer(x)))


class TwoHeads(nn.Module):
    def __init__(self):
        super().__init__()
        self.body, self.classes, self.place = nn.Linear(6, 8), nn.Linear(8, 3), nn.Sequential(nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 2))

    def forward(self, x):
        y = torch.relu(self.body(x))
        return {"classes": F.log_softmax(self.classes(y), 1), "place": self.place(y), "body": y}


class Mixed(nn.Module):
    """Indices and numbers in one row."""

    def __init__(self):
        super().__init__()
        self.words, self.out = nn.Embedding(7, 3), nn.Linear(8, 4)

    def forward(self, x):
        return self.out(torch.cat([self.words(x[:, :2].long()).flatten(1), torch.narrow(x, 1, 2, 2)], 1))


class Parts(nn.Module):
    def forward(self, x):
        a, b, c = x.chunk(3, dim=1)
        d, e = torch.split(c, [1, 2], 1)
        return torch.cat([torch.tanh(b), a, e, d, x[:, -2:, :], x], 1)


class Gates(nn.Module):
    """Of WaveNet; of squeeze-and-excitation; a square."""

    def __init__(self):
        super().__init__()
        self.filter, self.gate = nn.Conv1d(2, 4, 3, padding=1), nn.Conv1d(2, 4, 3, padding=1)
        self.squeeze, self.excite = nn.Conv1d(4, 2, 1), nn.Conv1d(2, 4, 1)
        self.image, self.wide = nn.Conv2d(4, 4, 1), nn.Linear(32, 12)

    def forward(self, x):
        x = torch.tanh(self.filter(x)) * torch.sigmoid(self.gate(x))
        x = x.mul(torch.sigmoid(self.excite(F.relu(self.squeeze(F.adaptive_avg_pool1d(x, 1))))))
        x = x.reshape(-1, 4, 4, 2)
        x = torch.sigmoid(self.image(F.adaptive_avg_pool2d(x, (1, 1)))) * x
        a, b = F.glu(self.wide(x.flatten(1)), dim=1).chunk(2, 1)
        y = a * torch.sigmoid(b) + torch.square(b).exp().sqrt().log().abs()
        y *= y
        return y


class Images(nn.Module):
    def forward(self, x):
        return torch.tanh(x), torch.relu(x)


class Crossed(nn.Module):
    """A value inside of a branch that is read outside of it, too."""

    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Linear(4, 4)

    def forward(self, x):
        y = self.a(x)
        z = self.b(y)
        return (x + z) + (y + z)


class Skips(nn.Module):
    """Dense connections, in images of two sizes; outputs that are read further; a layer twice among them."""

    def __init__(self):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(2, 3, 3, padding=1), nn.Conv2d(5, 3, 3, padding=1), nn.Conv2d(6, 3, 1)
        self.d, self.e = nn.Conv2d(3, 2, 2, stride=2), nn.Linear(12, 3)

    def forward(self, x):
        a = torch.relu(self.a(x))
        b = torch.tanh(self.b(torch.cat([x, a], 1)))
        c = torch.sigmoid(self.c(torch.cat([a, b], 1))) * a
        d = self.d(c) + self.d(b)
        return b, self.e(d.flatten(1)), torch.cat([d, d], 1), c


# The model, the sizes of a sample, and what the header must say.
MODELS = {
    "Digits": (Digits, (1, 22, 22), "LeakyReLU<0.2>, sinter::Dropout<0.3>"),
    "Blocks": (lambda: nn.Sequential(Block(4, 4, 1), Block(4, 6, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(6, 3)),
               (4, 8, 8), "Momentum<0.2>"),
    "Branches": (Branches, (2, 7, 5), "Concat<sinter::Path<sinter::Conv2d<3, 1>>"),
    "Options": (lambda: nn.Sequential(
        nn.Conv2d(4, 8, (3, 5), stride=(1, 2), padding=(1, 2), groups=2, dilation=(2, 1), bias=False), nn.GELU("tanh"),
        nn.GroupNorm(2, 8, eps=1e-4), nn.ELU(0.5), nn.ConvTranspose2d(8, 4, 2, 2, output_padding=1), nn.PReLU(4), nn.SiLU(),
        nn.InstanceNorm2d(4, affine=True), nn.MaxPool2d(3, 2, 1), nn.Flatten(), nn.Linear(396, 12), nn.LayerNorm(12),
        nn.Softplus(2), nn.Unflatten(1, (3, 4)), nn.Conv1d(3, 5, 2), nn.BatchNorm1d(5), nn.Hardswish(), nn.AvgPool1d(3),
        nn.Flatten(1, -1), nn.ReLU6(), nn.Hardsigmoid(), nn.Hardtanh(-0.5, 0.55), nn.Identity(), nn.Linear(5, 4), nn.PReLU(), nn.Softmax(1)), (4, 12, 16), "Kernel<3, 5>"),
    "Names": (lambda: Named(), (4,), "Linear<4>"),
    "Words": (lambda: nn.Sequential(nn.Embedding(7, 3), nn.Flatten(), nn.Linear(12, 2)), (4,), "Embedding<7, 3>"),
    "Siamese": (Siamese, (2, 8, 6), "struct Siamese_conv : sinter::Shared<sinter::Conv2d<3, 3, sinter::Padding<1>>> {};"),
    "Again": (Again, (4,), "Again_layer, sinter::ReLU, Again_layer>"),
    "TwoHeads": (TwoHeads, (6,), "Heads<sinter::Path<sinter::Linear<3>, sinter::LogSoftmax>"),
    "Mixed": (Mixed, (4,), "Path<sinter::Slice<2, 2>>"),
    "Parts": (Parts, (9, 3), "Slice<7, 2>"),
    "Gates": (Gates, (2, 8), "Product<sinter::Path<sinter::Conv1d<4, 3, sinter::Padding<1>>, sinter::Tanh>, sinter::Path<"),
    "Images": (Images, (1, 4, 4), "Heads<sinter::Path<sinter::Tanh, sinter::Flatten>"),
    "Crossed": (Crossed, (4,), "Concat<sinter::Path<>, sinter::Path<sinter::Slice<4, 4>, sinter::Linear<4>>>"),
    "Skips": (Skips, (2, 4, 6), "Slice<144, 12>, sinter::Reshape<2, 2, 3>"),
    "Half": (lambda: nn.Sequential(nn.Linear(5, 3), nn.Tanh()).to(torch.bfloat16), (5,), "Tanh"),
}


class Strided(nn.Module):
    def forward(self, x):
        return x[:, ::2]


class Rows(nn.Module):
    def forward(self, x):
        return x.narrow(2, 0, 1)


class Scaled(nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


class Uneven(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(F.max_pool2d(x, (4, 1)))


class Named(nn.Module):
    """Layers with the names of functions."""

    def __init__(self):
        super().__init__()
        self.view, self.add, self.flatten = nn.Linear(4, 4), nn.Linear(4, 4), nn.Flatten(1, 1)

    def forward(self, x):
        return self.flatten(self.add(torch.relu(self.view(x))))


class Data(nn.Module):
    def forward(self, x):
        return x if x.sum() > 0 else -x


REFUSED = [
    (nn.Sequential(nn.Linear(4, 4), nn.Mish()), (4,), "layer '1' of type Mish is not known; these are: "),
    (nn.Sequential(nn.LSTM(4, 2)), (3, 4), "layer '0' of type LSTM is not known"),
    (nn.Sequential(nn.Conv2d(1, 1, 3, padding=1, padding_mode="reflect")), (1, 4, 4), "layer '0' of type Conv2d has padding_mode='reflect'"),
    (nn.Sequential(nn.MaxPool2d(2, ceil_mode=True)), (1, 5, 5), "layer '0' of type MaxPool2d has ceil_mode=True"),
    (nn.Sequential(nn.LayerNorm(4)), (3, 4), "layer '0' of type LayerNorm has normalized_shape=(4,)"),
    (Scaled(), (4,), "function 'mul' in forward() multiplies something else than two values"),
    (Uneven(), (2, 4, 4), "function 'mul' in forward() multiplies values of the shapes (2, 1, 4) and (2, 4, 4); sinter multiplies those"),
    (Strided(), (4,), "function 'getitem' in forward() takes every channel number 2; sinter's Slice takes neighbouring ones"),
    (Rows(), (4, 3), "function 'narrow' in forward() takes dim=2; sinter's Slice takes channels, dim=1"),
    (Data(), (4,), "torch.fx cannot trace Data"),
    (nn.Sequential(nn.Linear(4, 4)), (5,), "Sequential does not take samples of the sizes (5,): "),
    (nn.Sequential(nn.Linear(4, 4)), (2, 2, 2, 4), "were given; give (features,)"),
]

def scramble(model):
    """Weights and running statistics as a training leaves them: none is 0 or 1."""
    for tensor in model.state_dict().values():
        if tensor.is_floating_point():
            tensor.copy_(torch.rand(tensor.shape) - 0.5 if tensor.min() <= 0 or tensor.dim() > 1 else torch.rand(tensor.shape) + 0.5)


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    torch.manual_seed(2)
    torch.set_num_threads(1)
    wanted, good = {}, True
    for name, (make, shape, text) in MODELS.items():
        model = make()
        with torch.no_grad():
            scramble(model)
        if name == "Words":  # by the command line
            torch.save(model, folder / "words.pt")
            subprocess.run([sys.executable, root / "tools" / "from_pytorch.py", folder / "words.pt", name,
                            "x".join(map(str, shape)), folder], check=True)
        else:
            from_pytorch.convert(model, shape, name, folder)
        good &= check(text in (folder / f"{name}.hpp").read_text().replace("\n    ", " "), f"{name}: the header says {text}")
        good &= check(model.training, f"{name}: the model is as it was")
        x = torch.randint(0, 7, (9, *shape)) if name in ("Words", "Mixed") else torch.rand(9, *shape) * 2 - 1
        with torch.no_grad():
            y = model.eval().double()(x if name == "Words" else x.double())
        parts = list(y.values()) if isinstance(y, dict) else y if isinstance(y, tuple) else [y]
        wanted[name] = torch.cat([part.reshape(9, -1) for part in parts], 1).reshape(-1)
        (folder / f"{name}.rows").write_bytes(struct.pack(f"{x.numel()}f", *x.reshape(-1).tolist()))

    for name, values in converted.outputs(cxx, root, folder, list(wanted)).items():
        given, numbers = torch.tensor(values, dtype=torch.float64), wanted[name]
        error = ((given - numbers).norm() / numbers.norm()).item()
        good &= check(error < 2e-6, f"{name}: sinter gives what PyTorch gives, relative error {error:.1e}")

    for model, shape, text in REFUSED:
        try:
            from_pytorch.convert(model, shape, "Refused", folder)
            said = "(nothing)"
        except from_pytorch.Refused as problem:
            said = str(problem)
        good &= check(text in said, f"refused: {said[:150]}")
    good &= check(not (folder / "Refused.hpp").exists(), "what is refused writes nothing")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
