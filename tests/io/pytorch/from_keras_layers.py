#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_keras_layers.py CXX FOLDER [NAME..]: each layer that tools/from_keras.py takes, run beside Keras."""
import pathlib
import sys

from keras_models import check, compare, converted, emptied, keras, sequential

L = keras.layers


def each(begin, *models):
    return [(f"{begin}{number}", model) for number, model in enumerate(models)]


def windows():
    convolutions = [
        dict(padding="valid"),
        dict(padding="same"),
        dict(padding="same", strides=2),
        dict(padding="same", dilation_rate=2),
        dict(padding="valid", strides=3, activation="tanh"),
        dict(padding="same", use_bias=False)]
    yield from each(
        "Conv1D",
        *[sequential((11, 4), L.Conv1D(6, kernel, **more)) for kernel, more in zip((3, 4, 5, 2, 3, 6), convolutions)],
        sequential((11, 4), L.Conv1D(6, 3, padding="causal", dilation_rate=3)),
        sequential((11, 4), L.Conv1D(6, 3, padding="causal", strides=2, groups=2)),
        sequential((4, 11), L.Conv1D(6, 4, padding="same", data_format="channels_first")),
        sequential((9, 1), L.Conv1D(1, 1, padding="causal")))
    yield from each(
        "Conv2D", *[
            sequential((9, 8, 4), L.Conv2D(6, kernel, **more))
            for kernel, more in zip((3, (2, 4), 5, (3, 2), 2, 4), convolutions)],
        sequential((9, 8, 4), L.Conv2D(6, 3, groups=2, strides=(2, 1), padding="same")),
        sequential((9, 8, 1), L.Conv2D(1, 3, dilation_rate=(1, 2), padding="same")),
        sequential((4, 9, 8), L.Conv2D(6, 3, data_format="channels_first"), L.Flatten(data_format="channels_first"),
                   L.Dense(2)))
    yield from each(
        "Depthwise", *[
            sequential((9, 8, 3), L.DepthwiseConv2D(kernel, depth_multiplier=2, **more))
            for kernel, more in zip((3, (2, 4), 4), convolutions)],
        sequential((9, 3), L.DepthwiseConv1D(3, depth_multiplier=2, padding="same", activation="relu")),
        sequential((9, 3), L.DepthwiseConv1D(4, use_bias=False, strides=2)))
    yield from each("Separable",
                    sequential((9, 8, 3), L.SeparableConv2D(5, 3, depth_multiplier=2, padding="same", strides=2)),
                    sequential((9, 8, 3), L.SeparableConv2D(5, (2, 3), use_bias=False)),
                    sequential((9, 3), L.SeparableConv1D(5, 3, padding="same", activation="tanh")))
    transposed = [(3, 2, "same"), (4, 2, "same"), (3, 2, "valid"), (2, 3, "valid"), (2, 3, "same"), (5, 1, "same"),
                  (3, 1, "valid"), (5, 3, "same"), (6, 3, "same")]
    yield from each(
        "Transposed", *[
            sequential((4, 5, 3), L.Conv2DTranspose(2, kernel, strides=stride, padding=padding))
            for kernel, stride, padding in transposed],
        sequential((5, 3), L.Conv1DTranspose(4, 3, strides=2, padding="same", activation="relu")),
        sequential((5, 3), L.Conv1DTranspose(4, 4, strides=2, use_bias=False)),
        sequential((4, 5, 3), L.Conv2DTranspose(2, (3, 2), strides=(2, 1), padding="same")))
    yield from each(
        "MaxPool", *[
            sequential((9, 7, 3), L.MaxPooling2D(*size, padding=padding)) for size in ((2,), (3, 2), ((2, 3), 1))
            for padding in ("valid", "same")], sequential((9, 3), L.MaxPooling1D(3, 2, padding="same")),
        sequential((3, 9), L.MaxPooling1D(2, data_format="channels_first")))
    yield from each("AvgPool", sequential((9, 7, 3), L.AveragePooling2D((2, 3))),
                    sequential((8, 6, 3), L.AveragePooling2D(2, padding="same")),
                    sequential((9, 3), L.AveragePooling1D(3, 2)))
    yield from each("Global", sequential((5, 4, 3), L.GlobalAveragePooling2D()),
                    sequential((5, 4, 3), L.GlobalMaxPooling2D(keepdims=True)),
                    sequential((5, 3), L.GlobalAveragePooling1D(keepdims=True)),
                    sequential((5, 3), L.GlobalMaxPooling1D()),
                    sequential((3, 5), L.GlobalAveragePooling1D(data_format="channels_first")))
    yield from each("Space", sequential((4, 5, 3), L.ZeroPadding2D(((1, 2), (0, 3)))),
                    sequential((4, 3), L.ZeroPadding1D((2, 1))), sequential((4, 3), L.ZeroPadding1D(2)),
                    sequential((6, 7, 3), L.Cropping2D(((1, 2), (0, 3)))),
                    sequential((6, 7, 3), L.ZeroPadding2D(1), L.Conv2D(4, 3), L.Cropping2D((1, 2))),
                    sequential((6, 3), L.Cropping1D((2, 1))), sequential((4, 3), L.UpSampling1D(3)),
                    sequential((4, 5, 3), L.UpSampling2D(2)), sequential((4, 5, 3), L.UpSampling2D((3, 2))),
                    sequential((4, 5, 3), L.UpSampling2D(2, interpolation="bilinear")),
                    sequential((4, 5, 3), L.Conv2D(2, 1), L.UpSampling2D((2, 2))))


