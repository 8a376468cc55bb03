#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make cifar10_subset.tar.xz: the first 35 training and 10 test pictures of each class of CIFAR-10, in the order of the files.

usage: make_cifar_subset.py CIFAR10_DIR [OUT]      CIFAR10_DIR holds the binary version's six files; OUT: cifar10_subset.tar.xz
"""
import io
import lzma
import pathlib
import sys
import tarfile

from make_subset import first_of_each_class

RECORD = 3073  # a label, then 1,024 of red, green and blue
BATCHES = [f"data_batch_{i}.bin" for i in range(1, 6)]
# What a pixel differs from its neighbour by packs to 7/8 of what the pixel itself does.
FILTERS = [{"id": lzma.FILTER_DELTA, "dist": 1},
           {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "lc": 4, "lp": 0, "pb": 0}]


def chosen(folder, names, count):
    records = b"".join((folder / name).read_bytes() for name in names)
    if len(records) % RECORD != 0:
        sys.exit(f"{folder}: {', '.join(names)} do not hold records of {RECORD} bytes: is this the binary version?")
    return [records[i * RECORD:(i + 1) * RECORD] for i in first_of_each_class(records[::RECORD], count)]


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    out = pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else pathlib.Path(__file__).with_name("cifar10_subset.tar.xz"))
    train, test = chosen(folder, BATCHES, 35), chosen(folder, ["test_batch.bin"], 10)
    each = len(train) // len(BATCHES)
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        parts = [(name, train[i * each:(i + 1) * each]) for i, name in enumerate(BATCHES)] + [("test_batch.bin", test)]
        for name, records in parts:
            entry = tarfile.TarInfo(name)  # no time, no owner: the same bytes on every machine
            entry.size = len(records) * RECORD
            tar.addfile(entry, io.BytesIO(b"".join(records)))
    out.write_bytes(lzma.compress(archive.getvalue(), format=lzma.FORMAT_XZ, filters=FILTERS))
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
