# SPDX-License-Identifier: MIT
"""Keras' layers without windows or states: functions of a Layer and its input. from_keras.py needs this file."""
import numpy as np

from graph_builder import each, order_of, part, shaped, spread
from keras_activations import activated
from keras_layouts import axis_of, first, from_front, last, moved, to_front
from layer_graph import number, product, require, spelled
from layers_over_time import whole
from numpy_weights import layer as layer_with
from numpy_weights import linear, scaled

LEAST_DEVIATION = 1e-7  # that of Normalization


def no_bias(bias):
    return "NoBias" if bias is None else None


def dense(layer, x):
    given, inputs = layer.given, x.shape[-1]
    units = given.whole("units")
    weight, bias = layer.weights((inputs, units), (units,) if given.flag("use_bias", True) else None)
    return activated(applied(x, weight, bias), given.get("activation"))


def applied(x, weight, bias):
    """A matrix [in, out] for the last dimension."""
    inputs, units = weight.shape
    if len(x.shape) == 1:
        return linear(x, weight, bias, x.described)
    if len(x.shape) == 2 and not order_of(x):
        text = spelled("PositionwiseLinear", units, no_bias(bias))
        return layer_with(x, text, (x.shape[0], units), x.described, weight=weight.T, bias=bias)
    source, rank = first(x), len(x.shape) - 1
    text = spelled(f"Conv{rank}d", units, 1, no_bias(bias))
    weight = weight.T.reshape(units, inputs, *[1] * rank)
    return last(layer_with(source, text, (units, *source.shape[1:]), x.described, weight=weight, bias=bias))


def embedding(layer, x):
    given = layer.given
    require(not given.flag("mask_zero", False),
            "mask_zero, by which later layers leave out steps; sinter's take all of them")
    count, size = given.whole("input_dim"), given.whole("output_dim")
    table, = layer.weights((count, size))
    require(len(x.shape) <= 2, f"samples of {list(x.shape)}; they would become those of more than three sizes")
    row = shaped(x, (product(x.shape),))
    made = layer_with(row, spelled("Embedding", count, size), (row.shape[0], size), x.described, weight=table)
    return shaped(made, (*x.shape, size))


# -- shapes ------------------------------------------------------------------------------------------------------------


def flatten(layer, x):
    return shaped(x if layer.given.channels_last() else last(x), (product(x.shape),))


