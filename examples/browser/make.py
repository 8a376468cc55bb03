#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes a page that trains a network in the browser: one file, which needs no server.

    make.py PAGE [MNIST]    PAGE is the file to write, such as digits.html; MNIST a folder with the four IDX files, by
                            default the 6,000 digits of the repository

It needs clang 19 with WASI's libraries: ./setup --platforms
"""
import base64
import gzip
import json
import pathlib
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SUBSET = ROOT / "examples/data/mnist_subset.tar.xz"
CLANG = ["clang++-19", "--target=wasm32-wasi", "-stdlib=libc++", "-fno-exceptions"]
COMPILE = ["-std=c++20", "-O3", "-msimd128", "-Wall", "-Wextra", "-Wconversion", "-Werror", "-I", ROOT / "include", "-c"]
LINK = ["-mexec-model=reactor", "-Wl,--strip-all"]  # without main(): the page calls its functions one by one


def program(folder):
    compiled, linked = folder / "train.o", folder / "train.wasm"
    try:
        subprocess.run([*CLANG, *COMPILE, HERE / "train.cpp", "-o", compiled], check=True)
        subprocess.run([*CLANG, *LINK, compiled, "-o", linked], check=True)
    except FileNotFoundError:
        sys.exit("make.py: there is no clang++-19 here; ./setup --platforms installs it")
    except subprocess.CalledProcessError as error:
        sys.exit(f"make.py: clang++-19 ended with {error.returncode}; it needs WASI's libraries: ./setup --platforms")
    return linked.read_bytes()


def idx(path, dimensions):
    """The bytes of an IDX file, behind its header."""
    try:
        all = path.read_bytes()
    except OSError as error:
        sys.exit(f"make.py: {error.strerror}: {path}; expected the four IDX files of MNIST in that folder")
    begin = 4 + 4 * dimensions
    sizes = [int.from_bytes(all[at:at + 4], "big") for at in range(4, begin, 4)]
    if all[:4] != bytes([0, 0, 8, dimensions]) or (dimensions == 3 and sizes[1:] != [28, 28]):
        sys.exit(f"make.py: {path} is not an IDX file of {'pictures of 28 x 28 bytes' if dimensions == 3 else 'labels'}")
    return all[begin:]


def digits(folder):
    """All pictures, those to learn from first, then all labels; and how many rows there are of each."""
    parts = {"train": "train", "test": "t10k"}
    pictures = [idx(folder / f"{part}-images-idx3-ubyte", 3) for part in parts.values()]
    labels = [idx(folder / f"{part}-labels-idx1-ubyte", 1) for part in parts.values()]
    for part, all, answers in zip(parts.values(), pictures, labels):
        if len(all) != 28 * 28 * len(answers):
            sys.exit(f"make.py: {folder} has {len(all) // 784} pictures and {len(answers)} labels of {part}; expected as many")
    return b"".join(pictures + labels), {part: len(answers) for part, answers in zip(parts, labels)}


def packed(data):
    return base64.b64encode(gzip.compress(data, 9, mtime=0)).decode()


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3) or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        mnist = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else scratch)
        if len(sys.argv) == 2:
            if not SUBSET.exists():
                sys.exit(f"make.py: there is no {SUBSET}; give a folder with MNIST, of examples/data/fetch mnist FOLDER")
            with tarfile.open(SUBSET) as archive:
                archive.extractall(scratch)
        data, rows = digits(mnist)
        compiled = program(pathlib.Path(scratch))
    page = (HERE / "page.html").read_text()
    for mark, text in {"PROGRAM": packed(compiled), "DIGITS": packed(data), "ROWS": json.dumps(rows)}.items():
        page = page.replace(f"@{mark}@", text)
    pathlib.Path(sys.argv[1]).write_text(page)
    print(f"{sys.argv[1]}: {len(page) / 1e6:.1f} MB, with a program of {len(compiled) / 1e3:.0f} KB and {sum(rows.values())} digits")
