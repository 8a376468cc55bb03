# SPDX-License-Identifier: MIT
"""Reads a network as the converters write it, from the text of a header and the bytes of its weights, and computes it.

    network = WrittenNetwork(pathlib.Path("Digits.hpp").read_text(), pathlib.Path("Digits.safetensors").read_bytes())
    y = network(x)                  # rows of a batch, each as one row of numbers

It knows what sinter's layers are (layer_values.py), and nothing of the model that was converted. Needs NumPy.
"""

import json
import math
import re

import numpy as np

from layer_shapes import parsed
from layer_values import VALUES

TYPES = {"F64": np.float64, "F32": np.float32, "F16": np.float16, "BF16": np.uint16}
LITERAL = r'"(?:\\.|[^"\\])*"'


class Different(Exception):
    """What a network that was written has not, though its layers need it."""


def tensors_of(data):
    """The tensors in the bytes of a safetensors file, and what is said about them."""
    size = int.from_bytes(data[:8], "little")
    header, found = json.loads(data[8 : 8 + size]), {}
    about = header.pop("__metadata__", {})
    for name, entry in header.items():
        first, end = entry["data_offsets"]
        numbers = np.frombuffer(data[8 + size + first : 8 + size + end], TYPES[entry["dtype"]])
        if entry["dtype"] == "BF16":
            numbers = (numbers.astype(np.uint32) << 16).view(np.float32)
        found[name] = numbers.reshape(entry["shape"])
    return found, about


def structs_of(header):
    """What each struct of a header derives from, in the order in which they are written."""
    text = re.sub(f"({LITERAL})|//[^\n]*", lambda found: found[1] or "", header)
    text = re.sub(f"({LITERAL})|\\bsinter::(?:fn::)?", lambda found: found[1] or "", text)
    return {name: parsed(base) for name, base in re.findall(rf'struct (\w+) : ((?:{LITERAL}|[^"{{])*) \{{\}};', text)}


class WrittenNetwork:
    def __init__(self, header, data, kind=np.float64):
        self.kind, self.tensors = kind, {name: tensor.astype(kind) for name, tensor in tensors_of(data)[0].items()}
        structs = structs_of(header)
        begin, *self.layers = list(structs.values())[-1].arguments
        self.shared = {name: base.arguments for name, base in structs.items() if base.name == "Shared"}
        named = structs[begin.name].arguments if begin.name in structs else []
        self.inputs = {one.arguments[0].name: tuple(one.arguments[1].numbers) for one in named}
        self.shape = (sum(map(math.prod, self.inputs.values())),) if named else tuple(begin.numbers)
        self.taken, self.places = set(), {}

    def weight(self, name, *shape):
        if name not in self.tensors:
            raise Different(f"the weights have no {name!r}")
        if self.tensors[name].shape != shape:
            raise Different(
                f"the weights {name!r} have the shape {list(self.tensors[name].shape)}, where {list(shape)} is expected"
            )
        self.taken.add(name)
        return self.tensors[name]

    def input_of(self, x, name):
        """One of several inputs, which are side by side in a row."""
        first = 0
        for other, shape in self.inputs.items():
            if other == name:
                return x[:, first : first + math.prod(shape)].reshape(len(x), *shape)
            first += math.prod(shape)
        raise Different(f"there is no input {name}")

    def path(self, layers, x, name):
        for i, layer in enumerate(layers):
            x = self.layer(layer, x, f"{name}{i}.")
        return x

    def layer(self, layer, x, name):
        if layer.name in self.shared:  # named by the first place that it is in
            return self.path(self.shared[layer.name], x, self.places.setdefault(layer.name, name))
        return VALUES[layer.name](layer, x, self, name)

    def steps(self, rows):
        """What each of the layers gives, one after another."""
        x = np.asarray(rows, self.kind).reshape(-1, *self.shape)
        with np.errstate(all="ignore"):
            for i, layer in enumerate(self.layers):
                x = self.layer(layer, x, f"{i}.")
                yield x.reshape(len(x), -1)
        left = sorted(set(self.tensors) - self.taken)
        if left:
            raise Different(f"no layer has the weights {', '.join(map(repr, left))}")

    def __call__(self, rows):
        return [np.asarray(rows), *self.steps(rows)][-1]
