#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz_compiled.py CXX FOLDER: the first random models of fuzz_onnx.py and fuzz_pytorch.py that are taken, compiled.

sinter gives what the definitions of its layers give (written_network.py), with which converters check what they write.
"""

import pathlib
import sys
import warnings

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import converted  # noqa: E402
import from_onnx  # noqa: E402
import from_pytorch  # noqa: E402
import numpy as np  # noqa: E402
import random_onnx  # noqa: E402
import random_pytorch  # noqa: E402
from converted import check  # noqa: E402
from value_check import is_same  # noqa: E402
from written_network import WrittenNetwork  # noqa: E402

COUNT = 40  # of each


def of_onnx(seed, name, folder):
    drawn, path = random_onnx.Drawn(seed), folder / "model.onnx"
    path.write_bytes(drawn.model.SerializeToString())
    from_onnx.convert(path, name, folder, **drawn.options)


def of_pytorch(seed, name, folder):
    drawn = random_pytorch.Drawn(seed)
    from_pytorch.convert(drawn.model, drawn.shape, name, folder)


def taken(convert, name, folder, seeds):
    """The names of the first networks."""
    found = []
    for seed in seeds:
        try:
            convert(seed, f"{name}{seed}", folder)
            found.append(f"{name}{seed}")
        except (from_onnx.Refused, from_pytorch.Refused):
            pass
        if len(found) == COUNT:
            break
    return found


def main():
    cxx, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    warnings.simplefilter("ignore")
    names = taken(of_onnx, "Onnx", folder, range(1000)) + taken(of_pytorch, "PyTorch", folder, range(1000))
    generator, wanted = np.random.default_rng(5), {}
    for name in names:
        written = (folder / f"{name}.hpp").read_text(), (folder / f"{name}.safetensors").read_bytes()
        network, rounded = WrittenNetwork(*written), WrittenNetwork(*written, np.float32)
        rows = generator.integers(-24, 25, (5, int(np.prod(network.shape)))).astype(np.float32) / 8
        (folder / f"{name}.rows").write_bytes(rows.tobytes())
        wanted[name] = network(rows), rounded(rows)
    good = check(len(names) == 2 * COUNT, f"{len(names)} random models are taken")
    for name, values in converted.outputs(cxx, root, folder, names).items():
        exact, rounded = wanted[name]
        given = np.array(values, float).reshape(exact.shape)
        known = np.isfinite(exact).all(1) & (np.abs(exact) < 1e18).all(1)
        if not is_same(given[known], exact[known], rounded[known]):
            good = check(
                False, f"{name}: sinter gives {given[known][0][:4]}, its layers' definitions {exact[known][0][:4]}"
            )
    check(good, "sinter gives what the definitions of its layers give")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
