#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compile_check.py CXX FOLDER: the converters' option --compile: what compiles and loads, what does not, and limits of the compiler."""
import json
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import compile_check  # noqa: E402
import from_rtneural  # noqa: E402
from converted import check  # noqa: E402

FILE = {"in_shape": [None, None, 1], "layers": [{"type": "dense", "activation": "tanh", "shape": [None, None, 1], "weights": [[[0.5]], [0.25]]}]}
WROTE, COMPILED = "wrote", "compiled it, and load() replayed its self-test"


def refused(text, name, folder):
    try:
        compile_check.compiled(name, folder)
        said = "(nothing)"
    except from_rtneural.Refused as why:
        said = str(why)
    return check(text in said, f"refused: {said[:300]}")


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2]) / "with 'odd\" name"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ |= {"CXX": cxx, "CXXFLAGS": "-O0 -DSINTER_KEEP_CALLS"}
    path = folder / "amp.json"
    path.write_text(json.dumps(FILE))
    said = subprocess.run([sys.executable, root / "tools/from_rtneural.py", path, "Amp", folder, "--compile"], capture_output=True, text=True)
    good = check(said.returncode == 0 and said.stdout.startswith(WROTE) and said.stdout.endswith(f"{COMPILED}\n"), f"--compile says {said.stdout!r} {said.stderr!r}")
    if "clang" not in cxx:
        os.environ["CXXFLAGS"] += " -fconstexpr-ops-limit=2000"
        good &= check(compile_check.compiled("Amp", folder) == ["-fconstexpr-ops-limit=100000000000"], "a limit of the compiler is met with the flag for it")
        os.environ["CXXFLAGS"] = "-O0 -DSINTER_KEEP_CALLS"

    header, weights, program = (folder / f"Amp{end}" for end in (".hpp", ".safetensors", ".cpp"))
    before = [file.read_bytes() for file in (header, weights, program)]
    header.write_text(before[0].decode().replace("Tanh", "ReLU"))
    good &= refused("what was written compiles, and load() refuses it: ", "Amp", folder)
    header.write_text(before[0].decode().replace("sinter::Conv1d<1, 1>", "sinter::Embedding<4, 2>"))
    good &= refused("what was written does not compile:\n", "Amp", folder)
    header.write_bytes(before[0])
    program.write_text("int main() { return nothing; }")
    good &= refused("what was written does not compile:\n", "Amp", folder)
    program.unlink()
    weights.write_bytes(before[1][:-1])
    good &= refused("what was written compiles, and load() refuses it: ", "Amp", folder)
    os.environ["CXX"] = "no-compiler"
    good &= refused("the compiler 'no-compiler' cannot be run: No such file or directory; set CXX to another one", "Amp", folder)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
