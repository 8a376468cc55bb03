# SPDX-License-Identifier: MIT
"""A network as a graph of values, written as the C++ struct that sinter compiles, with its weights.

from_pytorch.py and from_onnx.py read a network into Nodes; `write_network` does the rest. Needs NumPy.
"""
import dataclasses
import json
import math
import os
import pathlib
import re
import secrets
import struct
import zlib

from quoting import LONGEST_NAME, in_comment, is_name_in_cpp, quoted, said_in_line
from shape_check import problem_of
from value_check import problem_of_values


class Refused(Exception):
    """What cannot be converted, and why: a line for each problem, which text of a file cannot end."""

    def __init__(self, *problems):
        super().__init__("\n".join(map(said_in_line, map(str, problems))))


class Unlike(Refused):
    """What would compute other numbers than the model."""


def require(condition, why):
    if not condition:
        raise Refused(why)


def is_positional_encoding(rows):
    """Whether these numbers, a row for each step, are those that sinter's PositionalEncoding adds, or as near as PyTorch's floats."""
    def wanted(step, k):
        angle = step / 10000 ** ((k - k % 2) / len(rows[step]))
        return math.cos(angle) if k % 2 else math.sin(angle)
    return all(abs(given - wanted(step, k)) < 1e-5 + 1e-7 * step for step, row in enumerate(rows) for k, given in enumerate(row))


# -- the spelling of layers ----------------------------------------------------------------------------------------------


def number(value):
    value = float(value)
    require(math.isfinite(value), f"a number that is {value}; sinter's layers have finite ones")
    return repr(value)


def spelled(name, *arguments):
    """Name<arguments>, without those that are None or empty."""
    given = [str(argument) for argument in arguments if argument not in (None, "")]
    return f"{name}<{', '.join(given)}>"


def sizes(value, rank):
    """A number or one for each direction, as a tuple."""
    return (value,) * rank if isinstance(value, int) else tuple(value)


def option(name, value, rank, default):
    """An option of a window: Stride<2>, or nothing if it is sinter's default."""
    value = sizes(value, rank)
    if value == sizes(default, rank):
        return None
    return spelled(name, value[0]) if len(set(value)) == 1 else spelled(name, *value)


def kernel(value, rank):
    value = sizes(value, rank)
    return str(value[0]) if len(set(value)) == 1 else spelled("Kernel", *value)


def reshaped(before, after):
    """The layer that gives a sample another shape, if it has another."""
    if before == after:
        return None
    return "Flatten" if len(after) == 1 else spelled("Reshape", *after)


# -- the graph -----------------------------------------------------------------------------------------------------------


@dataclasses.dataclass(eq=False)
class Node:
    """A value, and what makes it of its sources.

    kind: "input"; "layer", whose text is C++, or None where it changes nothing; "add", "multiply", "maximum" and "concat"
    of all sources; "matrix_product" of two, whose text are its options; "recurrent", steps and what `branches` says of the other sources;
    "slice", channels from `first` on; "take", one of several inputs, from number `first` of their row on, with its number as its
    text. shape: of one sample. tensors: parameters by their names in the layer. shared: a hashable identity and a name, if the
    layer is in several places. label: its name where it was read.
    """
    kind: str
    sources: list
    shape: tuple
    described: str
    text: str = None
    first: int = 0
    tensors: dict = dataclasses.field(default_factory=dict)
    shared: tuple = None
    branches: tuple = ()  # "Lengths" and "InitialState"
    label: str = None

    def is_cheap(self):
        """Whether it may be written once for each reader."""
        only_shaped = self.kind == "layer" and not self.tensors and re.match(r"(Flatten|Reshape<.*>)?$", self.text or "")
        return self.kind in ("input", "slice", "take") or bool(only_shaped)


def labelled(node, label):
    """A Node with this label, as have those that were made for it."""
    node.label, left = label, list(node.sources)
    while left:
        source = left.pop()
        if source.label is None and source.kind not in ("input", "take"):
            source.label = label
            left += source.sources
    return node


