#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Cycles of each phase of the GPU's kernels: the estimates of bench/cuda/counts next to the measurements of bench/cuda/phases.

    phases.py COUNTS.log PHASES.log
"""
import re
import sys


def read(path, column):
    """(workload, kernel) -> {phase: cycles}; `column` finds them in a line of a phase."""
    kernels, workload, phases = {}, "", None
    with open(path, errors="replace") as file:
        for line in file:
            if match := re.match(r"== (\w+), batch", line):
                workload, phases = match[1], None
            elif match := re.match(r"(\w+) .*\bcycles\b", line):
                phases = kernels.setdefault((workload, match[1]), {})
            elif match := re.match(r"  together +(\d+) cycles", line):
                if phases is not None:
                    phases["together"] = float(match[1])
                phases = None
            elif phases is not None and (match := column(line.rstrip("\n"))):
                phases[match[1]] = float(match[2])
    return kernels


# A phase is one or several words, and a stage's number: "forward_sum 2", "parts, update".
PHASE = r"([a-z_]+(?:,? [a-z]+)*(?: \d+)?) +"


def counted(line):
    return re.match(PHASE + r"\d.*\| +\d+ +\d+ +\d+ +(\d+)(?:  |$)", line)


def measured(line):
    return re.match(PHASE + r"(\d+)$", line)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    estimates, times = read(sys.argv[1], counted), read(sys.argv[2], measured)
    both = [key for key in estimates if key in times]
    if not both:
        sys.exit(f"no kernel is in both {sys.argv[1]} and {sys.argv[2]}")
    for key in both:
        estimate, time = estimates[key], times[key]
        if estimate.keys() != time.keys():
            sys.exit(f"{' '.join(key)}: other phases: {', '.join(sorted(estimate.keys() ^ time.keys()))}")
        print(f"{' '.join(key):26}{'counted':>9}{'measured':>9}{'by it':>7}")
        for phase in estimate:
            ratio = f"{time[phase] / estimate[phase]:7.2f}" if estimate[phase] else f"{'-':>7}"
            print(f"  {phase:24}{estimate[phase]:9.0f}{time[phase]:9.0f}{ratio}")


main()
