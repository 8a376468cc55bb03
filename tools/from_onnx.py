#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_onnx.py FILE NAME [FOLDER] [--from TENSOR]... [--to TENSOR]... [--shape TENSOR=SIZES]... [--set TENSOR=NUMBER]...
[--compile]: a trained network in an ONNX file as one of sinter. Needs onnx, onnxruntime, and the
files beside it.

NAME is what the C++ struct shall be called. Writes FOLDER/NAME.hpp, with the struct; FOLDER/NAME.safetensors, with its weights and
a self-test by onnxruntime, which sinter's load() replays; and FOLDER/NAME.cpp, a program that runs the network.

--from and --to cut a part out of the graph: it begins at one value or several, and ends at one or several. Several inputs and
outputs keep their names. --shape gives the sizes of one sample that the file leaves open, such as --shape audio=1x16000, or all of them where it
fixes the batch, too; the batch is always open in sinter. --set makes an input a constant, such as --set rate=16000. --compile compiles what was
written and replays the self-test, with the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_onnx import convert
    convert("digits.onnx", "Digits", "folder", begin="features", ends=["scores"], shapes={"audio": (1, 16000)}, numbers={"rate": 16000})
    from compile_check import compiled
    compiled("Digits", "folder")

What sinter does not have is refused: all nodes at once, each with its name, operator and reason.
"""
import argparse
import math
import pathlib
import re
import sys

import numpy as np
import onnx

from compile_check import checked
from layer_graph import Layers, Refused, Unlike, check_names, require, write, write_network
from onnx_attention import write_out
from onnx_file import cut, fix_sizes, fixed_batches, read, set_inputs, without_checks
from onnx_reader import Reader
from onnx_recurrent import length_places
from onnx_rows import more_rows, refuse_no_numbers, require_rows_apart, require_same_again, require_same_sizes
from onnx_values import choices_of, fold, run, values_of
from quoting import in_comment, quoted, said_in_line, say
from transformer_blocks import join_blocks

EXAMPLE = """// Made by from_onnx.py. g++ -std=c++20 -O3 -march=native -I sinter/include -pthread {name}.cpp
#include "{name}.hpp"

#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

