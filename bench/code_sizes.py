#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How large the code of each kernel is in a .cubin, as bench/cuda/counts --code reads it: workload, kernel, bytes. Those that
are not of one workload have a *.

    nvcc -std=c++20 -O3 -arch=sm_90 -cubin -I include bench/cuda/times.cu -o times.cubin && code_sizes.py times.cubin
"""
import re
import struct
import sys


def sections(data):
    """(name, bytes) of the sections of a 64-bit ELF file."""
    if data[:5] != b"\x7fELF\x02":
        sys.exit(f"{sys.argv[1]} is no 64-bit ELF file; give what nvcc -cubin makes")
    start, = struct.unpack_from("<Q", data, 0x28)
    size, count, names = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, start + i * size) for i in range(count)]
    text = headers[names][4]
    for name, _, _, _, _, length in headers:
        end = data.index(b"\0", text + name)
        yield data[text + name:end].decode(), length


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    with open(sys.argv[1], "rb") as file:
        data = file.read()
    largest = {}
    for name, size in sections(data):
        kernel = re.match(r"\.text\..*?\d(TrainTiles|Resident|InferTiles|ApplyUpdate)I", name)
        if kernel:
            workload = re.search(r"8workload\d+(W[0-9A-Za-z]+?)E", name)
            key = workload[1] if workload else "*", kernel[1]
            largest[key] = max(size, largest.get(key, 0))
    if not largest:
        sys.exit(f"no kernels in {sys.argv[1]}")
    for (workload, kernel), size in sorted(largest.items()):
        print(workload, kernel, size)


main()
