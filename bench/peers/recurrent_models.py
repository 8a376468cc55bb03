# SPDX-License-Identifier: MIT
"""The files of recurrent.py: its networks with random weights, for each program in the words that it reads."""
import json
import math
import pathlib
import sys

import numpy as np

from recurrent_rows import CELLS, NAM

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))


def tensors_of(name):
    """As PyTorch names them: a cell that reads one number, and the Linear after it."""
    cell, hidden = CELLS[name]
    random, rows, bound = np.random.default_rng(hidden), hidden * {"GRU": 3, "LSTM": 4}[cell], hidden ** -.5
    shapes = {"0.weight_ih_l0": (rows, 1), "0.weight_hh_l0": (rows, hidden), "0.bias_ih_l0": (rows,), "0.bias_hh_l0": (rows,),
              "1.weight": (1, hidden), "1.bias": (1,)}
    return {key: random.uniform(-bound, bound, shape).astype("<f4") for key, shape in shapes.items()}


def safetensors(tensors):
    header, data = {}, b""
    for name, tensor in tensors.items():
        header[name] = {"dtype": "F32", "shape": tensor.shape, "data_offsets": [len(data), len(data) + tensor.nbytes]}
        data += tensor.tobytes()
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def nam_weights(kind, config):
    random = np.random.default_rng(1)

    def numbers(count, inputs):
        return random.uniform(-1, 1, count).astype("<f4").astype(float) / math.sqrt(inputs)

    parts = []
    if kind == "LSTM":
        hidden = config["hidden_size"]
        for k in range(config["num_layers"]):
            inputs = (hidden if k else config["input_size"]) + hidden
            parts += [numbers(4 * hidden * (inputs + 1), inputs), np.zeros(2 * hidden)]
        return np.concatenate([*parts, numbers(hidden + 1, hidden)]).tolist()
    for array in config["layers"]:
        channels, taps = array["channels"], array["kernel_size"]
        parts.append(numbers(channels * array["input_size"], array["input_size"]))
        for _ in array["dilations"]:
            parts += [numbers(channels * (channels * taps + 1), channels * taps), numbers(channels, 1), numbers(channels * (channels + 1), channels)]
        parts.append(numbers(array["head_size"] * (channels + array["head_bias"]), channels))
    return np.concatenate([*parts, [config["head_scale"]]]).tolist()


def write_models(folder):
    """NAME.json and NAME.safetensors of the cells; NAME.nam, and what tools/from_nam.py makes of it."""
    from from_nam import convert
    for name in CELLS:
        tensors = tensors_of(name)
        (folder / f"{name}.json").write_text(json.dumps({key: tensor.tolist() for key, tensor in tensors.items()}))
        (folder / f"{name}.safetensors").write_bytes(safetensors(tensors))
    for name, (kind, config) in NAM.items():
        file = folder / f"{name}.nam"
        text = json.dumps({"version": "0.5.4", "architecture": kind, "config": config, "weights": nam_weights(kind, config), "sample_rate": 48000})
        if not file.exists() or file.read_text() != text or not (folder / f"{name}.hpp").exists():
            file.write_text(text)
            convert(file, name, folder)
