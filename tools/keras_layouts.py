# SPDX-License-Identifier: MIT
"""Values of Keras have their channels last, those of sinter's convolutions and normalisations first. A value is kept as
Keras has it; what moves it back and forth between two layers is left out. from_keras.py needs this file beside it."""
from graph_builder import order_of, permuted, shaped
from layer_graph import Node, require


def moved(x, order):
    """Dimensions in another order. Those of one number move without a layer."""
    if [dim for dim in order if x.shape[dim] != 1] == [dim for dim in range(len(order)) if x.shape[dim] != 1]:
        return shaped(x, tuple(x.shape[dim] for dim in order))
    return permuted(x, list(order))


def to_front(x, dim):
    return moved(x, [dim, *[other for other in range(len(x.shape)) if other != dim]])


def from_front(x, dim):
    others = list(range(1, len(x.shape)))
    return moved(x, [*others[:dim], 0, *others[dim:]])


def first(x, channels_last=True):
    return to_front(x, len(x.shape) - 1) if channels_last else x


def last(x, channels_last=True):
    return from_front(x, len(x.shape) - 1) if channels_last else x


def axis_of(x, axis, what="its axis"):
    """A dimension of a sample, from one that counts the batch."""
    rank = len(x.shape)
    require(
        type(axis) is int and (0 < axis <= rank or -rank <= axis < 0),
        f"{what} is {axis!r:.60} of samples of {list(x.shape)}")
    return axis - 1 if axis > 0 else axis + rank


def below(x):
    """What a Permute moves, and its order; of other values these themselves."""
    order = order_of(x)
    return (x.sources[0], order) if order else (x, list(range(len(x.shape))))


def along(x, dim, layer):
    """layer(value, dimension) of a value before it is moved, moved afterwards. It keeps the shape."""
    source, order = below(x)
    return permuted(layer(source, order[dim]), order)


def together(kind, values, described, dim=0):
    """An operation on several values of one shape, before these are moved. `dim`: along which they are concatenated."""
    order = next((order_of(value) for value in values if order_of(value)), None)
    if order is None or kind == "concat" and order[dim] != 0:
        return Node(kind, values, joined(kind, values), described)
    back = [order.index(i) for i in range(len(order))]
    values = [permuted(value, back) for value in values]
    return permuted(Node(kind, values, joined(kind, values), described), order)


def joined(kind, values):
    shape = values[0].shape
    return (sum(value.shape[0] for value in values), *shape[1:]) if kind == "concat" else shape
