# SPDX-License-Identifier: MIT
"""The numbers of sinter's recurrent layers, by their definitions. layer_values.py needs this file. Needs NumPy."""

import numpy as np

ENDS = ("", "_reverse")
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def sigmoid(x):
    return 0.5 * (1 + np.tanh(x / 2))


def after_step(kind, x, h, state):
    """The next state, [h] or [h, c], from both products with their biases."""
    if kind == "RNN":
        return [np.tanh(x + h)]
    if kind == "GRU":
        (r, z, n), (hr, hz, hn) = np.split(x, 3, -1), np.split(h, 3, -1)
        r, z = sigmoid(r + hr), sigmoid(z + hz)
        return [(1 - z) * np.tanh(n + r * hn) + z * state[0]]
    i, f, g, o = np.split(x + h, 4, -1)
    c = sigmoid(f) * state[1] + sigmoid(i) * np.tanh(g)
    return [sigmoid(o) * np.tanh(c), c]


class Cell:
    """One step, with the weights of a layer and a direction."""

    def __init__(self, layer, inputs, net, name, end):
        self.kind, hidden = layer.name.removesuffix("Cell"), layer.numbers[0]
        self.projected = int(layer.option("ProjectionSize", [0])[0])
        outputs, rows, bias = self.projected or hidden, GATES[self.kind] * hidden, "NoBias" not in layer.options
        self.of_x, self.of_h = net.weight(f"{name}weight_ih{end}", rows, inputs), net.weight(
            f"{name}weight_hh{end}", rows, outputs
        )
        self.bias_x, self.bias_h = (
            net.weight(f"{name}{key}{end}", rows) if bias else 0 for key in ("bias_ih", "bias_hh")
        )
        self.projection = net.weight(f"{name}weight_hr{end}", self.projected, hidden) if self.projected else None
        self.sizes = (outputs, hidden)[: 2 if self.kind == "LSTM" else 1]

    def step(self, x, state):
        made = after_step(self.kind, x @ self.of_x.T + self.bias_x, state[0] @ self.of_h.T + self.bias_h, state)
        return [made[0] @ self.projection.T, *made[1:]] if self.projected else made

    def over(self, x, state):
        """h after each step, [B, T, ..]."""
        found = []
        for t in range(x.shape[1]):
            state = self.step(x[:, t], state)
            found.append(state[0])
        return np.stack(found, 1)


def given_state(layer, row):
    """A row of h of each layer and direction, and then of c, as a list for each of these."""
    places = int(layer.option("NumLayers", [1])[0]) * (2 if "Bidirectional" in layer.options else 1)
    outputs = int(layer.option("ProjectionSize", layer.numbers[:1])[0])
    row = row.reshape(len(row), -1)
    h, c = np.split(row, [places * outputs], 1)
    parts = [h.reshape(len(row), places, outputs)] + ([c.reshape(len(row), places, -1)] if layer.name == "LSTM" else [])
    return [[part[:, place] for part in parts] for place in range(places)]


def recurrence(layer, x, net, name, states=None, lengths=None):
    if lengths is not None:
        return of_lengths(layer, x, net, name, states, lengths.reshape(-1))
    ends = ENDS[: 2 if "Bidirectional" in layer.options else 1]
    for number in range(int(layer.option("NumLayers", [1])[0])):
        made = []
        for at, end in enumerate(ends):
            key = f"_l{number}{end}"
            cell = Cell(layer, x.shape[2], net, name, key)
            state = [np.zeros((len(x), size), x.dtype) for size in cell.sizes]
            if states:
                state = states[number * len(ends) + at]
            elif "LearnedState" in layer.options:
                state = [
                    np.tile(net.weight(f"{name}{one}{key}", size), (len(x), 1))
                    for one, size in zip(("h_0", "c_0"), cell.sizes)
                ]
            made.append(cell.over(x[:, ::-1] if at else x, state))
        x = np.concatenate([made[0], *[one[:, ::-1] for one in made[1:]]], 2)
    if "FinalState" not in layer.options:
        return x
    return np.concatenate([one[:, -1] for one in made], 1)


def of_lengths(layer, x, net, name, states, lengths):
    """Each row by itself: zeros after its steps; NaN for a length that it does not have."""
    rows = []
    for i, length in enumerate(lengths):
        steps = int(length) if length in range(1, x.shape[1] + 1) else 0
        y = recurrence(
            layer,
            x[i : i + 1, : steps or None],
            net,
            name,
            states and [[one[i : i + 1] for one in state] for state in states],
        )[0]
        y = y if steps else np.full_like(y, np.nan)
        rows.append(y if "FinalState" in layer.options or not steps else np.pad(y, ((0, x.shape[1] - steps), (0, 0))))
    return np.stack(rows)


def cell(layer, x, net, name):
    """One step, of rows [x, h] or [x, h, c]."""
    hidden, count = layer.numbers[0], 2 if layer.name == "LSTMCell" else 1
    inputs = x.shape[1] - count * hidden
    return np.concatenate(Cell(layer, inputs, net, name, "").step(x[:, :inputs], np.split(x[:, inputs:], count, 1)), 1)


VALUES = {**dict.fromkeys(GATES, recurrence), "LSTMCell": cell, "GRUCell": cell}
