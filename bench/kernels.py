#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Microseconds of each kernel of a training step, from what Nsight Compute wrote of bench/cuda/steps: the last step of
each log, its kernels in their order and their sum.

    kernels.py LOG..

A number is that of a phase of the plan layers. In a graph kernels follow each other closely, so a step takes less than
the sum here.
"""
import csv
import re
import sys


def read(path):
    """(name of the kernel, number of the phase or "", microseconds) in the order of the launches."""
    with open(path, errors="replace") as file:
        lines = file.read().splitlines()
    first = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if first is None:
        return []
    kernels = []
    for row in csv.DictReader(lines[first:]):
        if row.get("Metric Name") != "gpu__time_duration.sum":
            continue
        name = re.search(r"entry<(\w+)", row["Kernel Name"])
        phase = re.search(r", (\d+)>>\(", row["Kernel Name"]) if name and name[1] == "TrainPhase" else None
        scale = {"ns": 1e-3, "us": 1, "ms": 1e3}[row["Metric Unit"]]
        kernels.append((name[1] if name else row["Kernel Name"][:20], phase[1] if phase else "",
                        float(row["Metric Value"].replace(",", "")) * scale))
    return kernels


def last_step(kernels):
    """From after the update before the last one on; all, if there is one update or none."""
    ends = [i for i, kernel in enumerate(kernels) if kernel[0] == "ApplyUpdate"]
    if not ends:
        return kernels
    return kernels[ends[-2] + 1 if len(ends) > 1 else 0:ends[-1] + 1]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    for path in sys.argv[1:]:
        step = last_step(read(path))
        print(f"{path}: {len(step)} kernels, {sum(kernel[2] for kernel in step):.0f} us")
        print("  " + ", ".join(f"{phase or name} {us:.1f}" for name, phase, us in step))


main()
