#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""planted_faults.py CXX FOLDER: faults that are planted in the converters are caught before anything is written.

Each fault is a change of one line of a tool, and has a model that it makes wrong: that is converted as the tools are,
and refused as a network that is not the model with the fault. Nothing is compiled: CXX is not read.
"""

import importlib.abc
import importlib.util
import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
TOOLS = root / "tools"
sys.dont_write_bytecode = True

import faults_of_onnx  # noqa: E402
import faults_of_pytorch  # noqa: E402
import onnx  # noqa: E402
from converted import check  # noqa: E402

CAUGHT = "Please report it with the model"
# Without these, the layers would be those of a model in which x is still what it was.
UNCHECKED = (
    ("pytorch_trace", "def refuse_stale(self, described):\n", "def refuse_stale(self, described):\n        return\n"),
    ("from_pytorch", "    require_same_traced(name", "    (lambda *_: None)(name"),
)


class WithFaults(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Imports the tools, some of them with other lines."""

    def __init__(self, *faults):
        self.faults = faults

    def find_spec(self, name, path=None, target=None):
        file = TOOLS / f"{name}.py"
        return importlib.util.spec_from_loader(name, self, origin=str(file)) if file.exists() else None

    def exec_module(self, module):
        path = TOOLS / f"{module.__name__}.py"
        text, module.__file__ = path.read_text(), str(path)
        for file, line, fault in self.faults:
            if file == module.__name__:
                count = text.count(line)
                if count != 1:
                    raise LookupError(f"{path.name} has {line!r} {count} times; a fault needs what is there once")
                text = text.replace(line, fault)
        exec(compile(text, str(path), "exec"), vars(module))

    def tool(self, name):
        for known in [name for name in sys.modules if (TOOLS / f"{name}.py").exists()]:
            del sys.modules[known]
        sys.meta_path.insert(0, self)
        try:
            return importlib.import_module(name)
        finally:
            sys.meta_path.remove(self)


def said_by(convert, *given):
    """What a converter says; nothing if it takes what it is given."""
    try:
        convert(*given)
        return ""
    except Exception as problem:
        if "Refused" not in [kind.__name__ for kind in type(problem).__mro__]:
            raise
        return str(problem)


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    right = {name: WithFaults().tool(name) for name in ("from_onnx", "from_pytorch")}
    good = check(
        set(WithFaults().tool("layer_values").VALUES) == set(WithFaults().tool("layer_shapes").RULES),
        "layers of all shapes have values",
    )
    caught = 0
    for tool, faults in (("from_onnx", faults_of_onnx.FAULTS), ("from_pytorch", faults_of_pytorch.FAULTS)):
        for number, (file, line, fault, model, *shape) in enumerate(faults):
            if tool == "from_onnx":
                onnx.save(model, folder / "model.onnx")
                given = (folder / "model.onnx",)
            else:
                given = (model, *shape)
            first, *more = given
            good &= check(
                not (said := said_by(right[tool].convert, first, *more, "Right", folder)),
                f"{tool} {number} without its fault: {said or 'converted'}",
            )
            said = said_by(WithFaults((file, line, fault)).tool(tool).convert, first, *more, f"Wrong{number}", folder)
            caught += check(CAUGHT in said, f"{file}.py, {fault.strip()[:60]!r}: {said or 'written'}")
    wanted = len(faults_of_onnx.FAULTS) + len(faults_of_pytorch.FAULTS)
    good &= check(caught == wanted >= 40, f"{caught} of {wanted} planted faults are caught")
    said = said_by(
        WithFaults(*UNCHECKED).tool("from_pytorch").convert, faults_of_pytorch.IN_PLACE, (4,), "Wrong", folder
    )
    good &= check(CAUGHT in said, f"a value that is read after it was changed in place: {said or 'written'}")
    good &= check(not list(folder.glob("Wrong*")), "a network that is not the model is not written")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
