#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The weights of a .keras file, which are in HDF5. h5py reads them in a process of its own, because a damaged file can
end it: run as a program, this file takes HDF5 from its standard input and writes the arrays as NumPy's .npz.
from_keras.py needs it beside it, and h5py."""
import io
import json
import subprocess
import sys

import numpy as np

from layer_graph import Refused, require

LONGEST = 600  # seconds
NOT_MODEL = "optimizer"


class Weights:
    """The arrays of layers, by their places in the file."""

    def __init__(self, data, path):
        try:
            done = subprocess.run([sys.executable, __file__], input=data, capture_output=True, timeout=LONGEST)
        except subprocess.TimeoutExpired:
            raise Refused(f"{path} is damaged: its weights take more than {LONGEST} seconds to read") from None
        if done.returncode != 0:
            lines = done.stderr.decode(errors="replace").strip().splitlines()
            why = lines[-1] if lines else "HDF5 cannot read them"
            raise Refused(f"{path} is not a .keras file, or is damaged: its weights: {why}")
        self.numbers = np.load(io.BytesIO(done.stdout))
        self.index = json.loads(self.numbers["index"].tobytes())

    def arrays(self, place, name):
        """Those of a layer, in Keras' order. `name`: that of the layer, which the file repeats, or None."""
        found = self.index.get(f"{place}/vars")
        require(found is not None, f"the file has no weights in {place!r}, or they are a link")
        said = found["name"]
        require(None in (name, said) or name == said, f"the weights in its place {place!r} are those of {said!r}")
        for at in found["arrays"]:
            require(not isinstance(at, str), f"its weights in {place!r}: {at}")
        return [self.numbers[f"array{at}"].astype(float) for at in found["arrays"]]


# -- the process that reads --------------------------------------------------------------------------------------------


def array(group, name):
    """The numbers of a dataset, or what is wrong with it."""
    import h5py
    if not isinstance(group.get(name, getlink=True), h5py.HardLink):
        return f"{name!r} is a link"
    data = group[name]
    if not isinstance(data, h5py.Dataset) or data.dtype.kind not in "fiu":
        return f"{name!r} has no numbers"
    whole = data.chunks is None and not data.is_virtual and data.external is None and data.id.get_storage_size(
    ) == data.nbytes
    if not whole:
        return f"{name!r} is not stored as Keras does, as a whole"
    given = np.asarray(data[()])
    return given if np.isfinite(given).all() else f"{name!r} has infinities, or what is no number"


def text_of(given):
    """An attribute as a text; None if it is none."""
    given = given.decode(errors="replace") if isinstance(given, bytes) else given
    return given if isinstance(given, str) else None


def all_of(file):
    """The arrays of all groups "vars", and where they are."""
    import h5py
    arrays, index, seen, left = {}, {}, set(), [("", file)]
    while left:
        place, group = left.pop()
        address = h5py.h5o.get_info(group.id).addr
        if address in seen:
            continue
        seen.add(address)
        if place.endswith("/vars"):
            index[place] = {"name": text_of(group.attrs.get("name")), "arrays": []}
            for number in range(len(group)):
                one = array(group, str(number))
                index[place]["arrays"].append(one if isinstance(one, str) else len(arrays))
                if not isinstance(one, str):
                    arrays[f"array{len(arrays)}"] = one
            continue
        for name in group:
            linked = isinstance(group.get(name, getlink=True), h5py.HardLink) and name != NOT_MODEL
            child = group[name] if linked else None
            if isinstance(child, h5py.Group):
                left.append((f"{place}/{name}".lstrip("/"), child))
    return arrays | {"index": np.frombuffer(json.dumps(index).encode(), np.uint8)}


def main():
    import h5py
    try:
        with h5py.File(io.BytesIO(sys.stdin.buffer.read()), "r") as file:
            arrays = all_of(file)
    except (KeyError, MemoryError, OSError, RuntimeError, TypeError, ValueError) as why:
        print(f"{why}" or type(why).__name__, file=sys.stderr)
        return 1
    written = io.BytesIO()
    np.savez(written, **arrays)
    sys.stdout.buffer.write(written.getvalue())
    return 0


if __name__ == "__main__":
    sys.exit(main())
