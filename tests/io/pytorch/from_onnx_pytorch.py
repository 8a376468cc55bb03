#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx_pytorch.py CXX FOLDER: what tools/from_onnx.py makes of attention as PyTorch exports it.

Each module becomes ONNX, a header and weights; one program loads the weights (whose self-test is replayed) and gives what PyTorch
gives for other rows. Weights of a wrong reading are refused by the self-test. With the package onnxscript PyTorch's newer exporter is
tried, too.
"""
import dataclasses
import importlib.util
import logging
import math
import pathlib
import shutil
import subprocess
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import converted  # noqa: E402
import from_onnx  # noqa: E402
import layer_graph  # noqa: E402
import numpy as np  # noqa: E402
import onnx_attention  # noqa: E402
import torch  # noqa: E402
import transformer_blocks  # noqa: E402
from converted import check  # noqa: E402
from torch import nn  # noqa: E402

STEPS, SIZE = 5, 8
CAUSAL = nn.Transformer.generate_square_subsequent_mask(STEPS)


class Attention(nn.Module):
    def __init__(self, mask=None, **options):
        super().__init__()
        self.attention, self.mask = nn.MultiheadAttention(SIZE, 2, **options), mask

    def forward(self, x):
        x = x if self.attention.batch_first else x.transpose(0, 1)
        y = self.attention(x, x, x, attn_mask=self.mask)[0]
        return y if self.attention.batch_first else y.transpose(0, 1)


class Padded(nn.Module):
    """Without the steps whose first number is above 1."""

    def __init__(self):
        super().__init__()
        self.layer = nn.TransformerEncoderLayer(SIZE, 2, 12, batch_first=True)

    def forward(self, x):
        return self.layer(x, src_key_padding_mask=x[:, :, 0] > 1)


class Scaled(nn.Module):
    """Heads by hand, and a mask of booleans."""

    def __init__(self, mask):
        super().__init__()
        self.query, self.key, self.value, self.out = (nn.Linear(SIZE, SIZE) for _ in range(4))
        self.register_buffer("mask", mask)

    def forward(self, x):
        q, k, v = (layer(x).unflatten(2, (4, SIZE // 4)).transpose(1, 2) for layer in (self.query, self.key, self.value))
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=self.mask).transpose(1, 2).flatten(2))


class Turned(nn.Module):
    """Queries and keys that are turned by their positions."""

    def __init__(self):
        super().__init__()
        self.inside, self.out = nn.Linear(SIZE, 3 * SIZE), nn.Linear(SIZE, SIZE)
        angle = torch.arange(STEPS)[:, None] * torch.tensor([1, 0.1, 1, 0.1])
        self.register_buffer("cosine", angle.cos())
        self.register_buffer("sine", angle.sin())

    def turned(self, x):
        return x * self.cosine + torch.cat([-x[..., 2:], x[..., :2]], -1) * self.sine

    def forward(self, x):
        q, k, v = (part.unflatten(2, (2, 4)).transpose(1, 2) for part in self.inside(x).chunk(3, 2))
        weights = (self.turned(q) @ self.turned(k).transpose(2, 3) / 2 + CAUSAL).softmax(-1)
        return self.out((weights @ v).transpose(1, 2).flatten(2))


class Encoder(nn.Module):
    def __init__(self, mask=None, **options):
        super().__init__()
        self.layer, self.mask = nn.TransformerEncoderLayer(SIZE, 2, 12, batch_first=True, **options), mask

    def forward(self, x):
        return self.layer(x, src_mask=self.mask, is_causal=self.mask is not None)


class Decoder(nn.Module):
    """Attention to another sequence."""

    def __init__(self):
        super().__init__()
        self.layer, self.memory = nn.TransformerDecoderLayer(SIZE, 2, 12, batch_first=True), nn.Linear(SIZE, SIZE)

    def forward(self, x):
        return self.layer(x, self.memory(x[:, 1:]))


class Picture(nn.Module):
    """Patches of a picture after a learned step, whose output is read."""

    def __init__(self):
        super().__init__()
        self.patches, self.positions = nn.Conv2d(1, SIZE, 4, 4), nn.Parameter(torch.randn(1, STEPS, SIZE))
        self.first = nn.Parameter(torch.randn(1, 1, SIZE))
        self.layer, self.out = nn.TransformerEncoderLayer(SIZE, 2, 12, batch_first=True, norm_first=True), nn.Linear(SIZE, 3)

    def forward(self, x):
        steps = self.patches(x).flatten(2).transpose(1, 2)
        steps = torch.cat([self.first.expand(steps.shape[0], -1, -1), steps], 1) + self.positions
        return self.out(self.layer(steps)[:, 0])


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.positions = nn.Embedding(11, SIZE), nn.Embedding(STEPS, SIZE)
        self.layers = nn.TransformerEncoder(nn.TransformerEncoderLayer(SIZE, 2, 12, batch_first=True), 2, enable_nested_tensor=False)
        self.out = nn.Linear(SIZE, 3)

    def forward(self, x):
        return self.out(self.layers(self.words(x) + self.positions(torch.arange(STEPS)), mask=CAUSAL, is_causal=True)[:, -1])


MODELS = {  # and what the header must say
    "Plain": (lambda: Attention(batch_first=True), "Input<5, 8>, sinter::MultiheadAttention<8, 2>>"),
    "Masked": (lambda: Attention(CAUSAL, bias=False), "Input<5, 8>, sinter::MultiheadAttention<8, 2, sinter::Causal>>"),
    "Scored": (lambda: Scaled(torch.ones(STEPS, STEPS).tril() > 0), "Input<5, 8>, sinter::MultiheadAttention<8, 4, sinter::Causal>>"),
    "Near": (lambda: Scaled((torch.arange(STEPS) - torch.arange(STEPS)[:, None]).abs() < 2), "sinter::PositionEmbedding<20, 5>"),
    "Turning": (Turned, "sinter::Factor<0.5>, sinter::Causal>, sinter::SoftmaxAlong<3>"),
    "Last": (Encoder, "Input<5, 8>, sinter::TransformerEncoderLayer<8, 2, 12, sinter::WithDropout<0.0>>>"),
    "First": (lambda: Encoder(CAUSAL, norm_first=True, activation="gelu", layer_norm_eps=1e-3),
              "TransformerEncoderLayer<8, 2, 12, sinter::NormFirst, sinter::Causal, sinter::WithActivation<sinter::GELU>, sinter::WithDropout<0.0>, sinter::Epsilon<0.001>>>"),
    "Bare": (lambda: Encoder(bias=False), "Input<5, 8>, sinter::TransformerEncoderLayer<8, 2, 12, sinter::WithDropout<0.0>, sinter::NoBias>>"),
    "Shorter": (Padded, "sinter::Hardtanh<0.0, 1.0>"),
    "Reading": (Decoder, "sinter::MultiheadAttention<8, 2>"),
    "Seeing": (Picture, "Conv2d<8, 4, sinter::Stride<4>>, sinter::Reshape<8, 4>, sinter::ZeroPad1d<1, 0>, sinter::Permute<0, 2, 1>, sinter::PositionEmbedding<5, 8>, sinter::TransformerEncoderLayer"),
    "Naming": (Words, "Input<5>, sinter::Embedding<11, 8>, sinter::PositionEmbedding<5, 8>, sinter::TransformerEncoderLayer<8, 2, 12, sinter::Causal, sinter::WithDropout<0.0>>"),
}


def rows_for(name, count):
    if name == "Naming":
        return torch.randint(0, 11, (count, STEPS))
    return torch.randn(count, 1, 8, 8) if name == "Seeing" else torch.randn(count, STEPS, SIZE)


def exported(module, name, folder, newer):
    """The file that PyTorch makes, with an open batch."""
    path, x = folder / f"{name}.onnx", rows_for(name, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if newer:
            torch.onnx.export(module, (x,), str(path), dynamo=True, input_names=["x"], output_names=["y"], dynamic_shapes=({0: torch.export.Dim("N")},), external_data=False, verbose=False)
        else:
            torch.onnx.export(module, (x,), str(path), dynamo=False, opset_version=17, input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "N"}})
    return path


# Wrong readings of the same graphs: the text of the struct stays.


def changed_attention(change):
    find = onnx_attention.Finder.find

    def wrong(self, name):
        found = find(self, name)
        return found and change(found)
    return onnx_attention.Finder, "find", wrong


def scaled_queries(found):
    return dataclasses.replace(found, weight=np.concatenate([found.weight[:found.size] * math.sqrt(found.size / found.heads), found.weight[found.size:]]))


def exchanged(array, size):
    return np.concatenate([array[size:2 * size], array[:size], array[2 * size:]])


WRITE = transformer_blocks.write
FAULTS = [
    ("heads are exchanged", "Plain", changed_attention(lambda found: dataclasses.replace(found, order=np.roll(found.order, found.size // found.heads)))),
    ("the scale is forgotten", "Plain", changed_attention(scaled_queries)),
    ("queries are keys", "Masked", changed_attention(lambda found: dataclasses.replace(found, weight=exchanged(found.weight, found.size)))),
    ("a bias is forgotten", "Last", changed_attention(lambda found: dataclasses.replace(found, bias=0 * found.bias))),
    ("norms are exchanged", "Last", (transformer_blocks, "write", lambda *parts: WRITE(*parts[:-2], parts[-1], parts[-2]))),
]


def refused_by_self_test(what, name, place, folder):
    """Whether the tool refuses what a wrong reading gives, and, were it written, the program: the struct is the same."""
    spoiled, header = folder / "spoiled", (folder / f"{name}.hpp").read_text()
    shutil.rmtree(spoiled, ignore_errors=True)
    shutil.copytree(folder, spoiled, ignore=shutil.ignore_patterns("program*", "spoiled", "newer"))
    owner, attribute, wrong = place
    right, compare = getattr(owner, attribute), layer_graph.problem_of_values
    setattr(owner, attribute, wrong)
    try:
        by_tool = converted.refused_by(from_onnx, folder / f"{name}.onnx", spoiled, ["computes other numbers than the model"])
        layer_graph.problem_of_values = lambda *_: None
        from_onnx.convert(folder / f"{name}.onnx", name, spoiled)
    finally:
        setattr(owner, attribute, right)
        layer_graph.problem_of_values = compare
    ran = subprocess.run([folder / "program", spoiled], capture_output=True, text=True)
    caught = ran.returncode != 0 and f"the self-test of {spoiled / name}.safetensors failed" in ran.stderr
    return by_tool and check(caught and (spoiled / f"{name}.hpp").read_text() == header, f"{name}: the self-test refuses weights where {what}")


def near(given, wanted):
    error = np.linalg.norm(np.array(given) - wanted) / np.linalg.norm(wanted) if len(given) == len(wanted) else np.inf
    return error < 3e-6, f"relative error {error:.1e}"


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "newer").mkdir(parents=True)
    torch.manual_seed(1)
    modules, wanted, good = {}, {}, True
    for name, (make, text) in MODELS.items():
        modules[name] = module = make().eval()
        for parameter in module.parameters():
            nn.init.uniform_(parameter, -0.6, 0.6)
        from_onnx.convert(exported(module, name, folder, False), name, folder)
        header = converted.struct_of(folder / f"{name}.hpp")
        good &= check(text in header, f"{name}: the header says {text}")
        x = rows_for(name, 7)
        with torch.no_grad():
            wanted[name] = module(x).numpy().reshape(-1)
        (folder / f"{name}.rows").write_bytes(x.numpy().astype("<f4").tobytes())
    for name, given in converted.outputs(cxx, root, folder, list(wanted)).items():
        fits, error = near(given, wanted[name])
        good &= check(fits, f"{name}: sinter gives what PyTorch gives, {error}")
    for what, name, place in FAULTS:
        good &= refused_by_self_test(what, name, place, folder)
    if importlib.util.find_spec("onnxscript"):
        logging.disable(logging.WARNING)
        for name, module in modules.items():
            from_onnx.convert(exported(module, name, folder / "newer", True), name, folder / "newer")
            good &= check(converted.struct_of(folder / "newer" / f"{name}.hpp") == converted.struct_of(folder / f"{name}.hpp"), f"{name}: the newer exporter gives the same struct")
            shutil.copy(folder / f"{name}.rows", folder / "newer")
        good &= check(subprocess.run([folder / "program", folder / "newer"]).returncode == 0, "and what it computes passes the self-tests")
    else:
        print("PyTorch's newer exporter was not tried: the package onnxscript is not installed")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
