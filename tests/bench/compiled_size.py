#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""compiled_size.py COMPILER [--keep]: that four programs of bench/compile_time do not grow without being noticed.

Their functions and their text, by g++ 12 for AVX2, may be 5 % above the figures of compiled_size.txt. With --keep, the figures
are written anew: say in the commit why. The seconds that compiling took are printed alone: they depend on the machine.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FIGURES = HERE / "compiled_size.txt"
PROGRAMS = "inference", "perceptron", "saved_perceptron", "training"
SKIPPED = 77


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def measure(compiler, program, folder):
    """Functions, bytes of text and seconds."""
    made = folder / f"{program}.o"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([compiler, "-std=c++20", "-O3", "-march=x86-64-v3", "-I", ROOT / "include", "-c",
                    ROOT / f"bench/compile_time/{program}.cpp", "-o", made], check=True)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    functions = sum(line.split()[-2] in "TtWw" for line in output("nm", "--defined-only", made).splitlines())
    return functions, int(output("size", made).splitlines()[1].split()[0]), seconds


def main(compiler, keep):
    version = output(compiler, "-dumpfullversion", "-dumpversion").strip()
    if "Free Software Foundation" not in output(compiler, "--version") or not version.startswith("12."):
        print(f"skipped: the figures are those of g++ 12, and {compiler} is {version}")
        return SKIPPED
    kept = {}
    if not keep:
        for line in FIGURES.read_text().splitlines()[1:]:
            program, *numbers = line.split()
            kept[program] = list(map(int, numbers))
    lines, grown = [f"{'program':18} functions   text"], []
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            *sizes, seconds = measure(compiler, program, pathlib.Path(folder))
            lines.append(f"{program:18} {sizes[0]:9} {sizes[1]:6}")
            beside = "" if keep else f", kept {kept[program][0]} and {kept[program][1]}"
            print(f"{program}: {sizes[0]} functions, {sizes[1]} bytes{beside}; {seconds:.1f} s")
            if not keep and any(size > 1.05 * of for size, of in zip(sizes, kept[program])):
                grown.append(program)
    if keep:
        FIGURES.write_text("\n".join(lines) + "\n")
    if grown:
        print(f"wrong: {', '.join(grown)} grew by more than 5 %. `bench/compile_time.py --profile {grown[0]}` shows by what; if it must be "
              f"so, run `tests/bench/compiled_size.py {compiler} --keep` and say why in the commit")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], "--keep" in sys.argv[2:]))