class Line(str):
    """A layer, with a comment, and the shape of what it makes."""

    comment, shape, node = "", None, None


def commented(layers, node, makes_all=True):
    """Layers, the last of which makes a Node, or a Row with it."""
    if layers and node.label:
        layers[-1] = Line(layers[-1])
        layers[-1].shape, layers[-1].node = (node.shape, node) if makes_all else (None, None)
        layers[-1].comment = f"  // {in_comment(node.label)} {list(node.shape)}"
    return layers


def require_name(name, what):
    """Names of inputs and outputs are part of types."""
    require(0 < len(name) <= LONGEST_NAME, f"{what} {name[:40]!r}.. has a name of {len(name)} characters; sinter takes 1 to {LONGEST_NAME}")


def several_inputs(inputs):
    """The row of several inputs, given as names and shapes, and a Node for each of them."""
    row = Node("input", [], (sum(product(shape) for _, shape in inputs),), "the inputs")
    nodes, first = [], 0
    for number, (name, shape) in enumerate(inputs):
        require_name(name, "input")
        require(1 <= len(shape) <= 3, f"input {name!r} has samples of the sizes {tuple(shape)}; sinter's have one to three")
        nodes.append(Node("take", [row], tuple(shape), f"input {name!r}", str(number), first))
        first += product(shape)
    return row, nodes


def part_of_row(node):
    """What a node takes of a row: the row, the first number and how many; None of other nodes."""
    if node.kind == "layer" and node.text == "Flatten" and node.sources[0].kind == "take":
        node = node.sources[0]
    return (node.sources[0], node.first, product(node.shape)) if node.kind in ("slice", "take") and len(node.sources[0].shape) == 1 else None


def row_of(nodes, described):
    """Rows one after another. Neighbouring parts of a row are one part of it."""
    rows = []
    for node in nodes:
        last, part = part_of_row(rows[-1]) if rows else None, part_of_row(node)
        if last and part and last[0] is part[0] and last[1] + last[2] == part[1]:
            rows.pop()
            node = Node("slice", [last[0]], (last[2] + part[2],), described, first=last[1])
        rows.append(node)
    if len(rows) > 1:
        return Node("concat", rows, (sum(row.shape[0] for row in rows),), described)
    whole = rows[0].kind == "slice" and rows[0].shape == rows[0].sources[0].shape
    return rows[0].sources[0] if whole else rows[0]


def product(shape):
    size = 1
    for n in shape:
        size *= n
    return size


def followed(layers, more):
    """Layers and those after them, where two parts of channels in a row are one."""
    one, two = (re.match(r"Slice<(\d+), (\d+)>$", part[i]) if part else None for part, i in ((layers, -1), (more, 0)))
    if not (one and two):
        return layers + more
    return [*layers[:-1], spelled("Slice", int(one[1]) + int(two[1]), two[2]), *more[1:]]


# What the names of other structs of a network have after its own.
SHARED, INPUTS = "Shared_", "Inputs"
# What the names of the parameters in a branch of a Recurrent begin with.
BRANCHES = {"Lengths": "lengths.", "InitialState": "initial_state."}


class Row:
    """Values side by side along the channels, as one value. Where they differ in their images, all are flat."""

    def __init__(self, values):
        self.values = values
        self.flat = len({value.shape[1:] for value in values}) > 1

    def size(self, value):
        return product(value.shape) if self.flat else value.shape[0]

    def begin(self, value):
        return sum(self.size(other) for other in self.values[:self.values.index(value)])

    def slice(self, first, last):
        """The layers that take the values from `first` to `last`, side by side as they are."""
        if first is self.values[0] and last is self.values[-1]:
            return []
        begin = self.begin(first)
        return [spelled("Slice", begin, self.begin(last) + self.size(last) - begin)]

    def take(self, value):
        """The layers that take one value."""
        shaped = reshaped((product(value.shape),), value.shape) if self.flat else None
        return self.slice(value, value) + ([shaped] if shaped else [])


