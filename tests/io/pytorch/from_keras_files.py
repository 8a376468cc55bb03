#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_keras_files.py CXX FOLDER [COUNT]: .keras files that are cut, hostile or changed at random.
"""
import json
import pathlib
import sys
import zipfile

import h5py
from converted import check
from keras_models import check_said, emptied, keras, np, said_of, sequential, with_weights

L = keras.layers


def graph():
    x = keras.Input((6, 6, 2))
    y = L.Conv2D(3, 3, padding="same", activation="relu")(x)
    y = L.Add()([L.BatchNormalization()(y), L.DepthwiseConv2D(3, padding="same")(y)])
    return keras.Model(x, [L.Dense(2)(L.GlobalAveragePooling2D()(y)), L.MaxPooling2D(3)(y)])


def altered(path, to, part, change):
    """A copy of a file, one part of which is changed."""
    with zipfile.ZipFile(path) as given, zipfile.ZipFile(to, "w") as made:
        for name in given.namelist():
            data = given.read(name)
            made.writestr(name, change(data) if name == part else data)
    return to


def config_with(change):

    def of(data):
        config = json.loads(data)
        change(config)
        return json.dumps(config).encode()

    return of


def weights_with(folder, change):

    def of(data):
        path = folder / "changed.h5"
        path.write_bytes(data)
        with h5py.File(path, "r+") as file:
            change(file)
        return path.read_bytes()

    return of


def relinked(file, link):
    del file["layers/dense/vars/0"]
    file["layers/dense/vars/0"] = link


def replaced(file, **more):
    del file["layers/dense/vars/0"]
    file["layers/dense/vars"].create_dataset("0", **more)


def check_files(path, folder):
    """Files that are cut, hostile or none."""
    to = folder / "changed.keras"
    dense = ["config", "layers", 1, "config"]

    def at(place, key, value):

        def change(config):
            for step in place:
                config = config[step]
            config[key] = value

        return change

    good = True
    for change, texts in ((at(dense, "fancy", [1]), ["(Dense): fancy=[1] may change what it computes"]),
                          (at(dense, "units", 5), ["(Dense): its weights have the sizes [3, 4]; expected are [3, 5]"
                                                   ]), (at(dense, "units", 1 << 40), ['its "units" is 1099511627776']),
                          (at(dense, "dtype",
                              "int8"), ["its \"dtype\" is 'int8'"]), (at(dense, "lora_rank",
                                                                         4), ["lora_rank=4 may change"]),
                          (at(dense, "quantization_config",
                              {"a": 1}), ["quantization_config={'a': 1} may change"
                                          ]), (at(dense[:-1], "registered_name",
                                                  "Mine>Dense"), ["'Mine>Dense' is a class of your own"]),
                          (at(dense[:-1], "module",
                              "os"), ["is a class of your own"]), (at([], "class_name", "Other"),
                                                                   ["Other is no Sequential or functional model"
                                                                    ]), (at(["config"], "layers",
                                                                            {}), ['its "layers" are no list'])):
        good &= check_said(altered(path, to, "config.json", config_with(change)), folder, texts)
    for change, texts in ((lambda file: relinked(file, h5py.SoftLink("/layers/dense_1/vars/0")), ["'0' is a link"]),
                          (lambda file: relinked(file, h5py.ExternalLink("other.h5", "/x")),
                           ["'0' is a link"]), (lambda file: replaced(file, shape=(3, 4), dtype="f4", external=[
                               ("/etc/passwd", 0, 48)]), ["is not stored as Keras does"]),
                          (lambda file: replaced(file, shape=(1 << 40,), dtype="f4", chunks=(1,)),
                           ["is not stored as Keras does"
                            ]), (lambda file: replaced(file, data=np.array([["a"]], "S")),
                                 ["has no numbers"]), (lambda file: replaced(file, data=np.full(
                                     (3, 4), np.nan, "f4")), ["has infinities, or what is no number"]),
                          (lambda file: file["layers/dense/vars"].attrs.modify("name", "other"),
                           ["are those of 'other'"]), (lambda file: file.__delitem__("layers/dense"),
                                                       ["the file has no weights in 'layers/dense'"])):
        good &= check_said(altered(path, to, "model.weights.h5", weights_with(folder, change)), folder, texts)
    for part, data, texts in (("config.json", b"[" * 100000, ["nested too deeply"]), ("config.json", b"[1]", [
            "holds list, not an object"]), ("config.json", b"\xff", ["is not JSON"]), ("config.json", b'{"a":' * 100000,
                                                                                       ["nested too deeply"]),
                              ("metadata.json", b'{"keras_version": "2.12.0"}', ["was written by Keras 2.12.0"]),
        ("metadata.json", b'{"keras_version": "4.0"}', ["was written by Keras 4.0"]),
        ("config.json", DEEP, ["nested too deeply"]),
                              ("model.weights.h5", b"x", ["is damaged: its weights"])):
        good &= check_said(altered(path, to, part, lambda _, data=data: data), folder, texts)
    for data, texts in ((b"\x89HDF\r\n\x1a\n", ["is an HDF5 file, as older versions wrote them"]),
                        (b"", ["is not a .keras file"]), (path.read_bytes()[:-30],
                                                          ["is not a .keras file, or is damaged"])):
        to.write_bytes(data)
        good &= check_said(to, folder, texts)
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("config.json", b" " * (1 << 26))
        made.writestr("metadata.json", b"{}")
        made.writestr("model.weights.h5", b"")
    good &= check_said(to, folder, ["its config.json is compressed as no model is"])
    good &= check_said(folder / "lacking.keras", folder, ["lacking.keras cannot be read"])
    good &= check_said(path, folder, ["x are no inputs"], shapes={"x": (3,)})
    return good


DEEP = (b'{"module": "keras", "class_name": "Functional", "config": {"layers": [{"name": "a", "module": "keras.layers", '
        b'"class_name": "Dense", "config": {}, "inbound_nodes": [{"args": ' + b"[" * 900 + b"]" * 900 + b"}]}]}}")
VALUES = [
    None, True, False, -1, 0, 1, 3, 1 << 62, 0.5, 1e308,
    float("nan"), "", "x", "same", "keras.layers", [], [1], [1, 2, 3], [[]], {}, {"class_name": "Dense"}, [None, 3]]


def difference(path, folder):
    """How far the self-test is from what Keras gives; None if it does not read the file."""
    data = (folder / "Refused.safetensors").read_bytes()
    header = json.loads(data[8:8 + int.from_bytes(data[:8], "little")])["__metadata__"]
    test = {key: np.array(rows) for key, rows in json.loads(header["sinter.self_test"]).items()}
    try:
        model = keras.saving.load_model(path, compile=False)
        y = model(test["inputs"].reshape(2, *model.inputs[0].shape[1:]), training=False)
    except Exception:  # Keras' own, of any kind
        return None
    y = np.concatenate([keras.ops.convert_to_numpy(one).reshape(2, -1) for one in (y if isinstance(y, list) else [y])],
                       1)
    return abs(y - test["outputs"]).max() / max(1, abs(y).max()) if y.shape == test["outputs"].shape else np.inf


def check_fuzzed(path, folder, count):
    """Configurations with one other value, and files with other bytes, become a network or a sentence."""
    good, taken, compared, to = True, 0, 0, folder / "changed.keras"
    with_weights(graph()).save(folder / "large.keras")
    with_weights(sequential((6, 3), L.Bidirectional(L.LSTM(2, return_sequences=True)), L.Conv1D(2, 2),
                            L.GRU(2))).save(folder / "steps.keras")

    def places(given, found):
        for key in given if isinstance(given, dict) else range(len(given)) if isinstance(given, list) else ():
            found.append((given, key))
            places(given[key], found)
        return found

    def change(config, random):
        found = places(config, [])
        given, key = found[random.integers(len(found))]
        if random.integers(6) == 0 and isinstance(given, dict):
            del given[key]
        else:
            given[key] = VALUES[random.integers(len(VALUES))]

    def other_bytes(data, random):
        data = bytearray(data)
        for _ in range(random.integers(1, 4)):
            data[random.integers(len(data))] = random.integers(256)
        return bytes(data)

    for seed in range(count):
        random = np.random.default_rng(seed)
        of = (path, folder / "large.keras", folder / "steps.keras")[seed % 3]
        part, changed = ("config.json", config_with(lambda config: change(config, random))) if seed % 4 else (
            "model.weights.h5", lambda data: other_bytes(data, random))
        try:
            if said_of(altered(of, to, part, changed), folder) == "(nothing)":
                taken, error = taken + 1, difference(to, folder)
                compared += error is not None
                good &= not error or error < 1e-5 or check(False,
                                                           f"seed {seed}: Keras gives another output, by {error:.1e}")
        except Exception as why:
            good = check(False, f"seed {seed}: {type(why).__name__}: {why}")
    good &= check(taken < count * 0.9, f"{taken} of {count} changed files are taken, the others refused")
    return good & check(compared > count * 0.2, f"Keras reads {compared} of these, too")


def main():
    folder, count = emptied(pathlib.Path(sys.argv[2])), int(sys.argv[3]) if len(sys.argv) > 3 else 300
    small = folder / "small.keras"
    with_weights(sequential((3,), L.Dense(4, activation="relu"), L.Dense(2))).save(small)
    good = check_files(small, folder) & check(not list(folder.glob("Refused*")), "what is refused writes nothing")
    return 0 if good & check_fuzzed(small, folder, count) else 1


if __name__ == "__main__":
    sys.exit(main())
