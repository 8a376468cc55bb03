#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sass.py NVCC FILE.cubin..: checks the machine code of kernels: nothing in local memory, no load or store of an address
whose memory is not known, no kernel larger than the instruction cache. Each innermost loop of a product in pieces has at most
0.3 loads for a multiply-add. Needs nvdisasm: beside nvcc, on PATH, or in build/venv, where ./setup --python installs it.
"""
import pathlib
import re
import shutil
import subprocess
import sys

LARGEST = 128 * 1024  # bytes: the instruction cache of a multiprocessor
LARGEST_OF = {"LeNet": 110 * 1000}
MOST_LOADS = 0.3
FEWEST_MULTIPLY_ADDS = 32  # of a loop that is looked at

KERNEL = re.compile(r"^\.text\.(\S+):$")
LABEL = re.compile(r"^\.(L_x_\d+):")
INSTRUCTION = re.compile(r"^\s+/\*([0-9a-f]+)\*/\s+(?:@!?U?P\w+\s+)?([A-Z]\S*)(.*)")
TARGET = re.compile(r"`\(\.(L_x_\d+)\)")


class Kernel:
    def __init__(self, name):
        self.name = name
        self.code = []  # (operation, label that it branches to)
        self.labels = {}  # to places in the code

    @property
    def bytes(self):
        return 16 * len(self.code)

    def loops(self):
        """First and last place of each loop that has no other one inside."""
        backward = [(self.labels[to], at) for at, (_, to) in enumerate(self.code) if to in self.labels and self.labels[to] <= at]
        return sorted({(first, last) for first, last in backward
                       if not any(other != (first, last) and first <= other[0] and other[1] <= last for other in backward)})

    def count(self, operations, first=0, last=None):
        last = len(self.code) - 1 if last is None else last
        return sum(operation.split(".")[0] in operations for operation, _ in self.code[first:last + 1])


def read(lines):
    kernels = []
    for line in lines:
        if match := KERNEL.match(line):
            kernels.append(Kernel(match[1]))
        elif match := LABEL.match(line):
            kernels[-1].labels[match[1]] = len(kernels[-1].code)
        elif match := INSTRUCTION.match(line):
            target = TARGET.search(match[3]) if match[2].startswith("BRA") else None
            kernels[-1].code.append((match[2], target and target[1]))
    return kernels


def disassembler(nvcc):
    root = pathlib.Path(__file__).parents[2]
    installed = sorted(root.glob("build/venv/lib/python*/site-packages/nvidia/*/bin/nvdisasm"))
    for program in (pathlib.Path(nvcc).with_name("nvdisasm"), shutil.which("nvdisasm"), *installed):
        if program and pathlib.Path(program).exists():
            return str(program)
    print("skipped: no nvdisasm found; ./setup --python installs it into build/venv")
    sys.exit(77)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program = disassembler(sys.argv[1])
    printed = [subprocess.run([program, "-c", cubin], check=True, capture_output=True, text=True).stdout for cubin in sys.argv[2:]]
    kernels = read("".join(printed).splitlines())
    refused = [] if kernels else ["no kernels"]
    ratios = []
    for kernel in kernels:
        local, generic = kernel.count({"LDL", "STL"}), kernel.count({"LD", "ST"})
        if local:
            refused.append(f"{local} accesses of local memory in {kernel.name}")
        if generic:
            refused.append(f"{generic} accesses of generic memory in {kernel.name}")
        largest = next((most for network, most in LARGEST_OF.items() if network in kernel.name), LARGEST)
        if kernel.bytes > largest:
            refused.append(f"{kernel.bytes} bytes of code, at most {largest} are expected, in {kernel.name}")
        for first, last in kernel.loops():
            multiply_adds, loads = kernel.count({"FFMA"}, first, last), kernel.count({"LDS", "LDG"}, first, last)
            if multiply_adds >= FEWEST_MULTIPLY_ADDS and kernel.count({"BAR"}, first, last):
                ratios.append(loads / multiply_adds)
                if ratios[-1] > MOST_LOADS:
                    refused.append(f"{loads} loads for {multiply_adds} multiply-adds in a loop of {kernel.name}")
    if kernels and not ratios:
        refused.append("no loop of a product in pieces, which has a barrier for each slice")
    for text in refused:
        print(f"refused: {text}")
    if kernels:
        largest = max(kernel.bytes for kernel in kernels)
        ratios = " ".join(f"{ratio:.2f}" for ratio in ratios)
        print(f"{len(kernels)} kernels, at most {largest} bytes; loads for a multiply-add in loops: {ratios}")
    sys.exit(1 if refused else 0)


main()