class Layers:
    """Writes the layers of a graph, and collects their tensors under the names that sinter gives them."""

    def __init__(self, name, begin, ends, inputs=(), names=()):
        """`inputs`: names and shapes, where there are several; `names`: those of several ends that have some."""
        self.name, self.input, self.outputs, self.inputs, self.names = name, begin, ends, list(inputs), list(names)
        for end in self.names if len(ends) > 1 else ():
            require_name(end, "output")
        self.weights, self.shared = {}, {}
        self.order = []
        seen = {begin}

        def visit(node):  # an explicit stack: networks are deeper than Python's
            stack = [(node, iter(node.sources))]
            seen.add(node)
            while stack:
                node, rest = stack[-1]
                source = next((source for source in rest if source not in seen), None)
                if source is None:
                    stack.pop()
                    self.order.append(node)
                else:
                    seen.add(source)
                    stack.append((source, iter(source.sources)))

        for end in ends:
            if end not in seen:
                visit(end)
        self.depth, self.above = {begin: 0}, {}
        for node in self.order:
            sources = [source for source in node.sources if source in self.depth]
            require(len(sources) == len(node.sources) and sources, f"{node.described} is not made of the input")
            self.above[node] = self.common(sources)
            self.depth[node] = self.depth[self.above[node]] + 1
        self.all = self.network()
        problem = problem_of(self)
        require(problem is None, problem)

    def common(self, nodes):
        """The last value that all ways to these values go through."""
        common = nodes[0]
        for other in nodes[1:]:
            while common is not other:
                if self.depth[common] >= self.depth[other]:
                    common = self.above[common]
                else:
                    other = self.above[other]
        return common

    def network(self):
        """All layers. Several outputs are the heads of the last one."""
        if len(self.outputs) == 1:
            return self.path(self.input, self.outputs[0], "")
        begin = self.common(self.outputs)
        layers = self.path(self.input, begin, "")
        row = None
        if self.tangled(begin, self.outputs):
            more, row = self.side_by_side(begin, self.outputs, "", len(layers))
            layers += more
        heads = []
        for i, end in enumerate(self.outputs):
            head = spelled("Path", *(row.take(end) if row else self.path(begin, end, f"{len(layers)}.{i}.")))
            heads.append(spelled("Named", i, head) if self.names else head)
        return [*layers, spelled("Heads", *heads)]

    def path(self, begin, end, prefix):
        """The layers from one value to another."""
        steps = []
        while end is not begin:
            steps.append(end)
            end = self.above[end]
        layers = []
        for node in reversed(steps):
            begin = self.above[node]
            if len(node.sources) > 1 and self.tangled(begin, node.sources):
                more, row = self.side_by_side(begin, node.sources, prefix, len(layers))
                layers += more
                layers += commented(self.made(node, lambda source, _, row=row: row.take(source), prefix, len(layers)), node)
            elif more := self.made(node, lambda source, name, begin=begin: self.path(begin, source, name), prefix, len(layers)):
                layers = commented(followed(layers, more), node)
        return layers

    def made(self, node, reach, prefix, index):
        """The layers that make a node, the next of which has the number `index`; reach(source, prefix) those that lead to one
        of several sources."""
        name = f"{prefix}{index}."
        if node.kind == "slice":
            whole = node.first == 0 and node.shape == node.sources[0].shape
            return [] if whole else [spelled("Slice", node.first, node.shape[0])]
        if node.kind == "take":
            return [spelled("TakeInput", f"~{self.name}{INPUTS}", node.text)]
        if node.kind == "layer":
            return [self.layer(node, name)] if node.text else []
        if node.kind == "concat":
            return [spelled("Concat", *[spelled("Path", *reach(source, f"{name}{i}.")) for i, source in enumerate(node.sources)])]
        if node.kind == "multiply":
            return [spelled("Product", *[self.factor(node, source, reach(source, f"{name}{i}.")) for i, source in enumerate(node.sources)])]
        if node.kind == "maximum":
            return [spelled("Maximum", *[spelled("Path", *reach(source, f"{name}{i}.")) for i, source in enumerate(node.sources)])]
        if node.kind == "matrix_product":
            return [spelled("MatrixProduct", *[spelled("Path", *reach(source, f"{name}{i}.")) for i, source in enumerate(node.sources)], node.text)]
        if node.kind == "recurrent":
            branches = [("Path", "path."), *[(branch, BRANCHES[branch]) for branch in node.branches]]
            return [spelled("Recurrent", self.layer(node, name),
                            *[spelled(branch, *reach(source, name + begin)) for source, (branch, begin) in zip(node.sources, branches)])]
        one, two = node.sources
        path, shortcut = reach(one, f"{name}path."), []
        if path:
            shortcut = reach(two, f"{name}shortcut.")
        else:  # the value itself is the shortcut
            path = reach(two, f"{name}path.")
        require(path, f"{node.described} adds a value to itself")
        return [spelled("Residual", spelled("Path", *path), spelled("Shortcut", *shortcut) if shortcut else None)]

    def layer(self, node, name):
        text = node.text
        if node.shared and node.tensors:
            identity, label = node.shared
            if identity in self.shared:
                name, first, tensors = self.shared[identity]
                require((text, node.tensors) == (first, tensors), f"{node.described} is in several places, as {first} and as {text} or with "
                        "other parameters; sinter's Shared is the same layer everywhere")
                return name
            text = self.share(identity, label, text, node.tensors)
            name += "0."
        for key, tensor in node.tensors.items():
            self.weights[name + key] = tensor
        return text

    def share(self, identity, label, text, tensors):
        """A struct for a layer in several places, of which the first names the weights. The mark keeps the name as it is."""
        taken, count = [name.lstrip("~") for name, *_ in self.shared.values()], 1
        name = begin = f"{self.name}{SHARED}" + re.sub(r"[\W_]+", "_", label, flags=re.ASCII).strip("_")[:60]
        while name in taken or not is_name_in_cpp(name):
            count += 1
            name = f"{begin}{count}"
        self.shared[identity] = (f"~{name}", text, tensors)
        return f"~{name}"

    def factor(self, node, source, layers):
        """A branch of a product. One number for each channel, as of squeeze-and-excitation, is spread over the image."""
        if source.shape != node.shape:
            single = len(node.shape) > 1 and source.shape == (node.shape[0], *[1] * (len(node.shape) - 1))
            require(single, f"{node.described} multiplies values of the shapes {source.shape} and {node.shape}; sinter multiplies those of "
                    "one shape, or an image by one number for each channel, (channels, 1, 1)")
            layers = [*layers, spelled(f"AdaptiveAvgPool{len(node.shape) - 1}d", *node.shape[1:])]
        return spelled("Path", *layers)

    # Values that several branches read: they are computed once and passed along, side by side with the others.

    def inside(self, begin, end):
        """The values between two, `end` among them."""
        found, left = set(), [end]
        while left:
            node = left.pop()
            if node is not begin and node not in found:
                found.add(node)
                left += node.sources
        return found

    def tangled(self, begin, ends):
        """Whether a value that is not cheap is on the way to several of the ends."""
        seen = set()
        for end in set(ends):
            inside = {node for node in self.inside(begin, end) if not node.is_cheap()}
            if inside & seen:
                return True
            seen |= inside
        return False

    def side_by_side(self, begin, ends, prefix, index):
        """The layers that lead to a Row in which all ends are, and that Row."""
        inside = set().union(*[self.inside(begin, end) for end in ends])
        readers = {}
        for node in [n for n in self.order if n in inside]:
            for source in node.sources:
                readers.setdefault(source, []).append(node)

        def read(node):
            """What reads a value, itself or through values that may be written once for each reader."""
            found, left = set(), list(readers.get(node, []))
            while left:
                reader = left.pop()
                if reader in ends or not reader.is_cheap():
                    found.add(reader)
                left += readers.get(reader, []) if reader.is_cheap() else []
            return found

        kept = [node for node in self.order if node in inside and (node in ends or not node.is_cheap() and len(read(node)) > 1)]
        kept_set = set(kept)

        def read_by(value):
            """The kept values that `value` is made of."""
            found, left = set(), list(value.sources)
            while left:
                node = left.pop()
                if node is begin or node in kept_set:
                    found.add(node)
                else:
                    left += node.sources
            return found

        needs = {value: read_by(value) for value in kept}
        row, layers = Row([begin]), []
        for i, value in enumerate(kept):
            later = set(ends).union(*[needs[other] for other in kept[i + 1:]])
            after = Row([other for other in row.values if other in later] + [value])
            name = f"{prefix}{index + len(layers)}."
            runs = self.carried(row, after)
            flat = reshaped(value.shape, (product(value.shape),)) if after.flat else None
            if not runs:
                made = self.of_row(row, value, prefix, index + len(layers))
                layers += made + ([flat] if flat else [])
            else:
                made = self.of_row(row, value, f"{name}{len(runs)}.", 0) + ([flat] if flat else [])
                layers.append(spelled("Concat", *[spelled("Path", *run) for run in runs], spelled("Path", *made)))
            layers, row = commented(layers, value, False), after
        return layers, row

    @staticmethod
    def carried(row, after):
        """Branches that take over values into another Row, neighbours together where they stay as they are."""
        values, runs = after.values[:-1], []
        while values:
            count = 1
            if row.flat == after.flat:
                at = row.values.index(values[0])
                while row.values[at:at + count + 1] == values[:count + 1] and count < len(values):
                    count += 1
                runs.append(row.slice(values[0], values[count - 1]))
            else:
                there = reshaped(values[0].shape, (product(values[0].shape),)) if after.flat else None
                runs.append(row.take(values[0]) + ([there] if there else []))
            values = values[count:]
        return runs

    def of_row(self, row, value, prefix, index):
        """The layers that make a value of those in a Row."""
        def reach(source, prefix, index=0):
            return row.take(source) if source in row.values else self.of_row(row, source, prefix, index)

        if len(value.sources) == 1:
            before = reach(value.sources[0], prefix, index)
            if before and value.kind == "take":  # of a row with other values
                part = spelled("Slice", value.first, product(value.shape))
                return followed(before, [part, *filter(None, [reshaped((product(value.shape),), value.shape)])])
            return followed(before, self.made(value, reach, prefix, index + len(before)))
        return self.made(value, reach, prefix, index)


