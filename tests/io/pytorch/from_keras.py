#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_keras.py CXX FOLDER: what tools/from_keras.py makes of models, run beside Keras, and what it refuses.
"""
import json
import os
import pathlib
import subprocess
import sys
import zipfile

from converted import check, struct_of
from keras_models import check_said, compare, converted, emptied, keras, np, root, sequential, with_weights

L = keras.layers


def residual():
    x = keras.Input((8, 8, 3), name="picture")
    y = z = L.Conv2D(6, 3, padding="same", use_bias=False)(x)
    y = L.ReLU()(L.BatchNormalization()(y))
    y = L.Add()([L.Conv2D(6, 3, padding="same")(y), z])
    gate = L.Dense(6, activation="sigmoid")(L.Dense(2, activation="relu")(L.GlobalAveragePooling2D(keepdims=True)(y)))
    y = L.Concatenate()([L.Multiply()([y, gate]), L.UpSampling2D()(L.MaxPooling2D()(y))])
    return keras.Model(x, L.Dense(4)(L.Flatten()(y)))


def merged():
    x = keras.Input((6, 4))
    a, b, c = L.Conv1D(5, 3, padding="same")(x), L.Dense(5)(x), L.GRU(5, return_sequences=True)(x)
    y = [
        L.Subtract()([a, b]),
        L.Average()([a, b, c]),
        L.Maximum()([b, c]),
        L.Minimum()([a, b, c]),
        L.Multiply()([a, c])]
    return keras.Model(x, L.Concatenate(axis=-1)([L.Concatenate(axis=1)([*y, a]), L.Concatenate(axis=1)([c] * 6)]))


def shared():
    """A layer and a model, each in two places."""
    one, other = keras.Input((6,), name="one"), keras.Input((6,), name="other\"\n")
    tower = sequential((6,), L.Dense(5, activation="tanh"), L.Dense(4))
    last = L.Dense(3)
    x, y = tower(one), tower(other)
    return keras.Model([one, other], {"sum": last(L.Add()([x, y])), "difference": last(L.Subtract()([x, y]))})


def nested():
    inside = keras.Input((5,))
    heads = keras.Model(inside, [L.Dense(3)(inside), L.Dense(2)(inside)], name="heads")
    x = keras.Input((7,))
    a, b = heads(sequential((7,), L.Dense(6), sequential((6,), L.Dense(5, activation="relu")))(x))
    return keras.Model(x, [a, b, L.Concatenate()([a, b])])


def operations():
    x = keras.Input((4, 5, 3))
    y = 3 - x * 2.0 + 1.0
    z = keras.ops.concatenate([keras.ops.relu(y), keras.ops.tanh(x) - y], -1)
    return keras.Model(x, keras.ops.sigmoid(z + keras.ops.hard_silu(z) / 4) * z)


def transformer():
    x = keras.Input((7,), dtype="int32")
    y = L.Embedding(11, 8)(x)
    y = L.LayerNormalization()(L.Add()([y, L.Dropout(0.1)(L.MultiHeadAttention(2, 4)(y, y, use_causal_mask=True))]))
    z = L.Dense(8)(L.Dense(16, activation="gelu")(y))
    return keras.Model(x, L.Dense(3)(L.GlobalAveragePooling1D()(L.LayerNormalization()(L.Add()([y, z])))))


def late():
    model = keras.Sequential([L.Dense(4, activation="relu"), L.Dense(2)])
    model.build((None, 5))
    return model


def digits():
    return sequential((28, 28, 1), L.Conv2D(4, 3, activation="relu"), L.MaxPooling2D(), L.Dropout(0.2), L.Flatten(),
                      L.Dense(10, activation="softmax"))


def series():
    return sequential((12, 2), L.Conv1D(4, 3, padding="causal", activation="relu"),
                      L.Conv1D(3, 3, padding="causal"), L.Bidirectional(L.LSTM(3)), L.Dense(1))


# Models, the rows of their tables, and what the header must say.
CASES = {
    "Residual": (
        residual, 0,
        "sinter::Input<8, 8, 3>, sinter::Permute<0, 3, 1, 2>, sinter::Conv2d<6, 3, sinter::Padding<1>, sinter::NoBias>"
    ), "Merged": (merged, 0, "Input<6, 4>"), "SharedLayers": (shared, 0, "sinter::Named<\"difference\""),
    "Nested": (nested, 0, "sinter::Input<7>, sinter::Linear<6>, sinter::Linear<5>, sinter::ReLU"),
    "Operations": (operations, 0, "sinter::Input<4, 5, 3>"),
    "Transformer": (transformer, 11, "sinter::Input<7>, sinter::Embedding<11, 8>"),
    "Late": (late, 0, "sinter::Input<5>, sinter::Linear<4>, sinter::ReLU, sinter::Linear<2>> {}"),
    "Digits": (digits, 0, "sinter::Input<28, 28, 1>, sinter::Reshape<1, 28, 28>, sinter::Conv2d<4, 3>, sinter::ReLU, "
               "sinter::MaxPool2d<2>, sinter::Dropout<0.2>"),
    "Series": (series, 0, "Permute<0, 2, 1>, sinter::Conv1d<4, 3, sinter::Causal>, sinter::ReLU, "
               "sinter::Conv1d<3, 3, sinter::Causal>, sinter::Permute<0, 2, 1>, sinter::LSTM<3, "),
}


class Twice(L.Layer):

    def call(self, x):
        return 2 * x


class Own(keras.Model):

    def call(self, x):
        return x


def own():
    model = Own()
    model(np.zeros((1, 3)))
    return model


def with_state():
    x = keras.Input((4, 3))
    _, h = L.GRU(2, return_state=True)(x)
    return keras.Model(x, h)


def from_state():
    x, h = keras.Input((4, 3)), keras.Input((2,))
    return keras.Model([x, h], L.GRU(2)(x, initial_state=h))


def across():
    x, y = keras.Input((4, 8)), keras.Input((5, 8))
    return keras.Model([x, y], L.MultiHeadAttention(2, 4)(x, y))


def noisy():
    x = keras.Input((4,))
    return keras.Model(x, L.Dropout(0.5)(x, training=True))


def noisy_inside():
    x = keras.Input((4,))
    return keras.Model(x, sequential((4,), L.Dropout(0.5), L.Dense(2))(x, training=True))


REFUSED = [(lambda: sequential((6, 3), Twice(), L.GRU(4, reset_after=False, return_sequences=True, name="a\n\"b"),
                               L.LSTM(4, activation="relu"), L.Dense(2, activation="sparsemax")), [
                                   "(Twice): 'Twice' is a class of your own, whose code is not in the file",
                                   "layer 'a\\n\"b' (GRU): reset_after is false",
                                   "(LSTM): its activation is 'relu'; that of sinter's LSTM is tanh",
                                   "(Dense): the activation 'sparsemax'; sinter has no layer for it"]),
           (lambda: sequential((4, 4, 4, 2), L.Conv3D(2, 2)), ["samples of the sizes"]),
           (lambda: sequential((4, 4, 2), L.Conv2D(2, 2), L.ZeroPadding2D(1), L.UnitNormalization()),
            ["(UnitNormalization): sinter has no layer for it"]),
           (lambda: sequential((3,), L.Dense(2, activation=lambda x: x)),
            ["(Dense): the activation of a lambda"]),
           (lambda: sequential((3,), L.Lambda(lambda x: x)), ["(Lambda): sinter has no layer for it"]),
           (own, ["is a class of your own"]),
           (lambda: sequential((5,), L.Embedding(4, 3, mask_zero=True), L.GRU(2)), ["(Embedding): mask_zero"]),
           (lambda: sequential((5, 2), L.Masking()), ["(Masking): sinter has no layer"]),
           (lambda: sequential((5, 5, 2), L.AveragePooling2D(2, padding="same")),
            ['(AveragePooling2D): padding="same" of [5, 5, 2], whose averages leave out the padding']),
           (lambda: keras.Sequential([keras.Input(
               (4, 3), batch_size=2), L.GRU(2, stateful=True)]), ["(GRU): stateful=True may change what it computes"]),
           (with_state, ["(GRU): return_state=True may change"]),
           (from_state, ["(GRU): it is called with initial_state"]),
           (across, ["(MultiHeadAttention): attention to another sequence"]),
           (noisy, ["(Dropout): it is called with training"]),
    (noisy_inside, ["is called with training"]),
           (lambda: sequential((4, 6), L.Bidirectional(L.GRU(3), backward_layer=L.LSTM(3, go_backwards=True))),
            ["(Bidirectional): GRU and LSTM inside of it"]),
           (lambda: sequential(
               (None, 3), L.GRU(2)), ["has samples of the sizes [None, 3]; give those of one by --shape"]),
           (lambda: sequential((4,), L.Dense(3, activation=L.PReLU())), ["(Dense): the activation"]),
           (lambda: sequential((4, 5), L.PReLU()), ["(PReLU): its slopes have the sizes [4, 5]"]),
           (lambda: sequential((4, 5), L.ReLU(threshold=1.0)), ["(ReLU): a threshold of 1.0"]), ]


def check_program(cxx, folder):
    path, good = folder / "open.keras", True
    with_weights(sequential((None, 3), L.Conv1D(4, 3), L.GlobalMaxPooling1D())).save(path)
    name = next(iter(json.loads(zipfile.ZipFile(path).read("config.json"))["config"]["layers"]))["config"]["name"]
    settings = os.environ | {"CXX": cxx, "CXXFLAGS": "-O0 -DSINTER_KEEP_CALLS"}
    for given, code, text in (([f"--shape={name}=9x3", "--compile"], 0,
                               "replayed its self-test"), ([f"--shape={name}=9x4"], 1, ": input"),
                              ([], 1, "by --shape"), (["--shape=9x3"], 1, "give INPUT=SIZES")):
        said = subprocess.run([sys.executable, root / "tools/from_keras.py", path, "Open", folder, *given],
                              capture_output=True, text=True, env=settings)
        good &= check(said.returncode == code and text in said.stdout + said.stderr,
                      f"{given}: {said.stdout}{said.stderr}")
    return good


def main():
    cxx, folder = sys.argv[1], emptied(pathlib.Path(sys.argv[2]))
    good = True
    for number, (make, texts) in enumerate(REFUSED):
        make().save(folder / f"refused{number}.keras")
        good &= check_said(folder / f"refused{number}.keras", folder, texts)
    good &= check(not list(folder.glob("Refused*")), "what is refused writes nothing")
    wanted = {}
    for name, (make, count, text) in CASES.items():
        wanted[name] = converted(folder, name, make(), {"": count})
        good &= check(text in struct_of(folder / f"{name}.hpp"), f"{name}: the header says {text}")
    good &= compare(cxx, folder, wanted)
    return 0 if good & check_program(cxx, folder) else 1


if __name__ == "__main__":
    sys.exit(main())