def steps():
    for kind in (L.SimpleRNN, L.GRU, L.LSTM):
        name = kind.__name__
        yield from each(
            name, sequential((6, 3), kind(4)), sequential((6, 3), kind(4, return_sequences=True), kind(3)),
            sequential((6, 3), kind(4, use_bias=False, go_backwards=True)),
            sequential((6, 3), kind(4, return_sequences=True, go_backwards=True, dropout=0.3,
                                    recurrent_dropout=0.1)))
        yield from each(
            f"Both{name}", sequential((6, 3), L.Bidirectional(kind(4))),
            sequential((6, 3), L.Bidirectional(kind(4, return_sequences=True))),
            sequential((6, 3), L.Bidirectional(kind(4, return_sequences=True), merge_mode="sum")),
            sequential((6, 3), L.Bidirectional(kind(4), merge_mode="ave")),
            sequential((6, 3), L.Bidirectional(kind(4, use_bias=False, return_sequences=True),
                                               merge_mode="mul")))
    yield from each("TimeDistributed", sequential((6, 3), L.TimeDistributed(L.Dense(4, activation="relu"))),
                    sequential((6, 3), L.TimeDistributed(L.Activation("tanh")), L.GRU(2)))
    x = keras.Input((6, 8))
    values = (L.MultiHeadAttention(2, 4)(x, x), L.MultiHeadAttention(1, 8)(query=x, value=x, key=x),
              L.MultiHeadAttention(4, 2, use_bias=False, dropout=0.1)(x, x, use_causal_mask=True))
    yield from each("Attention", *[keras.Model(x, value) for value in values])


ACTIVATIONS = ("relu", "relu6", "sigmoid", "tanh", "elu", "celu", "selu", "gelu", "silu", "swish", "softplus",
               "softsign", "mish", "hard_sigmoid", "hard_silu", "hard_swish", "hard_tanh", "leaky_relu", "exponential",
               "log_sigmoid", "tanh_shrink", "softmax", "log_softmax", "linear")


