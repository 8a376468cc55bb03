#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes the Arduino library of sinter's inference: its properties, the header as one file, and an example.

    arduino_library.py FOLDER      FOLDER is to be made, such as ~/Arduino/libraries/sinter
"""
import pathlib
import shutil
import subprocess
import sys

import project

ROOT = pathlib.Path(__file__).resolve().parent.parent


def make(folder):
    source = folder / "src"
    (source / "sinter").mkdir(parents=True)
    subprocess.run([sys.executable, ROOT / "tools/single_header.py", source / "sinter_inference.hpp",
                    "sinter/inference.hpp"], check=True)
    # The header that export_header's files include.
    (source / "sinter/inference.hpp").write_text("#pragma once\n#include \"../sinter_inference.hpp\"\n")
    shutil.copytree(ROOT / "packaging/arduino/examples", folder / "examples")
    shutil.copy(ROOT / "LICENSE", folder)
    properties = project.filled((ROOT / "packaging/arduino/library.properties").read_text(), project.facts(ROOT))
    (folder / "library.properties").write_text(properties)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    if pathlib.Path(sys.argv[1]).exists():
        sys.exit(f"arduino_library.py: {sys.argv[1]} exists already; expected a folder to be made")
    make(pathlib.Path(sys.argv[1]))
