# SPDX-License-Identifier: MIT
"""The rows of recurrent.py, and the networks in them. Needs nothing but Python."""
import dataclasses

HIDDEN, BLOCKS = (8, 32, 64, 256), (1, 32, 64, 512)
TIME, FEATURES, UNITS, LAYERS, CLASSES, BATCH, DATA_ROWS = 100, 32, 128, 2, 10, 32, 640  # of training


def array(inputs, channels, head, dilations, head_bias):
    return {"input_size": inputs, "condition_size": 1, "head_size": head, "channels": channels, "kernel_size": 3, "dilations": dilations,
            "activation": "Tanh", "gated": False, "head_bias": head_bias}


def wavenet(channels, cut):
    """Two arrays of Neural Amp Modeler; the second has half of the channels."""
    powers = [2 ** k for k in range(10)]
    return "WaveNet", {"layers": [array(1, channels, channels // 2, powers[:cut], False),
                                  array(channels, channels // 2, 1, powers[cut % 10:] + (powers if cut < 10 else []), True)],
                       "head": None, "head_scale": .02}


def lstm(layers, hidden):
    return "LSTM", {"input_size": 1, "hidden_size": hidden, "num_layers": layers}


# As the trainer of Neural Amp Modeler makes them.
NAM = {"WaveNetStandard": wavenet(16, 10), "WaveNetLite": wavenet(12, 7), "WaveNetFeather": wavenet(8, 7), "WaveNetNano": wavenet(4, 7),
       "LSTMStandard": lstm(1, 24), "LSTMLite": lstm(2, 8)}
CELLS = {f"{cell}{hidden}": (cell, hidden) for cell in ("GRU", "LSTM") for hidden in HIDDEN}


@dataclasses.dataclass(frozen=True)
class Row:
    model: str
    block: int = 0  # samples of a stream; 0: a step of training

    @property
    def name(self):
        return f"{self.model} block {self.block}" if self.block else f"{self.model} train"

    @property
    def cell(self):
        return self.model.rstrip("0123456789")

    @property
    def hidden(self):
        return CELLS[self.model][1] if self.block else UNITS

    @property
    def multiply_adds(self):
        """Of a sample of a stream, or of a step of training: products forward, and twice as many back."""
        if not self.block:
            gates, steps = {"GRU": 3, "LSTM": 4}[self.cell], TIME * BATCH
            first, other = (gates * UNITS * (inputs + UNITS) for inputs in (FEATURES, UNITS))
            # The input of the first layer needs no gradient.
            return steps * (3 * (first + other * (LAYERS - 1)) - gates * UNITS * FEATURES) + 3 * BATCH * UNITS * CLASSES
        if self.model in CELLS:
            return {"GRU": 3, "LSTM": 4}[self.cell] * self.hidden * (1 + self.hidden) + self.hidden
        kind, config = NAM[self.model]
        if kind == "LSTM":
            layers, hidden = config["num_layers"], config["hidden_size"]
            return sum(4 * hidden * ((hidden if k else 1) + hidden) for k in range(layers)) + hidden
        return sum(len(one["dilations"]) * one["channels"] * (one["channels"] * (one["kernel_size"] + 1) + 1)
                   + one["channels"] * (one["input_size"] + one["head_size"]) for one in config["layers"])


ROWS = [*(Row(name, 1) for name in CELLS), *(Row(cell) for cell in ("GRU", "LSTM")), *(Row(name, block) for name in NAM for block in BLOCKS)]
