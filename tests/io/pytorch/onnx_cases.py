#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""onnx_cases.py CXX FOLDER [--write]: from_onnx.py with the test cases of operators that come with the package onnx.

Each becomes a network that gives the outputs that the case has, or is refused in words. With --write docs/onnx.md gets
the table of operators; without, it is compared with the run if it is of the same version of onnx. CXX is not read.
"""

import collections
import pathlib
import re
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_onnx  # noqa: E402
import fuzzing  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from converted import check  # noqa: E402
from onnx.backend.test.loader import load_model_tests  # noqa: E402
from written_network import WrittenNetwork  # noqa: E402

PAGE, BEGIN, END = root / "docs" / "onnx.md", "<!-- table -->\n", "<!-- end of table -->\n"
KNOWN = from_onnx.read.__globals__["OPSETS"]


def eligible(case):
    """Whether a case is of numbers in floats, and of an opset that the tool reads."""
    versions = [entry.version for entry in case.model.opset_import if entry.domain in ("", "ai.onnx")]
    inputs, outputs = case.data_sets[0]
    if (
        not versions
        or not inputs
        or not all(isinstance(array, np.ndarray) and array.size for array in (*inputs, *outputs))
    ):
        return False
    return (
        inputs[0].dtype == outputs[0].dtype == np.float32
        and versions[0] in KNOWN
        and case.model.graph.node[0].domain == ""
    )


def variants(case):
    """The model as it is, and with all inputs but the first one as constants; with an open batch, where the case may be
    one of several rows, and without. With each, the inputs that are left."""
    inputs, outputs = case.data_sets[0]
    for constants in (False, True):
        kept = inputs[:1] if constants else inputs
        may_be_rows = all(array.ndim > 1 and len(array) == len(inputs[0]) for array in (*kept, *outputs))
        for is_open in (True, False) if may_be_rows else (False,):
            model = onnx.ModelProto.FromString(case.model.SerializeToString())
            graph = model.graph
            for entry, array in list(zip(graph.input, inputs))[len(kept) :]:
                graph.input.remove(entry)
                graph.initializer.append(onnx.numpy_helper.from_array(array, entry.name))
            for entry in graph.input if is_open else ():
                entry.type.tensor_type.shape.dim[0].dim_param = "N"
            for entry in graph.output:
                entry.type.tensor_type.ClearField("shape")
            yield model, kept, is_open


def written(folder):
    return WrittenNetwork((folder / "Case.hpp").read_text(), (folder / "Case.safetensors").read_bytes())


def is_of_rows(case, folder):
    """Whether a row of the outputs of a case is one of the network's: not where a constant sets the batch."""
    network, outputs = written(folder), case.data_sets[0][1]
    return network(np.zeros(network.shape)).size * len(outputs[0]) == sum(array.size for array in outputs)


def differs(case, given, is_open, folder):
    """In what way a network differs from the outputs of a case."""
    rows = len(given[0]) if is_open else 1
    names = [entry.name for entry in case.model.graph.output if entry.name]
    outputs = [np.asarray(array, float).reshape(rows, -1) for _, array in zip(names, case.data_sets[0][1])]
    wanted, given = np.concatenate(outputs, 1), written(folder)(
        np.concatenate([array.reshape(rows, -1) for array in given], 1)
    )
    same = given.shape == wanted.shape and np.allclose(given, wanted, case.rtol, 1e-5)
    return None if same else f"{given.reshape(-1)[:4]} instead of {wanted.reshape(-1)[:4]}"


def outcome(case, folder):
    """What becomes of a case: "right", or why it is refused. What is wrong raises AssertionError."""
    why = None
    for model, given, is_open in variants(case):
        path = folder / "case.onnx"
        path.write_bytes(model.SerializeToString())
        try:
            from_onnx.convert(path, "Case", folder)
        except from_onnx.Refused as problem:
            why = str(problem)
            assert not re.search(fuzzing.FAULTS, why), why
            continue
        if is_open and not is_of_rows(case, folder):
            continue
        wrong = differs(case, given, is_open, folder)
        assert not wrong, wrong
        return "right"
    return why


def in_short(reason):
    """A reason to refuse a node, without its name and the numbers of the case."""
    line = re.sub(r"^node .*? \(op \w+\): ", "", reason.splitlines()[0])
    line = re.split(r"[;:.,] ", line)[0]
    return re.sub(r"\s+", " ", re.sub(r"[|<>`]", "", re.sub(r"'[^']*'|\[[^]]*\]|\([^)]*\)", "..", line)))[:90]


def table(found):
    """The operators with cases that are taken and right, how many there are, and why others are refused."""
    lines = ["| operator | cases | right | most others are refused because |", "|---|---|---|---|"]
    for operator, results in sorted(found.items()):
        others = collections.Counter(in_short(result) for result in results if result != "right")
        why = others.most_common(1)[0][0] if others else ""
        lines.append(f"| {operator} | {len(results)} | {results.count('right')} | {why} |")
    return "\n".join(lines) + "\n"


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    found, good = collections.defaultdict(list), True
    for case in filter(eligible, load_model_tests(kind="node")):
        operator = (
            case.model.graph.node[0].op_type
            if len(case.model.graph.node) == 1
            else "several, as functions are expanded"
        )
        try:
            found[operator].append(outcome(case, folder))
        except Exception as problem:
            good = check(False, f"{case.name}: {type(problem).__name__}: {str(problem)[:500]}")
    results = [result for several in found.values() for result in several]
    right = results.count("right")
    good &= check(
        right > len(results) / 3, f"{right} of {len(results)} cases are taken and right, the others are refused"
    )
    version = ".".join(onnx.__version__.split(".")[:2])
    made = f"Of {len(results)} cases of onnx {version}, {right} are taken and right.\n\n{table(found)}"
    before, _, rest = PAGE.read_text().partition(BEGIN)
    given, _, after = rest.partition(END)
    if "--write" in sys.argv:
        PAGE.write_text(before + BEGIN + made + END + after)
    elif f"cases of onnx {version}," in given:
        good &= check(
            given == made, "docs/onnx.md has the table of this run; onnx_cases.py CXX FOLDER --write renews it"
        )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
