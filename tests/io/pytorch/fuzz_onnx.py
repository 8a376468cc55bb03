#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""fuzz_onnx.py CXX FOLDER [COUNT] [FIRST] [--all]: from_onnx.py with COUNT random models, of seeds from FIRST on.

Each becomes a network that gives what onnxruntime gives, also for rows that the converter did not try, or is refused in
words. Nothing is compiled: CXX is not read.
"""

import pathlib
import sys

root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_onnx  # noqa: E402
import fuzzing  # noqa: E402
import numpy as np  # noqa: E402
import onnx  # noqa: E402
from onnx_file import fix_sizes, read  # noqa: E402
from onnx_values import runner  # noqa: E402
from quoting import quoted  # noqa: E402
from random_onnx import Drawn  # noqa: E402
from written_network import WrittenNetwork  # noqa: E402


def differs(path, folder):
    """In what way what was written differs from the model, for rows that were not tried."""
    model, _ = read(path)
    entries = fix_sizes(model, {})
    if any(entry.type.tensor_type.elem_type != onnx.TensorProto.FLOAT for entry in entries):
        return None
    sizes = {entry.name: [dim.dim_value for dim in entry.type.tensor_type.shape.dim] for entry in entries}
    written = WrittenNetwork((folder / "Fuzzed.hpp").read_text(), (folder / "Fuzzed.safetensors").read_bytes()).inputs
    known = {name for node in model.graph.node for name in node.input}
    taken = [name for name in sizes if (quoted(name) in written if written else name in known)]
    values, generator, rows = runner(model, [end.name for end in model.graph.output]), np.random.default_rng(9), []
    for scale in (1, 4, 0.25):
        x = {name: (generator.standard_normal(dims) * scale).astype(np.float32) for name, dims in sizes.items()}
        pair = [x[name] for name in taken], values(x).values()
        rows.append([np.concatenate([array.reshape(-1) for array in arrays]).astype(float) for arrays in pair])
    return fuzzing.unlike(folder, *(np.stack(arrays) for arrays in zip(*rows)))


def attempt(seed, folder):
    drawn, path = Drawn(seed), folder / f"{seed}.onnx"
    path.write_bytes(drawn.model.SerializeToString())
    try:
        from_onnx.convert(path, "Fuzzed", folder, **drawn.options)
        return None if drawn.options else differs(path, folder)
    finally:
        path.unlink()


if __name__ == "__main__":
    sys.exit(fuzzing.run(__file__, pathlib.Path(sys.argv[2]), sys.argv[3:], attempt, from_onnx.Refused))
