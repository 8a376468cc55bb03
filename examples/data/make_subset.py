#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make mnist_subset.tar.xz: the first 500 training and 100 test images of each class, in the publishers' order.

usage: make_subset.py MNIST_DIR [OUT]      MNIST_DIR holds the four unpacked IDX files; OUT: mnist_subset.tar.xz
"""
import io
import lzma
import pathlib
import struct
import sys
import tarfile

SPLITS = {"train": 500, "t10k": 100}


def first_of_each_class(labels, count):
    taken = [0] * 10
    for index, label in enumerate(labels):
        if taken[label] < count:
            taken[label] += 1
            yield index
    if taken != [count] * 10:
        sys.exit(f"expected {count} images of each class, found {taken}: is this the full set?")


def subset(folder, split, count):
    images = (folder / f"{split}-images-idx3-ubyte").read_bytes()
    labels = (folder / f"{split}-labels-idx1-ubyte").read_bytes()
    magic, total, rows, columns = struct.unpack(">4I", images[:16])
    if magic != 0x803 or struct.unpack(">2I", labels[:8]) != (0x801, total):
        sys.exit(f"{folder}: {split} files are not a pair of MNIST's IDX files")
    size = rows * columns
    chosen = list(first_of_each_class(labels[8:], count))
    yield (f"{split}-images-idx3-ubyte", struct.pack(">4I", magic, len(chosen), rows, columns)
           + b"".join(images[16 + i * size:16 + (i + 1) * size] for i in chosen))
    yield f"{split}-labels-idx1-ubyte", struct.pack(">2I", 0x801, len(chosen)) + bytes(labels[8 + i] for i in chosen)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).with_name("mnist_subset.tar.xz"))
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for split, count in SPLITS.items():
            for name, data in subset(folder, split, count):
                entry = tarfile.TarInfo(name)  # no time, no owner: the same bytes on every machine
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    out.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
