# SPDX-License-Identifier: MIT
"""Combines the layers of a transformer block into one TransformerEncoderLayer. from_onnx.py needs this file in its folder."""
import re

from layer_graph import product, spelled

NORM = r"LayerNorm<NormalizedShape<\d+>(?:, Epsilon<([^>]+)>)?(?:, NoBias)?>"
ATTENTION = r"MultiheadAttention<(\d+), (\d+)(?:, (Causal))?>"
LINEAR, EXCHANGE = r"Conv1d<(\d+), 1(?:, NoBias)?>", "Permute<0, 2, 1>"
ACTIVATION = r"ReLU|GELU|GELUTanh|SiLU|Tanh|Sigmoid|Hardswish|ReLU6|ELU<1.0>|LeakyReLU<[^>]+>"
FEED_FORWARD = [EXCHANGE, LINEAR, ACTIVATION, LINEAR, EXCHANGE]  # the last one first


def join_blocks(ends):
    """Makes one layer of each block on the way to these Nodes."""
    blocks = Blocks(ends)
    for node in blocks.nodes:
        found = blocks.with_norms_first(node) or blocks.with_norms_last(node)
        if found:
            write(node, *found)


class Blocks:
    def __init__(self, ends):
        self.readers, self.nodes, left = {node: 1 for node in ends}, [], list(dict.fromkeys(ends))
        while left:
            node = left.pop()
            self.nodes.append(node)
            for source in node.sources:
                if source not in self.readers:
                    left.append(source)
                self.readers[source] = self.readers.get(source, 0) + 1

    def layers(self, node, patterns):
        """Layers of these texts, the last one first, each with what its text says, and the value before them. Otherwise None."""
        found = []
        for pattern in patterns:
            said = re.fullmatch(pattern, node.text or "") if node.kind == "layer" else None
            if not said or self.readers[node] > 1:
                return None
            found.append((node, said))
            node = node.sources[0]
        return found, node

    def added(self, node, patterns):
        """Of the sum of a value and layers on it, these layers and the value. Otherwise None."""
        for value, branch in (node.sources, node.sources[::-1]) if node.kind == "add" and len(node.sources) == 2 else ():
            found = self.layers(branch, patterns)
            if found and found[1] is value:
                return found
        return None

    def with_norms_first(self, node):
        """The value that a block begins with, whether its norms come first, attention, linear1, activation, linear2, norm1 and norm2."""
        if not (second := self.added(node, [*FEED_FORWARD, NORM])) or self.readers[second[1]] != 2:
            return None
        if not (first := self.added(second[1], [ATTENTION, NORM])):
            return None
        (_, linear2, activation, linear1, _, norm2), (attention, norm1) = second[0], first[0]
        return first[1], True, attention, linear1, activation, linear2, norm1, norm2

    def with_norms_last(self, node):
        said = re.fullmatch(NORM, node.text or "") if node.kind == "layer" else None
        if not said or self.readers[node.sources[0]] != 1 or not (second := self.added(node.sources[0], FEED_FORWARD)):
            return None
        middle = second[1]
        norm1 = re.fullmatch(NORM, middle.text or "") if middle.kind == "layer" and self.readers[middle] == 2 else None
        if not norm1 or self.readers[middle.sources[0]] != 1 or not (first := self.added(middle.sources[0], [ATTENTION])):
            return None
        _, linear2, activation, linear1, _ = second[0]
        return first[1], False, first[0][0], linear1, activation, linear2, (middle, norm1), (node, said)


def write(node, begin, norms_first, attention, linear1, activation, linear2, norm1, norm2):
    """Replaces the last Node of a block by the whole block."""
    epsilons = {float(said[1] or 1e-5) for _, said in (norm1, norm2)}
    if len(epsilons) > 1:
        return
    size, heads, causal = attention[1].groups()
    parts = {"self_attn.": attention, "linear1.": linear1, "linear2.": linear2, "norm1.": norm1, "norm2.": norm2}
    tensors = {f"{part}{name}": tensor for part, (layer, _) in parts.items() for name, tensor in layer.tensors.items()}
    biased = any(any(content) for name, (_, _, content) in tensors.items() if name.endswith("bias"))
    for part in ("linear1.", "linear2.", "norm1.", "norm2."):
        kind, shape, content = tensors[f"{part}weight"]
        tensors[f"{part}weight"] = kind, shape[:2], content
        number = len(content) // product(shape)
        tensors.setdefault(f"{part}bias", (kind, shape[:1], bytes(number * shape[0])))
    text = activation[1][0]
    node.text = spelled("TransformerEncoderLayer", size, heads, linear1[1][1], "NormFirst" if norms_first else None, causal,
                        spelled("WithActivation", text) if text != "ReLU" else None, "WithDropout<0.0>",
                        spelled("Epsilon", epsilons.copy().pop()) if epsilons != {1e-5} else None, None if biased else "NoBias")
    node.kind, node.sources = "layer", [begin]
    node.tensors = {name: tensor for name, tensor in tensors.items() if biased or not name.endswith("bias")}
