# SPDX-License-Identifier: MIT
"""What the tests of tools/from_keras.py share: models of Keras with random weights, converted, and run beside Keras."""
import os
import pathlib
import re
import sys

os.environ["KERAS_BACKEND"] = "torch"
root = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(root / "tools"))
sys.dont_write_bytecode = True

import from_keras  # noqa: E402
import keras  # noqa: E402
import numpy as np  # noqa: E402
from converted import check, outputs  # noqa: E402

random = np.random.default_rng(7)
ROWS = 5


def with_weights(model):
    """The model with random weights, the variances of which are above 0."""
    for weight in model.weights:
        if weight.dtype.startswith("float"):
            numbers = random.uniform(0.5, 1.5, weight.shape) if "variance" in weight.name else random.normal(
                0, 0.5, weight.shape)
            weight.assign(numbers.astype("float32"))
    for layer in model._flatten_layers():
        if hasattr(layer, "finalize_state"):
            layer.finalize_state()
    return model


def sequential(shape, *layers):
    return keras.Sequential([keras.Input(shape), *layers])


def rows_of(model, counts):
    """Rows of all inputs: numbers beside 0, or those of rows of a table."""
    given = []
    for tensor in model.inputs:
        shape = (ROWS, *tensor.shape[1:])
        count = counts.get(tensor.name, counts.get("", 0))
        given.append(
            random.integers(0, count, shape).astype("float32") if count else random.normal(0, 1.5, shape).
            astype("float32"))
    return given


def side_by_side(values):
    return np.concatenate([np.asarray(value, np.float64).reshape(ROWS, -1) for value in values], 1)


def converted(folder, name, model, counts=None):
    """Saves and converts a model: what Keras gives for the rows of NAME.rows."""
    with_weights(model).save(folder / f"{name}.keras")
    from_keras.convert(folder / f"{name}.keras", name, folder)
    rows = rows_of(model, counts or {})
    (folder / f"{name}.rows").write_bytes(side_by_side(rows).astype("<f4").tobytes())
    y = model(rows if len(rows) > 1 else rows[0], training=False)
    if isinstance(y, dict):
        y = [y[key] for key in re.findall(r'Named<"(\w+)", sinter::Path', (folder / f"{name}.hpp").read_text())]
    values = y if isinstance(y, (list, tuple)) else [y]
    return side_by_side([keras.ops.convert_to_numpy(value) for value in values])


def compare(cxx, folder, wanted):
    """That the compiled networks give what Keras does."""
    good = True
    for name, given in outputs(cxx, root, folder, wanted).items():
        given = np.asarray(given).reshape(ROWS, -1)
        error = abs(given -
                    wanted[name]).max() / max(1,
                                              abs(wanted[name]).max()) if given.shape == wanted[name].shape else np.inf
        good &= check(error < 1e-5, f"{name}: largest difference {error:.1e}")
    return good


def emptied(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.*"):
        old.unlink()
    return folder


def said_of(path, folder, **options):
    try:
        from_keras.convert(path, "Refused", folder, **options)
        return "(nothing)"
    except from_keras.Refused as why:
        return str(why)


def check_said(path, folder, texts, **options):
    said = said_of(path, folder, **options)
    return check(all(text in said for text in texts), f"refused: {said}")
