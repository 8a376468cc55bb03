# SPDX-License-Identifier: MIT
"""Keras' activations: functions of single numbers, and softmax. from_keras.py needs this file beside it."""
from graph_builder import each, functor, negative, permuted
from keras_config import Given, kind_of
from keras_layouts import along, axis_of, below, first, last, together
from layer_graph import number, require, spelled
from numpy_weights import layer as layer_with
from numpy_weights import scaled

LARGEST = 3.4028234663852886e38
SELU_ALPHA, SELU_SCALE = 1.6732632423543772, 1.0507009873554805
SIMPLE = {
    "relu": "ReLU", "relu6": "ReLU6", "sigmoid": "Sigmoid", "tanh": "Tanh", "elu": "ELU<1.0>", "celu": "ELU<1.0>",
    "gelu": "GELU", "silu": "SiLU", "swish": "SiLU", "softplus": "Softplus<1.0, 20.0>", "hard_sigmoid": "Hardsigmoid",
    "hard_silu": "Hardswish", "hard_swish": "Hardswish", "hard_tanh": "Hardtanh<-1.0, 1.0>",
    "leaky_relu": "LeakyReLU<0.2>", "exponential": functor("Exp"), "exp": functor("Exp"), "square": functor("Square"),
    "abs": functor("Abs"), "absolute": functor("Abs"), "negative": functor("Negation"), "sqrt": functor("Sqrt"),
    "log": functor("Log")
}


def times(x, factor, shift=0):
    """x factor + shift."""
    source, order = below(x)
    return permuted(scaled(source, 0, factor, shift, x.described), order)


def product(one, other):
    return together("multiply", [one, other], one.described)


def selu(x):
    return times(each(x, spelled("ELU", number(SELU_ALPHA)), x.described), SELU_SCALE)


def softsign(x):
    return product(x, each(times(each(x, functor("Abs"), x.described), 1, 1), functor("Reciprocal"), x.described))


def mish(x):
    return product(x, each(each(x, SIMPLE["softplus"], x.described), "Tanh", x.described))


def log_sigmoid(x):
    return negative(each(negative(x), SIMPLE["softplus"], x.described))


def tanh_shrink(x):
    return together("add", [x, negative(each(x, "Tanh", x.described))], x.described)


def softmax(x, axis=-1, name="Softmax"):
    """Along one dimension."""
    if len(x.shape) == 1:
        return layer_with(x, name, x.shape, x.described)
    return along(x, axis_of(x, axis),
                 lambda source, dim: layer_with(source, spelled(f"{name}Along", dim + 1), source.shape, x.described))


def log_softmax(x):
    return softmax(x, -1, "LogSoftmax")


COMPOSED = {
    "selu": selu, "softsign": softsign, "mish": mish, "log_sigmoid": log_sigmoid, "tanh_shrink": tanh_shrink,
    "softmax": softmax, "log_softmax": log_softmax, "linear": lambda x: x}


def activated(x, given):
    """x after an activation: None, a name, or a layer without weights."""
    if given is None:
        return x
    if isinstance(given, dict):
        return by_layer(x, given)
    require(
        isinstance(given, str) and (given in SIMPLE or given in COMPOSED),
        f"the activation {given!r:.60}; sinter has no layer for it")
    return COMPOSED[given](x) if given in COMPOSED else each(x, SIMPLE[given], x.described)


def by_layer(x, entry):
    kind = entry.get("class_name")
    name = "of a lambda" if "value" in entry else repr(entry.get("registered_name") or kind)
    require(kind in LAYERS, f"the activation {name:.60}; sinter has no layer for it")
    function, config = LAYERS[kind_of(entry)], Given(entry["config"])
    y = function(config, x)
    config.refuse_rest()
    return y


# -- layers: functions of a Given and their input ----------------------------------------------------------------------


def activation(given, x):
    return activated(x, given["activation"])


def relu(given, x):
    most, slope, threshold = given.get("max_value"), given.real("negative_slope", 0.0), given.real("threshold", 0.0)
    require(threshold == 0, f"a threshold of {threshold}; sinter's ReLU bends at 0")
    most = None if most is None else given.real("max_value")
    if not slope:
        text = "ReLU" if most is None else "ReLU6" if most == 6 else spelled("Hardtanh", number(0), number(most))
        return each(x, text, x.described)
    y = each(x, spelled("LeakyReLU", number(slope)), x.described)
    return y if most is None else each(y, spelled("Hardtanh", number(-LARGEST), number(most)), x.described)


def leaky_relu(given, x):
    return each(x, spelled("LeakyReLU", number(given.real("negative_slope"))), x.described)


def elu(given, x):
    return each(x, spelled("ELU", number(given.real("alpha", 1.0))), x.described)


def softmax_layer(given, x):
    return softmax(x, given.get("axis", -1))


LAYERS = {"Activation": activation, "ReLU": relu, "LeakyReLU": leaky_relu, "ELU": elu, "Softmax": softmax_layer}


def prelu(layer, x):
    """Slopes of all numbers or of each channel."""
    axes = [axis_of(x, axis, 'its "shared_axes"') for axis in layer.given.get("shared_axes") or []]
    shape = [1 if dim in axes else size for dim, size in enumerate(x.shape)]
    slopes, = layer.weights(shape)
    own = [dim for dim, size in enumerate(shape) if size != 1]
    require(
        own in ([], [len(shape) - 1]),
        f"its slopes have the sizes {shape}; sinter's PReLU has one, or one for each channel: share the other axes by "
        "shared_axes")
    if not own:
        return each_with(x, "PReLU<>", slopes.reshape(1))
    return last(layer_with(first(x), "PReLU<PerChannel>", first(x).shape, x.described, weight=slopes.reshape(-1)))


def each_with(x, text, weight):
    source, order = below(x)
    return permuted(layer_with(source, text, source.shape, x.described, weight=weight), order)