# -- files ---------------------------------------------------------------------------------------------------------------


def checksum(tensors, metadata):
    """As include/sinter/io/checksum.ipp computes it."""
    texts = "".join(f"{key} {len(text.encode())} {text}\n" for key, text in sorted(metadata.items()))
    sums = "".join(f" {name} {zlib.crc32(content)}" for name, (_, _, content) in sorted(tensors.items()))
    return str(zlib.crc32((texts + sums).encode()))


def safetensors(tensors, metadata):
    """The bytes of a file: the length of the header, the header, the tensors, each as its type, shape and bytes."""
    header, data = {"__metadata__": {**metadata, "sinter.checksum": checksum(tensors, metadata)}}, []
    position = 0
    for name, (kind, shape, content) in tensors.items():
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [position, position + len(content)]}
        data.append(content)
        position += len(content)
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return b"".join([struct.pack("<Q", len(text)), text, *data])


def write(path, data):
    """Writes the whole file or nothing."""
    part = path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(8)}.part")  # no other writer's
    try:
        with open(part, "xb") as file:
            file.write(data)
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def check_names(name, shape):
    require(is_name_in_cpp(name), f"{name!r} was given as the name of a struct; give it letters, digits and _, and no name that C++ has")
    require(SHARED not in name and not name.endswith(INPUTS),
            f"{name!r} was given as the name of a struct; {SHARED} in it and {INPUTS} at its end are of the parts of networks: give it another one")
    require(1 <= len(shape) <= 3 and all(isinstance(n, int) and n > 0 for n in shape),
            f"samples of the sizes {tuple(shape)} were given; give (features,), (channels, length) or (channels, height, width)")


