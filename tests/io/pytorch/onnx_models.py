#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""onnx_models.py PROGRAM FOLDER: PROGRAM (exchange.cpp) exports networks; onnx checks the files, and onnxruntime gives what
sinter gave, at the same batch and at batch 1."""
import math
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import safetensors.numpy

FAILED = []


def check(good, what):
    print(("ok      " if good else "WRONG   ") + what)
    if not good:
        FAILED.append(what)


def run(model, x):
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    x, given, first = x.reshape(len(x), -1), {}, 0
    for entry in model.graph.input:  # of several inputs, the rows of sinter are those of each, one after another
        shape = [d.dim_value for d in entry.type.tensor_type.shape.dim][1:]
        given[entry.name] = x[:, first:first + math.prod(shape)].reshape(len(x), *shape)
        first += math.prod(shape)
    assert first == x.shape[1], f"{x.shape[1]} numbers for inputs of {first}"
    return np.concatenate([y.reshape(len(x), -1) for y in session.run(None, given)], 1)  # of several outputs, as the inputs


def near(a, b):
    return np.linalg.norm(a.astype(float) - b) < 2e-6 * np.linalg.norm(b)


def load(path):
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    return model


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    subprocess.run([program, "onnx", folder], check=True)
    for name in ("W1", "W3Mlp", "W3Cnn", "Options", "Activations", "Softpluses", "Branches", "Series", "Norms",
                 "SeriesNorms", "Siamese", "Gates", "Maps", "BatchNorms", "ResNet8", "Sentence", "Recurrents", "States", "Ragged",
                 "Attention", "TwoInputs", "WholeRow", "Outputs"):
        rows = safetensors.numpy.load_file(folder / f"{name}.rows")
        x, y = rows["x"], rows["y"].reshape(len(rows["y"]), -1)
        model = load(folder / f"{name}.onnx")
        check(near(run(model, x), y), f"{name}: onnxruntime gives what sinter gave")
        check(near(run(model, x[:1]), y[:1]), f"{name}: one row")
    rows = safetensors.numpy.load_file(folder / "W3Mlp.rows")
    check(near(run(load(folder / "W3Mlp_normalized.onnx"), (rows["x"] + 1) / 2), rows["y"]), "inputs are scaled in the graph")
    i = np.arange(rows["x"].shape[1], dtype=np.float32)
    table = rows["x"] * (i % 5 + 1) + i % 16
    check(near(run(load(folder / "W3Mlp_columns.onnx"), table), rows["y"]), "by columns")
    means = rows["x"].copy()
    table[:, 3], means[:, 3] = np.nan, 0
    check(near(run(load(folder / "W3Mlp_columns.onnx"), table), run(load(folder / "W3Mlp.onnx"), means)), "a gap is the mean")
    names = [[entry.name for entry in load(folder / f"{name}.onnx").graph.input] for name in ("TwoInputs", "WholeRow", "W1")]
    check(names == [["picture", "numbers"], ["input0", "input1"], ["input"]], f"names of inputs {names}")
    ends = {entry.name: [d.dim_value for d in entry.type.tensor_type.shape.dim][1:] for entry in load(folder / "Outputs.onnx").graph.output}
    check(ends == {"mask": [2, 4, 6], "output1": [4], "output2": [6, 4, 6], "series": [3, 4], "output4": [2], "all": [3, 4, 6]}, f"outputs {ends}")
    one = [entry.name for entry in load(folder / "W1.onnx").graph.output]
    check(one == ["output"], f"one output {one}")
    used = {node.op_type for node in load(folder / "TwoInputs.onnx").graph.node}
    check("Slice" not in used, f"inputs are read as they are, by {sorted(used)}")
    both = safetensors.numpy.load_file(folder / "TwoInputs.rows")
    i = np.arange(both["x"].shape[1], dtype=np.float32)
    check(near(run(load(folder / "TwoInputs_columns.onnx"), both["x"] * (i % 5 + 1) + i % 16), both["y"]), "each of several inputs by its columns")
    images = safetensors.numpy.load_file(folder / "W1.rows")
    check(near(run(load(folder / "W1_channels.onnx"), images["x"] * 2 + 8), images["y"]), "by channels")
    check(near(run(load(folder / "W3Mlp_double.onnx"), rows["x"].astype(float)), rows["y"]), "in double")
    properties = {p.key: p.value for p in load(folder / "W1.onnx").metadata_props}
    check(properties == {"sinter.version": "0.1.0", "sinter.classes": "[" + ",".join(f'"digit{i}"' for i in range(10)) + "]", "author": "me"},
          "metadata")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
