# SPDX-License-Identifier: MIT
"""ziglang.py CXX MAKE FOLDER: the newest clang there is, and libc++, which PyPI's ziglang brings with it.

A program that trains gives the same bits as by CXX. Another has nothing but sinter/inference.hpp, and weights that MAKE has
written to FOLDER, stored in four ways.
"""
import os
import pathlib
import subprocess
import sys

cxx, make, folder = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
tests = pathlib.Path(__file__).resolve().parent.parent
folder.mkdir(parents=True, exist_ok=True)
zig = [sys.executable, "-m", "ziglang", "c++", "-mcpu=native"]


def run(*command):
    print("+", *command, flush=True)
    done = subprocess.run([str(part) for part in command], stdout=subprocess.PIPE, text=True)
    print(done.stdout, end="", flush=True)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode}: {command[0]}")
    return done.stdout


def built(compiler, name, source, *flags):
    warnings = ["-Wall", "-Wextra", "-Wconversion", "-Werror"]
    run(*compiler, "-std=c++20", "-O2", *warnings, "-pthread", "-I", tests / "../include", *flags, "-c", source, "-o",
        folder / f"{name}.o")
    run(*compiler, "-pthread", folder / f"{name}.o", "-o", folder / name)
    return folder / name


version = run(*zig, "--version").split("version ")[1].split(".")[0]
run(make, folder)
source = tests / "io/inference/use.cpp"
use = built(zig, "use", source, "-fno-exceptions", "-fno-rtti", "-I", folder, "-I", source.parent)
run(use, folder / "weights.bin")

source = tests / "headers/ziglang_train.cpp"
got = run(built(zig, "train", source))
want = run(built([cxx, "-march=native"], "train_by_cxx", source))
if got != want or got.count("\n") < 20:
    sys.exit(f"not the same bits as by {cxx}")
if platforms := os.environ.get("SINTER_PLATFORMS"):
    pathlib.Path(platforms, "ziglang").write_text(f"x86-64 Linux | ziglang's clang {version} | itself | those of g++ @g++@\n")