def with_names(text, layers):
    """Inputs and outputs by their names instead of their numbers."""
    def name(found):
        return found[1] + quoted(layers.names[int(found[2])] if found[1] == "Named<" else layers.inputs[int(found[2])][0])

    return re.sub(r"(TakeInput<\w+, |Named<)(\d+)", name, text)


def header_of(layers, maker, about):
    """The text of NAME.hpp."""
    def qualified(text):
        return re.sub(r"~(sinter::)?", "", re.sub(r"\b(?=[A-Z])", "sinter::", text))

    name = layers.name
    shared = "".join(f"struct {struct[1:]} : sinter::Shared<{qualified(layer)}> {{}};\n" for struct, layer, _ in layers.shared.values())
    inputs, begin = "", qualified(spelled("Input", *layers.input.shape))
    if layers.inputs:
        each = ", ".join(f"sinter::Named<{quoted(key)}, {qualified(spelled('Input', *shape))}>" for key, shape in layers.inputs)
        begin = f"{name}{INPUTS}"
        inputs = f"struct {begin} : sinter::Inputs<{each}> {{}};\n"
    ends = [","] * len(layers.all) + ["> {};"]
    lines = "".join("\n    " + with_names(text, layers) + end + comment
                    for text, end, comment in zip([begin, *map(qualified, layers.all)], ends, ["", *[getattr(line, "comment", "") for line in layers.all]]))
    begin = f"// Made by {maker} from {in_comment(about[0])}. Its weights: load(net, \"{name}.safetensors\").\n"
    comment = begin + "".join(f"// {in_comment(line, 1000)}\n" for line in about[1:])
    return f"{comment}#pragma once\n\n#include <sinter/inference.hpp>\n\n{inputs}{shared}struct {name} : sinter::Sequential<{lines}\n"


