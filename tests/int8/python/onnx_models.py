#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""onnx_models.py PROGRAM FOLDER: PROGRAM (write.cpp) exports quantized networks; onnx checks the files, and onnxruntime gives
what sinter gave, to STEPS steps of the outputs, as the graph says it and with the kernels of 8 bits that it makes of it.

They round halves to even, and in floats; sinter rounds them upwards, and in integers."""
import math
import pathlib
import subprocess
import sys

import numpy as np
import onnx
import onnxruntime
import safetensors.numpy

STEPS = 2
SOFT = "LeNet", "LeNetScaled", "Series"  # end with a function of whole rows: their steps are those of what it reads
FAILED = []


def check(good, what):
    print(("ok      " if good else "WRONG   ") + what)
    if not good:
        FAILED.append(what)


def run(model, x, optimised, write=None):
    options = onnxruntime.SessionOptions()
    levels = onnxruntime.GraphOptimizationLevel
    options.graph_optimization_level = levels.ORT_ENABLE_ALL if optimised else levels.ORT_DISABLE_ALL
    options.add_session_config_entry("session.x64quantprecision", "1")  # else kernels for AVX2 saturate sums of 16 bits
    options.log_severity_level = 3
    if write:
        options.optimized_model_filepath = str(write)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    x, given, first = x.reshape(len(x), -1), {}, 0
    for entry in model.graph.input:
        shape = [d.dim_value for d in entry.type.tensor_type.shape.dim][1:]
        given[entry.name] = x[:, first:first + math.prod(shape)].reshape(len(x), *shape)
        first += math.prod(shape)
    assert first == x.shape[1], f"{x.shape[1]} numbers for inputs of {first}"
    return session.run(["output"], given)[0].reshape(len(x), -1)


def main():
    program, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    print(f"onnx {onnx.__version__}, onnxruntime {onnxruntime.__version__}")
    subprocess.run([program, folder], check=True)
    models = {}
    for path in sorted(folder.glob("*.onnx")):
        model = models[path.stem] = onnx.load(path)
        onnx.checker.check_model(model, full_check=True)
        rows = safetensors.numpy.load_file(path.with_suffix(".rows"))
        x, step = rows["x"], float(rows["step"][0])
        y = rows["y"].reshape(len(x), -1).astype(float)
        if path.stem == "LeNetScaled":
            x = (x + 1) / 2
        check(path.stem in SOFT or np.ptp(y) > 150 * step, f"{path.stem}: outputs of {np.ptp(y) / step:.0f} steps")
        for optimised in (False, True):
            for count in (len(x), 1):
                difference = np.abs(run(model, x[:count], optimised) - y[:count]) / step
                check(difference.max() <= STEPS,
                      f"{path.stem}: {count} rows, {'optimised' if optimised else 'as it is'}: at most {difference.max():.2f} "
                      f"steps away, {np.mean(difference > .01):.1%} of the numbers differ")
    for name, wanted in {"LeNet": {"Conv", "Gemm", "Relu", "MaxPool", "LogSoftmax"}, "Joined": {"Concat", "Mul", "AveragePool"},
                         "Residuals": {"Add", "Conv"}, "Own": {"Gather"}, "LimitsFirst": {"Clip"}}.items():
        used = {node.op_type for node in models[name].graph.node}
        check(wanted | {"QuantizeLinear", "DequantizeLinear"} <= used and "BatchNormalization" not in used, f"{name}: {sorted(used)}")
    kernels = folder / "kernels.onnx"
    run(models["LeNet"], safetensors.numpy.load_file(folder / "LeNet.rows")["x"], True, kernels)
    used = [node.op_type for node in onnx.load(kernels).graph.node]
    check(used.count("QLinearConv") == 2 and used.count("QGemm") == 3, f"kernels of 8 bits: {used}")
    tensors = {tensor.name: onnx.numpy_helper.to_array(tensor) for tensor in models["LeNet"].graph.initializer}
    check(tensors["3.weight"].dtype == np.int8 and tensors["3.weight"].shape == (16, 6, 5, 5) and tensors["3.bias"].dtype == np.int32
          and tensors["3.weight_scale"].shape == (16,) and tensors["scale0"].shape == (), "weights of 8 bits, a scale for each channel")
    check([entry.name for entry in models["TwoInputs"].graph.input] == ["left", "right"], "names of inputs")
    check({p.key: p.value for p in models["LeNet"].metadata_props}.get("sinter.classes") == "[" + ",".join(f'"{i}"' for i in range(10)) + "]", "metadata")
    return 1 if FAILED else 0


if __name__ == "__main__":
    sys.exit(main())
