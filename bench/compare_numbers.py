#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares two files of bench/cuda/numbers, by workload and plan: how many words differ, and by how many units in the last
place at most. Exits 1 where any does.

    compare_numbers.py ON_GPU ON_HOST
"""
import struct
import sys


def read(path):
    """What it is -> the words, as integers whose order is that of the numbers."""
    records = {}
    with open(path, "rb") as file:
        while line := file.readline():
            what, size, count = line.decode().rsplit(" ", 2)
            size, count = int(size), int(count)
            words = struct.unpack(f"<{count}{'i' if size == 4 else 'q'}", file.read(size * count))
            lowest = -(1 << (8 * size - 1))
            records[what] = [word if word >= 0 else lowest - word for word in words]
    return records


def main():
    gpu, host = read(sys.argv[1]), read(sys.argv[2])
    if gpu.keys() != host.keys():
        print("only one of the files has:", ", ".join(sorted(gpu.keys() ^ host.keys())))
    different = 0
    print(f"{'':36}{'numbers':>9}{'differ':>9}{'most ulp':>12}")
    for what in sorted(gpu.keys() & host.keys()):
        a, b = gpu[what], host[what]
        distances = [abs(x - y) for x, y in zip(a, b) if x != y]
        wrong = len(distances) + abs(len(a) - len(b))
        different += wrong
        print(f"{what:36}{len(a):9}{wrong:9}{max(distances, default=0):12}{'  DIFFERS' if wrong else ''}")
    print("GPU and CPU: the same bits" if not different else f"GPU and CPU: {different} numbers differ")
    return 1 if different or gpu.keys() != host.keys() else 0


sys.exit(main())