def named(node):
    """What a Node is made of, and its label."""
    return node.described + (f" ({node.label})" if node.label not in node.described else "")


def write_network(layers, self_test, maker, about, folder, more=None, value_of=lambda node: None):
    """NAME.hpp and NAME.safetensors, if they compute what the model does. `layers`: Layers, whose tensors are a type, a shape
    and bytes; `self_test`: rows of inputs and outputs; `more`: others, which are tried and not written; `about`: lines of a
    comment, of which the first is what the network was made from; `value_of`: what a Node is in the model, for all of
    these rows, or None."""
    rows = [abs(number) for values in self_test.values() for row in values for number in row]
    require(all(number < 3.4e38 for number in rows), f"{in_comment(about[0])} gives infinities, or what is no number, for the rows of its self-test")
    metadata = {"format": "pt", "sinter.format": "1", "sinter.self_test": json.dumps(self_test, separators=(",", ":"))}
    header, data = header_of(layers, maker, about), safetensors(layers.weights, metadata)
    given, wanted = (self_test[kind] + (more or {kind: []})[kind] for kind in ("inputs", "outputs"))
    nodes = [getattr(line, "node", None) for line in layers.all]
    problem = problem_of_values(header, data, given, wanted, [product(end.shape) for end in layers.outputs],
                                [named(node) if node else line for node, line in zip(nodes, layers.all)],
                                lambda number: nodes[number] and value_of(nodes[number]))
    if problem:
        raise Unlike(problem)
    folder, name = pathlib.Path(folder), layers.name
    folder.mkdir(parents=True, exist_ok=True)
    write(folder / f"{name}.safetensors", data)
    write(folder / f"{name}.hpp", header.encode())
