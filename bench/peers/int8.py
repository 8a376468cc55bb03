#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The networks of bench/int8 in 8 bits by sinter and by onnxruntime on this machine's CPU, one thread each, in turns.

    PYTHON bench/peers/int8.py                    a Python with onnx and onnxruntime, as that of bench/peers/compare --install
    PYTHON bench/peers/int8.py --rounds 15

onnxruntime gets the same layers, quantized by its quantize_static: activations of 8 bits without sign, weights of 8 bits with a scale
for each output channel, QDQ nodes, all optimisations.  Weights and inputs are random; times do not depend on them.  Times are
microseconds of the processor a call, medians of the rounds; a ratio is the median of the rounds', too.  On AVX2 without VNNI
onnxruntime adds two products in 16 bits, which saturate: its integers may differ from those of other machines.
"""
import argparse
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper
from onnxruntime import quantization

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from onnxruntime_cpu import Builder, options, use_threads, version  # noqa: E402
from rows import FLAT, NETWORKS, POOL, RELU, conv  # noqa: E402

WIDE = ((1, 28, 28), [conv(32, 3), RELU, conv(32, 3), RELU, POOL, conv(64, 3), RELU, conv(64, 3), RELU, POOL, FLAT, ("linear", 128), RELU,
                      ("linear", 10), ("logsoftmax",)])
COMPARED = {"LeNet": NETWORKS["W1"], "convolutions of 32 and 64 channels": WIDE,
            "784-1024-1024-10": (NETWORKS["784-1024-1024-10"][0], [*NETWORKS["784-1024-1024-10"][1], ("logsoftmax",)])}
ROWS = (1, 64)


class Examples(quantization.CalibrationDataReader):
    def __init__(self, x):
        self.left = [{"x": x}]

    def get_next(self):
        return self.left.pop() if self.left else None


def session_of(layers, shape, folder):
    """In 8 bits, for any number of rows."""
    build = Builder()
    output = build.chain(layers, "x", shape)
    graph = helper.make_graph(build.nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", *shape])],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, ["rows", 10])], build.weights)
    given, quantized = folder / "float.onnx", folder / "int8.onnx"
    given.write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString())
    prepared = folder / "prepared.onnx"
    quantization.quant_pre_process(given, prepared)
    examples = np.random.default_rng(3).random((10, *shape), dtype=np.float32)
    quantization.quantize_static(prepared, quantized, Examples(examples), quant_format=quantization.QuantFormat.QDQ, per_channel=True,
                                 activation_type=quantization.QuantType.QUInt8, weight_type=quantization.QuantType.QInt8)
    return [onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"]) for file in (given, quantized)]


def time_of(session, x, seconds):
    name, calls = session.get_outputs()[0].name, 0
    begin = time.process_time()
    while calls == 0 or time.process_time() - begin < seconds:
        session.run([name], {"x": x})
        calls += 1
    return 1e6 * (time.process_time() - begin) / calls


def ours_of(program):
    """{(network, rows): (float, int8)} of one round."""
    done = subprocess.run([program, "--times", "--rounds", "3"], capture_output=True, text=True, check=True)
    found = {}
    for line in done.stdout.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if cells and cells[0] in COMPARED:
            first, second, third, fourth = (float(re.match(r"[\d.]+", cells[i])[0]) for i in (1, 2, 5, 6))
            found[cells[0], 1], found[cells[0], 64] = (first, second), (third, fourth)
    return found


def main():
    parser = argparse.ArgumentParser(prog="int8.py", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ours", type=pathlib.Path, default=HERE.parent.parent / "build/release/bench/int8", help="our program")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=.05, help="that a measurement of onnxruntime takes at least")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error(f"--rounds was given {given.rounds}; give it 1 or more")
    if not given.ours.exists():
        sys.exit(f"{given.ours} is not there; build it: cmake --preset release && cmake --build --preset release --target int8")
    use_threads(1)
    sessions, inputs, all_times = {}, {}, {}
    with tempfile.TemporaryDirectory() as folder:
        for name, (shape, layers) in COMPARED.items():
            sessions[name] = session_of(layers, shape, pathlib.Path(folder))
            inputs[name] = np.random.default_rng(2).random((64, *shape), dtype=np.float32)
    for _ in range(given.rounds):
        ours = ours_of(given.ours)
        for name, pair in sessions.items():
            for rows in ROWS:
                theirs = [time_of(session, inputs[name][:rows], given.seconds) for session in pair]
                all_times.setdefault((name, rows), []).append((*ours[name, rows], *theirs))
    print(f"{version()}, {given.rounds} rounds\n")
    print("| network | rows | sinter, float | int8 | onnxruntime, float | int8 | onnxruntime's int8 / sinter's | smallest and largest |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, rows), times in all_times.items():
        ratios = sorted(one[3] / one[1] for one in times)
        cells = [f"{statistics.median(column):.1f}" for column in zip(*times)]
        print(f"| {name} | {rows} | {' | '.join(cells)} | {statistics.median(ratios):.2f} | {ratios[0]:.2f}-{ratios[-1]:.2f} |")


if __name__ == "__main__":
    main()
