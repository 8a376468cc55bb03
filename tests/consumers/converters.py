# SPDX-License-Identifier: MIT
"""converters.py FOLDER: that the converters in FOLDER, where sinter was installed, have beside them what they import of tools/."""
import ast
import pathlib
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"


def imported(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module


def main():
    folder = pathlib.Path(sys.argv[1])
    for wanted in TOOLS.glob("from_*.py"):
        if not (folder / wanted.name).exists():
            sys.exit(f"{wanted.name} is not installed")
    for path in folder.glob("*.py"):
        for name in imported(path):
            if (TOOLS / f"{name}.py").exists() and not (folder / f"{name}.py").exists():
                sys.exit(f"{path.name} imports {name}, which is not installed")


main()
