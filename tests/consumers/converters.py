# SPDX-License-Identifier: MIT
"""converters.py CMAKE BUILD FOLDER PLACE: installs what is in BUILD into FOLDER, which is emptied before. The converters that are in
PLACE then have beside them what they import of tools/."""
import ast
import pathlib
import shutil
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def main():
    cmake, build, stage, place = sys.argv[1:]
    shutil.rmtree(stage, ignore_errors=True)
    subprocess.run([cmake, "--install", build, "--prefix", stage], stdout=subprocess.DEVNULL, check=True)
    folder = pathlib.Path(stage) / place
    for wanted in TOOLS.glob("from_*.py"):
        if not (folder / wanted.name).exists():
            sys.exit(f"{wanted.name} is not installed")
    for path in folder.glob("*.py"):
        for name in imported(path):
            if (TOOLS / f"{name}.py").exists() and not (folder / f"{name}.py").exists():
                sys.exit(f"{path.name} imports {name}, which is not installed")


main()