def reshape(layer, x):
    shape = layer.given["target_shape"]
    require(
        isinstance(shape, list) and shape and all(type(n) is int for n in shape) and shape.count(-1) <= 1,
        f'its "target_shape" is {shape!r:.60}')
    known = product(n for n in shape if n != -1)
    shape = tuple(product(x.shape) // known if n == -1 and known > 0 else n for n in shape)
    require(
        min(shape) > 0 and product(shape) == product(x.shape),
        f"it makes samples of {list(x.shape)} those of {list(shape)}")
    require(len(shape) <= 3, f"samples of {list(shape)}; sinter's have one to three sizes")
    return shaped(x, shape)


def permute(layer, x):
    order = layer.given["dims"]
    require(
        isinstance(order, list) and sorted(order) == list(range(1,
                                                                len(x.shape) + 1)),
        f'its "dims" are {order!r:.60} of samples of {list(x.shape)}')
    return moved(x, [dim - 1 for dim in order])


def repeat_vector(layer, x):
    require(len(x.shape) == 1, f"samples of {list(x.shape)}")
    count = layer.given.whole("n")
    return spread(shaped(x, (1, *x.shape)), (1, *x.shape), (count, *x.shape))


def cropped(x, pairs, channels_last):
    """Without numbers before and after, along the dimensions of space."""
    for dim, (before, after) in enumerate(pairs, 0 if channels_last else 1):
        count = x.shape[dim] - before - after
        require(count > 0, f"it leaves nothing of samples of {list(x.shape)}")
        x = part(x, dim, before, count, x.described)
    return x


def sides(given, key, count):
    """Numbers before and after, for each direction."""
    value = given[key]
    value = [value] * count if isinstance(value, int) else value
    require(isinstance(value, list), f'its "{key}" is {value!r:.60}')
    pairs = [value] if count == 1 and all(isinstance(n, int) for n in value) and len(value) == 2 else value
    pairs = [[n, n] if isinstance(n, int) else n for n in pairs]
    good = len(pairs) == count and all(
        isinstance(pair, list) and len(pair) == 2 and all(type(n) is int and 0 <= n < 1 << 24 for n in pair)
        for pair in pairs)
    require(good, f'its "{key}" is {value!r:.60}; expected are numbers before and after')
    return [tuple(pair) for pair in pairs]


def cropping(rank):
    return lambda layer, x: cropped(x, sides(layer.given, "cropping", rank), rank == 1 or layer.given.channels_last())


# -- numbers -----------------------------------------------------------------------------------------------------------


def dropout(layer, x):
    return each(x, spelled("Dropout", number(layer.given.real("rate"))), x.described)


def dropout_of_channels(layer, x):
    source, channels_last = first(x, layer.given.channels_last()), layer.given.channels_last()
    made = layer_with(source, spelled("Dropout2d", number(layer.given.real("rate"))), source.shape, x.described)
    return last(made, channels_last)


def nothing(*keys):
    """What only training sees, without a layer in sinter."""

    def function(layer, x):
        for key in keys:
            layer.given.get(key)
        return x

    return function


def numbers(given, count, what):
    """One number, or one for each channel."""
    array = np.asarray(given, float)
    array = array.reshape([n for n in array.shape if n != 1])
    require(
        array.shape in ((), (count,)),
        f"{what} has the sizes {list(array.shape)} for {count} channels; sinter has one number, or one for each channel"
    )
    require(np.isfinite(array).all(), f"{what} has infinities, or what is no number")
    return array


def normalization(layer, x):
    given, channels = layer.given, x.shape[-1]
    require(not given.flag("invert", False), "invert")
    axis = given.get("axis", -1)
    axes = [axis_of(x, one) for one in ([] if axis is None else axis if isinstance(axis, list) else [axis])]
    require(axes in ([], [len(x.shape) - 1]),
            f"an axis of {axis!r} of samples of {list(x.shape)}; sinter has one number, or one for each channel")
    mean, variance = given.get("mean"), given.get("variance")
    if mean is None:
        shape = tuple(x.shape[one] for one in axes)
        mean, variance, _ = layer.weights(shape, shape, ())
    mean, variance = numbers(mean, channels, "its mean"), numbers(variance, channels, "its variance")
    require((variance >= 0).all(), f"a variance is {variance.min():g}; it must be 0 or more")
    return last(scaled(first(x), mean, 1 / np.maximum(np.sqrt(variance), LEAST_DEVIATION), 0, x.described))


def rescaling(layer, x):
    scale, offset = (numbers(layer.given[key], x.shape[-1], f'its "{key}"') for key in ("scale", "offset"))
    return last(scaled(first(x), 0, scale, offset, x.described))


# -- normalisation -----------------------------------------------------------------------------------------------------


def affine(layer, count, *more):
    """The weights and biases of `center` and `scale`, and further arrays of one number for each channel."""
    shape = count if isinstance(count, tuple) else (count,)
    scale, center = layer.given.flag("scale", True), layer.given.flag("center", True)
    return layer.weights(shape if scale else None, shape if center else None, *more)


def epsilon(given):
    value = given.real("epsilon", 1e-3)
    return spelled("Epsilon", number(value)) if value != 1e-5 else None


def both(weight, bias, count):
    """Names and arrays; none where both lack."""
    if weight is None and bias is None:
        return {}, "NoAffine"
    return {"weight": np.ones(count) if weight is None else weight,
            "bias": np.zeros(count) if bias is None else bias}, None


def batch_normalization(layer, x):
    given = layer.given
    axis = given.get("axis", -1)
    dim = axis_of(x, axis[0] if isinstance(axis, list) and len(axis) == 1 else axis)
    count, momentum = x.shape[dim], round(1 - given.real("momentum", 0.99), 6)
    weight, bias, mean, variance = affine(layer, count, (count,), (count,))
    require((variance >= 0).all(), f"a variance is {variance.min():g}; it must be 0 or more")
    tensors, plain = both(weight, bias, count)
    source = to_front(x, dim)
    options = filter(None, [epsilon(given), spelled("Momentum", number(momentum)), plain])
    text = f"BatchNorm{max(len(x.shape) - 1, 1)}d<{', '.join(options)}>"
    return from_front(
        layer_with(source, text, source.shape, x.described, **tensors, running_mean=mean, running_var=variance), dim)


def layer_normalization(layer, x):
    given = layer.given
    require(not given.flag("rms_scaling", False), "rms_scaling")
    shape = last_sizes(x, given.get("axis", -1))
    weight, bias = affine(layer, shape)
    tensors, plain = both(weight, bias, shape)
    return layer_with(x, spelled("LayerNorm", spelled("NormalizedShape", *shape), epsilon(given), plain), x.shape,
                      x.described, **tensors)


def last_sizes(x, axis):
    axes = sorted(axis_of(x, one) for one in (axis if isinstance(axis, list) else [axis]))
    require(axes and axes == list(range(axes[0], len(x.shape))),
            f"axes {axis!r:.60} of samples of {list(x.shape)}; sinter's norms go along the last ones")
    return x.shape[axes[0]:]


def rms_normalization(layer, x):
    shape = last_sizes(x, layer.given.get("axis", -1))
    weight, = layer.weights(shape)
    return layer_with(x, spelled("RMSNorm", spelled("NormalizedShape", *shape), epsilon(layer.given)), x.shape,
                      x.described, weight=weight)


def group_normalization(layer, x):
    given, dim = layer.given, axis_of(x, layer.given.get("axis", -1))
    count, groups = x.shape[dim], given["groups"]
    groups = count if groups == -1 else whole(groups, 'its "groups"')
    weight, bias = affine(layer, count)
    tensors, plain = both(weight, bias, count)
    source = to_front(x, dim)
    text = spelled("GroupNorm", groups, epsilon(given), plain)
    return from_front(layer_with(source, text, source.shape, x.described, **tensors), dim)


LAYERS = {
    "Dense": dense, "Embedding": embedding, "Flatten": flatten, "Reshape": reshape, "Permute": permute,
    "RepeatVector": repeat_vector, "Cropping1D": cropping(1), "Cropping2D": cropping(2), "Dropout": dropout,
    "AlphaDropout": nothing("rate"), "GaussianDropout": nothing("rate"), "GaussianNoise": nothing("stddev"),
    "ActivityRegularization": nothing("l1", "l2"), "Identity": nothing(), "SpatialDropout1D": nothing("rate"),
    "SpatialDropout2D": dropout_of_channels, "Normalization": normalization, "Rescaling": rescaling,
    "BatchNormalization": batch_normalization, "LayerNormalization": layer_normalization,
    "RMSNormalization": rms_normalization, "GroupNormalization": group_normalization
}
