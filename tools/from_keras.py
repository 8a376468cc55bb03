#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_keras.py FILE NAME [FOLDER] [--shape INPUT=SIZES]... [--compile]: a trained network in a .keras file as one of
sinter. Needs h5py, NumPy, and the files beside it; neither Keras nor TensorFlow.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its
weights and a self-test, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network.

The network takes and gives what the model does: images have their channels last, sequences are steps of features.
--shape gives the sizes of one sample that the file leaves open, such as --shape audio=100x16. --compile compiles what
was written and replays the self-test, with the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_keras import convert
    convert("digits.keras", "Digits", "folder", shapes={"audio": (100, 16)})

What sinter does not have is refused: all layers at once, each with its name, class and reason.
"""
import argparse
import pathlib
import re
import sys

import numpy as np

import keras_activations
import keras_layers
import keras_merging
import keras_recurrent
import keras_windows
from compile_check import checked
from keras_file import read
from keras_model import Model, snake_case
from keras_values import flat, numbers
from layer_graph import Layers, Node, Refused, check_names, labelled, product, require, several_inputs, write_network
from layers_over_time import Problems
from numpy_weights import write_example
from quoting import in_comment, say

LAYERS = keras_layers.LAYERS | keras_windows.LAYERS | keras_recurrent.LAYERS | {"PReLU": keras_activations.prelu} | {
    kind: lambda layer, x, read=read: read(layer.given, x) for kind, read in keras_activations.LAYERS.items()}


class Writer:
    """Makes Nodes of the calls of layers, and collects reasons to refuse them."""

    def __init__(self, problems):
        self.problems, self.calls, self.seen, self.counts = problems, {}, set(), {}

    def made(self, call, arguments, options):
        layer = call.target
        y = layer and self.problems.run(layer.described, self.layer, layer, arguments, options)
        if y is None:  # go on with the sizes that the file says
            if not sized(call.shape):
                self.problems.refuse()
                raise Refused(f"{layer.described} cannot be read")
            y = Node("layer", [Node("input", [], (1,), "")], tuple(call.shape[1:]), "refused", "Refused")
        return y

    def layer(self, layer, arguments, options):
        values = flat(arguments)
        nodes = [value for value in [*values, *options.values()] if isinstance(value, Node)]
        require(nodes, "it is given no value")
        described = [(node, node.described) for node in nodes]
        for node in nodes:
            node.described = layer.described
        try:
            y = self.read(layer, values, options)
        finally:
            for node, text in described:
                node.described = text
        layer.given.refuse_rest()
        self.note(layer, y)
        return labelled(y, layer.name) if y not in nodes else y

    def read(self, layer, values, options):
        if layer.kind == "MultiHeadAttention":
            return self.attention(layer, values, options)
        more = [key for key, value in options.items() if value is not None and value is not False]
        require(not more, f"it is called with {', '.join(more)}")
        if layer.is_operation:
            return self.operation(layer, values)
        if layer.kind in keras_merging.LAYERS:
            return keras_merging.LAYERS[layer.kind](layer, values)
        require(layer.kind in LAYERS, "sinter has no layer for it")
        require(len(values) == 1, f"it is given {len(values)} values, such as a state")
        y = LAYERS[layer.kind](layer, values[0])
        if layer.kind == "Embedding":
            self.count(values[0], layer.given["input_dim"])
        return y

    def attention(self, layer, values, options):
        given = dict(zip(("query", "value", "key"), values)) | options
        query, causal = given.pop("query", None), given.pop("use_causal_mask", False)
        same = isinstance(query, Node) and all(
            given.pop(key, otherwise) in (query, None) for key, otherwise in (("value", False), ("key", None)))
        require(same, "attention to another sequence; sinter's is that of a sequence to itself")
        more = [key for key, value in given.items() if value is not None and value is not False]
        require(not more, f"it is called with {', '.join(more)}")
        return keras_merging.attention(layer, query, causal)

    def operation(self, layer, values):
        if layer.kind in keras_merging.OPERATIONS:
            return keras_merging.OPERATIONS[layer.kind](layer, values)
        require(layer.kind in keras_merging.FUNCTIONS and len(values) == 1, "sinter has nothing for this operation")
        return keras_activations.activated(values[0], snake_case(layer.kind))

    def note(self, layer, y):
        """What a layer that is called several times makes is Shared."""
        made, left = [], [y]
        while left:
            node = left.pop()
            if node not in self.seen:
                self.seen.add(node)
                made += [node] if node.tensors else []
                left += node.sources
        calls = self.calls.setdefault(layer, [])
        calls.append(made)
        for nodes in calls if len(calls) > 1 else ():
            for number, node in enumerate(nodes):
                node.shared = (id(layer), number), layer.name

    def count(self, x, rows):
        """That an input has numbers of rows of a table."""
        while x.kind not in ("input", "take") and x.sources:
            x = x.sources[0]
        self.counts[x] = min(rows, self.counts.get(x, rows))


def sized(shape):
    return isinstance(shape, list) and 1 < len(shape) <= 4 and all(type(n) is int and n > 0 for n in shape[1:])


def top_name(config):
    given = config.get("config")
    name = given.get("name") if isinstance(given, dict) else None
    return name if isinstance(name, str) else "model"


# -- inputs and outputs ------------------------------------------------------------------------------------------------


def inputs_of(model, given):
    """Names and sizes of a sample. `given`: those that the file leaves open."""
    found = []
    for value, shape in model.inputs:
        name = value[0]
        sizes = given.get(name, shape[1:] if isinstance(shape, list) else None)
        fixed = [size for size in (shape or [])[1:]]
        require(
            sizes is not None and all(type(n) is int and n > 0 for n in sizes),
            f"input {name!r} has samples of the sizes {fixed if shape else 'that its first layer is given'}; "
            f"give those of one by --shape {name}=SIZES, such as 100x16"
        )
        require(not shape or len(sizes) == len(fixed) and all(one in (None, other) for one, other in zip(fixed, sizes)),
                f"input {name!r} has samples of the sizes {fixed}, where {list(sizes)} were given")
        found.append((name, tuple(sizes)))
    unknown = set(given) - {name for name, _ in found}
    require(not unknown,
            f"{', '.join(sorted(unknown))} are no inputs; the model has {', '.join(name for name, _ in found)}")
    return found


def names_of(outputs):
    """Those of several outputs, each once."""
    names = []
    for name, _ in outputs:
        count = sum(name == other or other.startswith(f"{name} ") for other in names)
        names.append(f"{name} {count + 1}" if name in names else name)
    return names


def rows_for(shape, count):
    """Two rows: zeros, negative numbers and some above 1; or numbers of rows of a table."""
    random = np.random.default_rng([*shape])
    if count:
        return random.integers(0, count, (2, *shape)).astype(float)
    rows = random.integers(-128, 129, (2, *shape)) / 64
    rows[0].reshape(-1)[::3] = 0
    return rows


def side_by_side(values):
    return np.concatenate([value.reshape(2, -1) for value in values], 1).tolist()


def lines_about(kind, named):
    lines, at = [], 0
    for name, shape in named:
        size = product(shape)
        lines.append(f"{kind} \"{in_comment(name)}\" {list(shape)}" +
                     (f", numbers {at} to {at + size - 1}." if len(named) > 1 else "."))
        at += size
    return lines


def convert(path, name, folder=".", shapes=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have."""
    check_names(name, (1,))
    try:
        write_model(path, name, folder, shapes or {})
    except MemoryError:
        raise Refused(f"{path} needs more memory than there is") from None
    except RecursionError:
        raise Refused(f"{path} is not a .keras file: its lists, objects or layers are nested too deeply") from None