def others():
    yield from each(
        "Activation", *[sequential((5,), L.Dense(4, activation=name)) for name in ACTIVATIONS],
        *[sequential((4, 5, 3), L.Conv2D(4, 3, activation=name))
          for name in ("softmax", "softsign", "selu", "mish")])
    yield from each(
        "Layer", *[
            sequential((4, 3), L.Dense(5), layer)
            for layer in (L.ReLU(), L.ReLU(6), L.ReLU(2.5), L.ReLU(negative_slope=0.3), L.ReLU(1.5, 0.2),
                          L.LeakyReLU(0.25), L.ELU(0.7), L.Softmax(), L.Softmax(axis=1))],
        sequential((4, 3), L.PReLU(shared_axes=[1])), sequential((4, 3), L.PReLU(shared_axes=[1, 2])),
        sequential((5,), L.PReLU()), sequential((4, 5, 3), L.PReLU(shared_axes=[1, 2])),
        sequential((4, 5, 3), L.Conv2D(2, 2), L.Softmax(axis=-1)),
        sequential((3,), L.Dense(4, activation=L.LeakyReLU(0.1))))
    yield from each("Dense", sequential((5,), L.Dense(3)), sequential((4, 5), L.Dense(3, use_bias=False)),
                    sequential((4, 5, 3), L.Dense(2, activation="tanh")), sequential((9, 3), L.Conv1D(4, 3),
                                                                                     L.Dense(2)))
    yield from each("Norm", sequential((5,), L.BatchNormalization()),
                    sequential((4, 5), L.BatchNormalization(scale=False)),
                    sequential((4, 5), L.BatchNormalization(axis=1, center=False)),
                    sequential((4, 5, 3), L.BatchNormalization(epsilon=0.02, center=False, scale=False)),
                    sequential((4, 5, 3), L.BatchNormalization(axis=1)), sequential((5,), L.LayerNormalization()),
                    sequential((4, 5), L.LayerNormalization(scale=False, epsilon=1e-5)),
                    sequential((4, 5), L.LayerNormalization(axis=[1, 2])),
                    sequential((4, 5, 3), L.LayerNormalization(center=False)),
                    sequential((4, 5, 3), L.Conv2D(4, 2), L.LayerNormalization(axis=(2, 3), center=False, scale=False)),
                    sequential((4, 6), L.GroupNormalization(2)),
                    sequential((4, 5, 6), L.GroupNormalization(3, center=False)),
                    sequential((4, 5, 6), L.GroupNormalization(-1)), sequential((5,), L.RMSNormalization()),
                    sequential((4, 5), L.RMSNormalization(epsilon=0.01)), sequential((5,), L.Normalization()),
                    sequential((4, 5, 3), L.Normalization()),
                    sequential((4, 5), L.Normalization(axis=None, mean=2.0, variance=3.0)),
                    sequential((3,), L.Normalization(mean=[2.0, 1000.0, 0.1], variance=[3.0, 0.5, 1e-4])),
                    sequential((4, 5, 3), L.Rescaling(1 / 127.5, -1)), sequential((5,), L.Rescaling(3, 0.5)))
    yield from each(
        "Shape", sequential((4, 5, 3), L.Flatten()), sequential((4, 5, 3), L.Reshape((10, 6))),
        sequential((12,), L.Reshape((2, -1, 3)), L.Conv2D(2, 1)), sequential((4, 5, 3), L.Permute((3, 1, 2))),
        sequential((4, 5), L.Permute((2, 1)), L.Dense(3)), sequential((5,), L.RepeatVector(3)),
        sequential((4, 5, 3), L.Conv2D(4, 3), L.Flatten(), L.Dense(3)),
        sequential((5,), L.Dropout(0.3), L.Dense(2), L.GaussianNoise(0.1), L.GaussianDropout(0.1), L.AlphaDropout(0.1),
                   L.ActivityRegularization(0.1), L.Identity()),
        sequential((4, 5, 3), L.SpatialDropout2D(0.3), L.Conv2D(2, 2)),
        sequential((4, 3), L.SpatialDropout1D(0.3), L.Conv1D(2, 2)))


def tables():
    yield "Embedding0", sequential((6,), L.Embedding(9, 4), L.GRU(3))
    yield "Embedding1", sequential((6,), L.Embedding(9, 4), L.Conv1D(3, 2), L.GlobalMaxPooling1D())
    yield "Embedding2", sequential((2, 3), L.Embedding(9, 4))


def main():
    cxx, folder, only = sys.argv[1], emptied(pathlib.Path(sys.argv[2])), sys.argv[3:]
    good = True
    for family in (windows, steps, others, tables):
        models = {name: model for name, model in family() if not only or name.startswith(tuple(only))}
        wanted = {
            name: converted(folder, name, model, {"": 9} if family is tables else {}) for name, model in models.items()}
        for part in [list(wanted)[first:first + 25] for first in range(0, len(wanted), 25)]:
            good &= check(True, f"{len(part)} models") and compare(cxx, folder, {name: wanted[name] for name in part})
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