int main() {{
  sinter::Network<::{name}> net;
  sinter::load(net, "{name}.safetensors");  // replays the self-test
  auto workspace = net.workspace(1);
{inputs}  const auto y = net.forward({given}, workspace);
{outputs}}}
"""


def convert(path, name, folder=".", begin=None, ends=None, shapes=None, numbers=None):
    """Writes NAME.hpp, NAME.safetensors and NAME.cpp to a folder. Raises Refused for what sinter does not have. `begin`: a value, or
    several."""
    check_names(name, (1,))
    model, opset = read(path)
    numbers, shapes = numbers or {}, {key: tuple(sizes) for key, sizes in (shapes or {}).items()}
    as_read = onnx.ModelProto.FromString(model.SerializeToString())
    inputs = fix_sizes(model, set_inputs(model, numbers, shapes))
    require(inputs, f"all inputs of {path} are constants: nothing is left that the network is given")
    folded = fold(model)
    ends = list(ends or [entry.name for entry in folded.graph.output])
    require(ends, f"{path} has no outputs; name values as such by --to TENSOR")
    generator = np.random.default_rng(1)
    lengths = length_places(folded, inputs)
    everything = [value for node in folded.graph.node for value in node.output if value]
    values = []
    for count in (lambda steps: steps, lambda steps: (steps + 1) // 2):  # the second row has fewer steps
        values.append(values_of(folded, inputs, [(key, place, count(steps)) for key, place, steps in lengths], everything, ends, generator, values))
    model, written = write_out(folded, values[0])
    values = [{**more, **run(model, written, more)} for more in values] if written else values
    begins = [begin] if isinstance(begin, str) else list(begin or [])
    if not begins:
        begins = [entry.name for entry in inputs if any(entry.name in node.input for node in model.graph.node)]
    part = without_checks(cut(model, begins, ends, values[0]), values[0])
    reader = Reader(part, opset, values[0], begins, ends, choices_of(part, begins, values))
    check_names(name, reader.input_node().shape)
    require_same_again(folded, ends, values[0])
    require_rows_apart(as_read, numbers, shapes, begins, ends, values, lengths, part)
    inputs = [(begin, reader.sample(begin)) for begin in begins]
    join_blocks([reader.nodes[end] for end in ends])
    layers = Layers(name, reader.input_node(), [reader.nodes[end] for end in ends], inputs if len(inputs) > 1 else (), ends)
    for value in [*begins, *ends]:
        require(all(np.isfinite(row[value].astype(np.float32)).all() for row in values),
                f"value {value!r} is infinite or no number for inputs that were tried, which a self-test cannot have")
    tried = [*values, *more_rows(model, folded, values[1], lengths, begins, ends)]
    require_same_sizes(part, tried)
    test, more = ({kind: [side_by_side(row, names) for row in rows] for kind, names in (("inputs", begins), ("outputs", ends))}
                  for rows in (tried[:2], tried[2:]))
    names = {node: name for name, node in reader.nodes.items() if name in values[0]}
    outputs = ""
    for end in ends:
        rows = "y" if len(ends) == 1 else f"sinter::head<::{name}, {quoted(end)}>(y)"
        outputs += f"  std::printf(\"%s: %g ..\\n\", {quoted(said_in_line(end))}, static_cast<double>({rows}.row(0)[0]));\n"
    about = [pathlib.Path(path).name, *described("Input", begins, reader), *described("Output", ends, reader)]

    def value_of(node):
        return np.stack([side_by_side(row, [names[node]]) for row in tried]) if node in names else None

    try:
        write_network(layers, test, "from_onnx.py", about, folder, more, value_of)
    except Unlike:
        refuse_no_numbers(part, tried)
        raise
    given = ["x"] if len(inputs) == 1 else [f"x{number}" for number in range(len(inputs))]
    tensors = ""
    for x, (begin, shape) in zip(given, inputs):
        counted = [(place, steps) for name, place, steps in lengths if name == begin]
        plain = "" if counted else "const "
        sizes = ", ".join(map(str, shape))
        tensors += f"  {plain}sinter::Tensor<float, sinter::Shape<{sizes}>> {x}(1);  // {in_comment(begin)}: zeros\n"
        tensors += "".join(f"  {x}.data()[{place}] = {steps};  // as many steps as there are\n" for place, steps in counted)
    write(pathlib.Path(folder) / f"{name}.cpp",
          EXAMPLE.format(name=name, inputs=tensors, given=", ".join(given), outputs=outputs).encode())


def side_by_side(row, names):
    return np.concatenate([row[name].astype(np.float64).reshape(-1) for name in names]).tolist()


def described(kind, names, reader):
    """What a comment says of inputs or outputs: their names, sizes and places."""
    lines, at = [], 0
    for name in names:
        size = math.prod(reader.sample(name))
        lines.append(f"{kind} \"{in_comment(name)}\" {list(reader.sample(name))}" + (f", numbers {at} to {at + size - 1}." if len(names) > 1 else "."))
        at += size
    return lines


def sizes_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"\d+(x\d+)*", given), f"{text!r} was given as a shape; give TENSOR=SIZES, such as audio=1x16000")
    return name, tuple(int(n) for n in given.split("x"))


def number_of(text):
    name, _, given = text.rpartition("=")
    require(name and re.fullmatch(r"-?\d+(\.\d+)?", given),
            f"{text!r} was given as a number of an input; give TENSOR=NUMBER, such as rate=16000")
    return name, float(given)


def main():
    usage, description = __doc__.split("\n\n", 1)
    parser = argparse.ArgumentParser(usage=" ".join(usage.split()).rsplit(": a", 1)[0], description=description,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file")
    parser.add_argument("name")
    parser.add_argument("folder", nargs="?", default=".")
    parser.add_argument("--from", dest="begins", action="append")
    parser.add_argument("--to", dest="ends", action="append")
    parser.add_argument("--shape", dest="shapes", action="append", default=[])
    parser.add_argument("--set", dest="numbers", action="append", default=[])
    parser.add_argument("--compile", action="store_true")
    given = parser.parse_args()
    try:
        convert(given.file, given.name, given.folder, given.begins, given.ends, dict(sizes_of(text) for text in given.shapes),
                dict(number_of(text) for text in given.numbers))
        done = checked(given.name, given.folder) if given.compile else None
    except (Refused, OSError) as problem:
        say("\n".join(f"from_onnx: {line}" for line in str(problem).splitlines()), sys.stderr)
        return 1
    say(f"wrote {pathlib.Path(given.folder) / given.name}.hpp, .safetensors and .cpp")
    for line in fixed_batches(read(given.file)[0], {text.split("=")[0] for text in (*given.shapes, *given.numbers)}):
        say(line)
    say(done) if done else None
    return 0


if __name__ == "__main__":
    sys.exit(main())
