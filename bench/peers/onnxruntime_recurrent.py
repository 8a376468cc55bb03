# SPDX-License-Identifier: MIT
"""The cells of recurrent.py in onnxruntime, a sample at a time: its operators GRU and LSTM, inputs and states bound to memory."""
import json
import time

import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from onnxruntime_cpu import options, use_threads, version  # noqa: F401
from recurrent_rows import CELLS, ROWS  # noqa: F401

clock = time.process_time
ORDER = {"GRU": (1, 0, 2), "LSTM": (0, 3, 1, 2)}  # of ONNX in PyTorch's: z, r, h and i, o, f, c


def variants(row):
    return ["bound"] if row.block and row.model in CELLS else []


def session_of(row):
    with open(f"{row.model}.json") as file:
        tensors = {key: np.array(value, np.float32) for key, value in json.load(file).items()}
    hidden, order, both = row.hidden, ORDER[row.cell], row.cell == "LSTM"

    def rows(name):
        tensor = tensors[f"0.{name}_l0"]
        parts = np.split(tensor, len(order))
        return np.concatenate([parts[i] for i in order])[None]

    weights = {"w": rows("weight_ih"), "r": rows("weight_hh"), "b": np.concatenate([rows("bias_ih"), rows("bias_hh")], 1),
               "matrix": tensors["1.weight"], "bias": tensors["1.bias"], "flat": np.array([1, hidden])}
    states = ["h", "c"] if both else ["h"]
    cell = helper.make_node(row.cell, ["x", "w", "r", "b", "", *states], ["", *(f"{state}_next" for state in states)], hidden_size=hidden,
                            **({} if both else {"linear_before_reset": 1}))
    nodes = [cell, helper.make_node("Reshape", ["h_next", "flat"], ["row"]), helper.make_node("Gemm", ["row", "matrix", "bias"], ["y"], transB=1)]

    def floats(name, *shape):
        return helper.make_tensor_value_info(name, TensorProto.FLOAT, shape)

    graph = helper.make_graph(nodes, "cell", [floats("x", 1, 1, 1), *(floats(state, 1, 1, hidden) for state in states)],
                              [floats("y", 1, 1), *(floats(f"{state}_next", 1, 1, hidden) for state in states)],
                              [numpy_helper.from_array(tensor, name) for name, tensor in weights.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"]), states


def stream(row):
    """A function that takes the next sample from x and writes y. Two bindings pass the state to and fro."""
    session, states = session_of(row)
    x, y = np.full((1, 1, 1), .5, np.float32), np.zeros((1, 1), np.float32)
    memory = [{state: onnxruntime.OrtValue.ortvalue_from_numpy(np.zeros((1, 1, row.hidden), np.float32)) for state in states} for _ in range(2)]
    bindings = []
    for before, after in (memory, memory[::-1]):
        binding = session.io_binding()
        binding.bind_input("x", "cpu", 0, np.float32, x.shape, x.ctypes.data)
        binding.bind_output("y", "cpu", 0, np.float32, y.shape, y.ctypes.data)
        for state in states:
            binding.bind_ortvalue_input(state, before[state])
            binding.bind_ortvalue_output(f"{state}_next", after[state])
        bindings.append(binding)
    return session, bindings, x, y


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    session, (first, second), x, y = stream(row)

    def run():
        for _ in range(32):
            session.run_with_iobinding(first)
            session.run_with_iobinding(second)
        return x, y
    return run, 64


def outputs(row, variant, signal):
    session, bindings, x, y = stream(row)
    given = []
    for i, one in enumerate(signal):
        x[...] = one
        session.run_with_iobinding(bindings[i % 2])
        given.append(float(y[0, 0]))
    return given
