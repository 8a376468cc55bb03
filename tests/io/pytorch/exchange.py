#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""exchange.py PROGRAM FOLDER: weights between sinter and PyTorch, both ways; PROGRAM is exchange.cpp.

PyTorch loads what sinter saved into the same network, strictly, and gives the same outputs; it replays the self-test in
the file's metadata, too. Then sinter loads what PyTorch saved, as numbers of four types. The other reader and writer is
the package safetensors. Arrays go to NumPy and back, too.
"""
import json
import math
import pathlib
import subprocess
import sys

import numpy as np
import safetensors
import safetensors.torch
import torch
from torch import nn

sys.path.append(str(pathlib.Path(__file__).resolve().parents[3] / "tools"))
import layer_graph  # noqa: E402


class Residual(nn.Module):
    def __init__(self, path, shortcut=None):
        super().__init__()
        self.path = path
        self.shortcut = shortcut or nn.Sequential()

    def forward(self, x):
        return self.path(x) + self.shortcut(x)


class Concat(nn.Sequential):
    def forward(self, x):
        return torch.cat([branch(x) for branch in self], 1)


class Channel(nn.Module):
    def __init__(self, number):
        super().__init__()
        self.number = number

    def forward(self, x):
        return x[:, self.number:self.number + 1]


def causal_mask(x):
    return nn.Transformer.generate_square_subsequent_mask(x.shape[1], dtype=x.dtype)


class CausalAttention(nn.MultiheadAttention):
    def forward(self, x):
        return super().forward(x, x, x, attn_mask=causal_mask(x), need_weights=False)[0]


class Rotary(nn.Module):
    """Of heads of 4 features: neighbours, turned by an angle that grows with the step."""
    def forward(self, x):
        angle = torch.arange(x.shape[1])[:, None] * torch.tensor([1., .01])
        a, b = x.unflatten(2, (-1, 2, 2)).unbind(4)
        cos, sin = torch.cos(angle)[:, None], torch.sin(angle)[:, None]
        return torch.stack((a * cos - b * sin, b * cos + a * sin), 4).reshape(x.shape)


class Positions(nn.Module):
    def __init__(self, steps, size):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(steps, size))

    def forward(self, x):
        return x + self.weight


class PositionalEncoding(nn.Module):
    def forward(self, x):
        steps, size = x.shape[1:]
        angle = torch.arange(steps)[:, None] * torch.exp(torch.arange(0, size, 2) * (-math.log(10000) / size))
        return x + torch.stack((torch.sin(angle), torch.cos(angle)), 2).reshape(steps, size)


class CausalEncoder(nn.TransformerEncoderLayer):
    def forward(self, x):
        return super().forward(x, src_mask=causal_mask(x))


class MatrixProduct(nn.Module):
    def forward(self, x):
        return .5 * torch.matmul(x.transpose(1, 2), torch.tanh(x))


def recurrent(kind, *sizes, final=False, learned=False, **options):
    class Layer(kind):
        def starts(self, start):
            return torch.stack([getattr(self, name.replace("weight_ih", start)) for name in self._parameters if "weight_ih" in name])

        def forward(self, x):
            first = [self.starts(start).unsqueeze(1).repeat(1, len(x), 1) for start in starts]
            y, state = super().forward(x, None if not learned else tuple(first) if kind is nn.LSTM else first[0])
            h = state[0] if kind is nn.LSTM else state
            return torch.cat(list(h), 1) if final else y
    layer, starts = Layer(*sizes, batch_first=True, **options), ("h_0", "c_0")[:(1 + (kind is nn.LSTM)) * learned]
    for name in [name for name in layer._parameters if "weight_ih" in name]:
        for start in starts:
            layer.register_parameter(name.replace("weight_ih", start), nn.Parameter(torch.randn(layer.hidden_size)))
    return layer


def siamese():
    tower = nn.Sequential(nn.Conv2d(1, 3, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(36, 4))
    return nn.Sequential(Concat(nn.Sequential(Channel(0), tower), nn.Sequential(Channel(1), tower)), nn.Tanh(), nn.Linear(8, 2))


def convolution(before, channels, kernel, stride=1):
    return [nn.Conv2d(before, channels, kernel, stride, padding=kernel // 2, bias=False), nn.BatchNorm2d(channels)]


def block(before, channels, stride):
    path = convolution(before, channels, 3, stride) + [nn.ReLU()] + convolution(channels, channels, 3)
    return [Residual(nn.Sequential(*path), nn.Sequential(*convolution(before, channels, 1, stride)) if stride > 1 else None), nn.ReLU()]


NETWORKS = {
    "W1": lambda: nn.Sequential(
        nn.Conv2d(1, 10, 5), nn.MaxPool2d(2), nn.ReLU(), nn.Conv2d(10, 20, 5), nn.Dropout2d(0.5), nn.MaxPool2d(2), nn.ReLU(),
        nn.Flatten(), nn.Linear(320, 50), nn.ReLU(), nn.Dropout(0.5), nn.Linear(50, 10), nn.LogSoftmax(1)),
    "W3Mlp": lambda: nn.Sequential(nn.Linear(1024, 100), nn.ReLU(), nn.Linear(100, 10)),
    "W3Cnn": lambda: nn.Sequential(
        nn.Conv2d(1, 16, 3), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 2), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(32, 64, 2), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(576, 200), nn.ReLU(), nn.Linear(200, 10)),
    "Options": lambda: nn.Sequential(
        nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(8, 8, (3, 5), stride=2, bias=False), nn.Tanh(),
        nn.Conv2d(8, 12, 3, padding=2, groups=4, dilation=(2, 1)), nn.AvgPool2d(2), nn.Flatten(),
        nn.Linear(108, 6, bias=False), nn.Sigmoid(), nn.Linear(6, 3), nn.Softmax(1)),
    "Branches": lambda: nn.Sequential(
        Residual(nn.Sequential(nn.Conv2d(2, 4, 3, padding=1), nn.ReLU()), nn.Sequential(nn.Conv2d(2, 4, 1))),
        Concat(nn.Sequential(nn.Conv2d(4, 3, 3, padding=1), nn.Tanh()), nn.Sequential(nn.MaxPool2d(3, 1, 1))), nn.Flatten(),
        Residual(nn.Sequential(nn.Linear(210, 9), nn.ReLU(), nn.Linear(9, 210))), nn.Linear(210, 4)),
    "Norms": lambda: nn.Sequential(
        nn.LayerNorm([4, 6, 5]), nn.Conv2d(4, 6, 3), nn.GroupNorm(3, 6), nn.ReLU(), nn.InstanceNorm2d(6, eps=1e-3),
        nn.GroupNorm(2, 6, affine=False), nn.Flatten(), nn.GroupNorm(4, 72), nn.Linear(72, 9), nn.LayerNorm(9, bias=False),
        nn.Linear(9, 4)),
    "SeriesNorms": lambda: nn.Sequential(nn.LayerNorm([4, 9]), nn.GroupNorm(2, 4), nn.InstanceNorm1d(4), nn.Flatten(),
                                         nn.Linear(36, 3)),
    "ResNet8": lambda: nn.Sequential(*convolution(3, 8, 3), nn.ReLU(), *block(8, 8, 1), *block(8, 16, 2), *block(16, 32, 2),
                                     nn.AvgPool2d(8), nn.Flatten(), nn.Linear(32, 10)),
    "Siamese": siamese,  # one tower in two places
    "Sentence": lambda: nn.Sequential(nn.Embedding(7, 3), nn.Flatten(), nn.Linear(12, 5), nn.ReLU(), nn.Linear(5, 2)),
    "Recurrents": lambda: nn.Sequential(
        recurrent(nn.GRU, 3, 5, num_layers=2, bidirectional=True), recurrent(nn.LSTM, 10, 4, bias=False), nn.Tanh(),
        recurrent(nn.RNN, 4, 7), recurrent(nn.LSTM, 7, 9, bidirectional=True, final=True), nn.Linear(18, 2)),
    "Projected": lambda: nn.Sequential(recurrent(nn.LSTM, 3, 7, num_layers=2, bidirectional=True, proj_size=4),
                                       recurrent(nn.LSTM, 8, 9, bias=False, final=True, proj_size=2), nn.Linear(2, 2)),
    "States": lambda: nn.Sequential(
        recurrent(nn.GRU, 3, 5, num_layers=2, bidirectional=True, learned=True), recurrent(nn.RNN, 10, 4, bias=False, learned=True),
        recurrent(nn.LSTM, 4, 7, final=True, learned=True), nn.Linear(7, 2)),
    "Attention": lambda: nn.Sequential(
        Positions(6, 8), PositionalEncoding(), Rotary(), CausalAttention(8, 2, batch_first=True), nn.TransformerEncoderLayer(8, 4, 12, batch_first=True),
        CausalEncoder(8, 2, 12, norm_first=True, activation="gelu", bias=False, batch_first=True), nn.Linear(8, 3),
        MatrixProduct(), nn.Flatten(), nn.Linear(9, 2)),
}
INPUTS = {"W1": (1, 28, 28), "W3Mlp": (1024,), "W3Cnn": (1, 32, 32), "Options": (4, 16, 12), "Branches": (2, 6, 5), "Norms": (4, 6, 5),
          "SeriesNorms": (4, 9), "Siamese": (2, 6, 8), "ResNet8": (3, 32, 32), "Sentence": (4,), "Recurrents": (6, 3), "States": (6, 3), "Projected": (6, 3),
          "Attention": (6, 8)}


def outputs(model, x, name):
    """What a network gives for rows, computed in double."""
    x = x.reshape(-1, *INPUTS[name])
    with torch.no_grad():
        return model.double().eval()(x.long() if name == "Sentence" else x.double())


def check(good, what):
    print(("ok      " if good else "WRONG   ") + what)
    return good


def near(a, b):
    return bool((a.double() - b.double()).norm() < 2e-6 * b.double().norm())


def read(folder, name):
    """What sinter saved."""
    path = folder / f"{name}.sinter.safetensors"
    state = safetensors.torch.load_file(path)
    model = NETWORKS[name]()
    if name == "Siamese":
        safetensors.torch.load_model(model, path)  # strict
    else:
        model.load_state_dict(state, strict=True)
    rows = safetensors.torch.load_file(folder / f"{name}.sinter.rows")
    good = check(near(outputs(model, rows["x"], name), rows["y"]), f"{name}: PyTorch gives what sinter gave")

    with safetensors.safe_open(path, "pt") as file:
        metadata = file.metadata()
    test = json.loads(metadata["sinter.self_test"])
    given = outputs(model, torch.tensor(test["inputs"]), name)
    good &= check(near(given, torch.tensor(test["outputs"], dtype=torch.float64)), f"{name}: the self-test")
    good &= check(metadata["format"] == "pt" and json.loads(metadata["sinter.classes"]) == [f'\u00e4"{i}' for i in range(rows["y"].shape[1])]
                  and json.loads(metadata["sinter.normalize"]) == {"scale": 0.015686275, "shift": -2}, f"{name}: metadata")
    tensors = {key: ("F32", t.shape, t.numpy().tobytes()) for key, t in state.items()}
    facts = {key: text for key, text in metadata.items() if key != "sinter.checksum"}
    (folder / f"{name}.converted.safetensors").write_bytes(layer_graph.safetensors(tensors, facts))
    safetensors.torch.save_file(state, folder / f"{name}.again.safetensors", metadata=metadata)  # in another order
    data = path.read_bytes()
    rewritten = safetensors.torch.save(state)
    size = sum(t.numel() * 4 for t in state.values())
    good &= check(data[-size:] == rewritten[-size:], f"{name}: tensors lie as others write them")
    return good


def write(folder, name):
    """Weights as numbers of each type, and what the network gives with them."""
    for kind in (torch.float32, torch.float16, torch.bfloat16, torch.float64):
        torch.manual_seed(3)
        model = NETWORKS[name]()
        for buffer in model.buffers():  # statistics as a training leaves them
            if buffer.is_floating_point():
                buffer.copy_(torch.rand(buffer.shape) + 0.5)
        model.to(kind)
        path = folder / f"{name}.{str(kind).removeprefix('torch.')}"
        state = {key: tensor.clone() for key, tensor in model.state_dict().items()}
        safetensors.torch.save_file(state, f"{path}.safetensors", metadata={"format": "pt"})
        x = torch.randint(0, 7, (5, *INPUTS[name])).float() if name == "Sentence" else torch.rand(5, *INPUTS[name]) * 2 - 1
        safetensors.torch.save_file({"x": x, "y": outputs(model, x, name)}, f"{path}.rows")


def read_arrays(folder):
    """What sinter wrote as .npy and .npz."""
    x = np.arange(12, dtype=np.float32).reshape(2, 2, 1, 3) / 8
    alone, file = np.load(folder / "sinter.npy"), np.load(folder / "sinter.npz")
    wanted = {"x": x, "labels": np.array([3, -1, 1 << 40]), "one": np.array([.1])}
    good = alone.dtype == x.dtype and np.array_equal(alone, x) and set(file) == set(wanted)
    return check(good and all(file[k].dtype == v.dtype and np.array_equal(file[k], v) for k, v in wanted.items()),
                 "NumPy reads .npy and .npz")


def write_arrays(folder):
    """Arrays of every type, in both orders."""
    arrays = {f"{t} {order}": np.array(np.arange(12).reshape(2, 3, 2, 1), dtype=t, order=order)
              for t in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8") for order in "CF"}
    np.savez(folder / "numpy.npz", **arrays)
    np.savez_compressed(folder / "numpy_compressed.npz", **arrays)
    np.save(folder / "numpy.npy", arrays["i4 F"])


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    torch.set_num_threads(1)
    print(f"torch {torch.__version__}, safetensors {safetensors.__version__}")
    subprocess.run([program, "write", folder], check=True)
    good = all([read(folder, name) for name in NETWORKS])
    good &= read_arrays(folder)
    write_arrays(folder)
    for name in NETWORKS:
        write(folder, name)
    good &= check(subprocess.run([program, "read", folder]).returncode == 0, "sinter gives what PyTorch gave")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