def write_model(path, name, folder, shapes):
    config, weights = read(path)
    problems = Problems()
    model = problems.run(str(path), Model, config, top_name(config), "", weights, problems)
    inputs = model and problems.run(str(path), inputs_of, model, shapes)
    if not inputs:
        problems.refuse()
    check_names(name, inputs[0][1])
    row, nodes = several_inputs(inputs) if len(inputs) > 1 else (None, [
        Node("input", [], inputs[0][1], f"input {inputs[0][0]!r}")])
    writer = Writer(problems)
    ends = problems.run(str(path), model.run, nodes, writer.made)
    problems.refuse()
    outputs = names_of(model.outputs)
    layers = Layers(name, row or nodes[0], ends, inputs if row else (), outputs)
    require(layers.all, f"{path} computes nothing")
    rows = [rows_for(shape, writer.counts.get(node)) for node, (_, shape) in zip(nodes, inputs)]
    with np.errstate(all="ignore"):
        values = problems.run(str(path), model.run, rows, numbers)
    problems.refuse()
    require(all(np.isfinite(value).all() for value in values),
            f"{path} gives infinities, or what is no number, for the rows of its self-test")
    about = [
        pathlib.Path(path).name, *lines_about("Input", inputs),
        *lines_about("Output", [(key, end.shape) for key, end in zip(outputs, ends)])]
    write_network(layers, {"inputs": side_by_side(rows), "outputs": side_by_side(values)}, "from_keras.py", about,
                  folder)
    write_example(name, "from_keras.py", inputs, outputs, folder)


def sizes_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"\d{1,9}(x\d{1,9})*", given),
            f"{text!r} was given as a shape; give INPUT=SIZES, such as audio=100x16")
    return name, tuple(int(n) for n in given.split("x"))


def main():
    parser = argparse.ArgumentParser(prog="from_keras", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--shape", action="append", default=[], metavar="INPUT=SIZES")
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    try:
        convert(given.file, given.name, given.folder, dict(map(sizes_of, given.shape)))
        done = checked(given.name, given.folder) if given.compile else None
    except (Refused, OSError) as problem:
        say("\n".join(f"from_keras: {line}" for line in str(problem).splitlines()), sys.stderr)
        return 1
    say(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    say(done) if done else None
    return 0


if __name__ == "__main__":
    sys.exit(main())
