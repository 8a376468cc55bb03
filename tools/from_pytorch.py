#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""from_pytorch.py FILE NAME SIZES [FOLDER] [--compile]: a trained network of PyTorch as one of sinter. Needs PyTorch,
NumPy, and the files beside it.

FILE is what torch.save(model, FILE) wrote, NAME what the C++ struct shall be called, SIZES the sizes of one sample, such as
1x28x28, of several inputs each with a comma, such as 3x32x32,5. Writes FOLDER/NAME.hpp, with the struct, and
FOLDER/NAME.safetensors, with its weights and a self-test, which sinter's load() replays. --compile compiles what was written and
replays the self-test, with the compiler CXX (g++) and CXXFLAGS (-O1). In Python the same is

    from from_pytorch import convert
    convert(model, (1, 28, 28), "LeNet", "folder")
    convert(model, [(3, 32, 32), (5,)], "Rent", "folder")      # forward(self, picture, numbers)

The model may be an nn.Sequential or any nn.Module whose forward torch.fx can trace: chains of layers, sums and differences of two
branches (Residual), products and quotients of two (Product), torch.matmul (MatrixProduct), torch.cat (Concat), parts taken by
x[:, a:b], x[..., a], narrow, chunk or split (Slice), numbers and parameters that are added or multiplied (a Conv1d of one pixel),
powers, clamp, amax, amin, F.pad, a layer used several times (Shared), values read by several branches, and several outputs
(Heads). Of an RNN, GRU or LSTM with batch_first it takes the outputs, the state after the last step: y[:, -1], h[-1],
or, of both directions, torch.cat([h[-2], h[-1]], 1), or, of one direction, both. The initial state is 0, a parameter, or computed
from the input, by h.unsqueeze(0) or torch.stack; an LSTMCell or GRUCell is given its state. By pack_padded_sequence and
pad_packed_sequence rows have fewer steps, whose number is an input or a number of one. A layer that sinter does not have is
refused by its name.
"""
import copy
import ctypes
import inspect
import operator
import pathlib
import re
import sys

import torch
import torch.fx
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import rnn

from compile_check import checked
from graph_builder import around, each, functor, inverse, layer_on, negative, part, permuted, power, reduced, shaped, spread
from layer_graph import Layers, Node, Refused, Unlike, check_names, is_positional_encoding, kernel, labelled, number, option, product, require, reshaped, \
    row_of, several_inputs, sizes, spelled, write_network
from layer_shapes import Misfit, OutOfBounds, after
from pytorch_trace import Shapes, refuse_hooks, tensors_in
from quoting import say


def convolution(layer, name, rank):
    require(layer.padding_mode == "zeros", f"padding_mode={layer.padding_mode!r}; sinter pads with zeros")
    padding = layer.padding
    if padding == "valid":
        padding = 0
    elif padding == "same":
        reach = [d * (k - 1) for d, k in zip(layer.dilation, layer.kernel_size)]
        require(all(r % 2 == 0 for r in reach), "padding='same' with an odd dilation * (kernel_size - 1); sinter pads both sides equally")
        padding = tuple(r // 2 for r in reach)
    more = option("OutputPadding", layer.output_padding, rank, 0) if layer.transposed else None
    return spelled(name, layer.out_channels, kernel(layer.kernel_size, rank), option("Stride", layer.stride, rank, 1),
                   option("Padding", padding, rank, 0), more, option("Dilation", layer.dilation, rank, 1),
                   spelled("Groups", layer.groups) if layer.groups != 1 else None, "NoBias" if layer.bias is None else None)


def pool(layer, name, rank, average):
    require(not layer.ceil_mode, "ceil_mode=True")
    stride = layer.stride if layer.stride is not None else layer.kernel_size
    if average:
        padded = any(sizes(layer.padding, rank))
        require(layer.count_include_pad or not padded, "count_include_pad=False with a padding")
        require(getattr(layer, "divisor_override", None) is None, "divisor_override")
    else:
        require(set(sizes(layer.dilation, rank)) == {1}, "a dilation")
        require(not layer.return_indices, "return_indices=True")
    return spelled(name, kernel(layer.kernel_size, rank), option("Stride", stride, rank, layer.kernel_size),
                   option("Padding", layer.padding, rank, 0))


def adaptive(layer, name, rank):
    size = sizes(layer.output_size, rank)
    require(None not in size, "an output size of None")
    return spelled(name, *(size[:1] if len(set(size)) == 1 else size))


def epsilon(layer, default=1e-5):
    return spelled("Epsilon", number(layer.eps)) if layer.eps != default else None


def affine(layer, bias=True):
    """Whether a norm has a weight. With `bias`, one that has none has none of both."""
    require(layer.weight is not None or getattr(layer, "bias", None) is None, "a bias and no weight; sinter's has both, or none")
    return layer.weight is not None


def batch_norm(layer, name):
    require(layer.track_running_stats, "track_running_stats=False")
    require(layer.running_mean is not None and layer.running_var is not None, "no running_mean or running_var")
    require((layer.running_var >= 0).all(), f"a running_var of {layer.running_var.min():g}; it must be 0 or more")
    require(layer.momentum is not None, "momentum=None")
    return spelled(name, epsilon(layer), spelled("Momentum", number(layer.momentum)) if layer.momentum != 0.1 else None,
                   None if affine(layer) else "NoAffine")


def layer_norm(layer, shape):
    last = None if tuple(layer.normalized_shape) == shape else spelled("NormalizedShape", *layer.normalized_shape)
    return spelled("LayerNorm", last, epsilon(layer), "NoAffine" if not affine(layer) else "NoBias" if layer.bias is None else None)


def rms_epsilon(layer):
    """Where it has none, that of its type of numbers."""
    return layer.eps if layer.eps is not None else torch.finfo(torch.float32 if layer.weight is None else layer.weight.dtype).eps


def rms_norm(layer):
    return spelled("RMSNorm", spelled("NormalizedShape", *layer.normalized_shape), spelled("Epsilon", number(rms_epsilon(layer))),
                   None if affine(layer) else "NoAffine")


def instance_norm(layer, name):
    require(not layer.track_running_stats, "track_running_stats=True")
    return spelled("GroupNorm", 0, epsilon(layer)) if affine(layer) else spelled(name, epsilon(layer))


def embedding(layer):
    require(layer.max_norm is None, "max_norm")
    return spelled("Embedding", layer.num_embeddings, layer.embedding_dim)


def row(layer, name, shape):
    require(layer.dim not in (None, 0, -1 - len(shape)), f"dim={layer.dim}, the rows of a batch; give another dimension")
    return name if len(shape) == 1 else spelled(f"{name}Along", layer.dim)


def gated(layer, before, out):
    require(layer.dim in (1, -len(before) if len(before) > 1 else -1), f"dim={layer.dim} of samples of {before}; sinter's Slice takes channels, dim=1")
    return spelled("Product", f"Path<Slice<0, {out[0]}>>", f"Path<Slice<{out[0]}, {out[0]}>, Sigmoid>")


def recurrent(layer, final, learned):
    require(layer.batch_first, "batch_first=False; sinter has the rows of a batch first")
    require(getattr(layer, "nonlinearity", "tanh") == "tanh", f"nonlinearity={getattr(layer, 'nonlinearity', '')!r}; sinter's RNN has tanh")
    return spelled(type(layer).__name__, layer.hidden_size, spelled("ProjectionSize", layer.proj_size) if layer.proj_size else None,
                   spelled("NumLayers", layer.num_layers) if layer.num_layers > 1 else None,
                   "Bidirectional" if layer.bidirectional else None,
                   spelled("DropoutBetween", number(layer.dropout)) if layer.dropout and layer.num_layers > 1 else None,
                   None if layer.bias else "NoBias", "FinalState" if final else None, "LearnedState" if learned else None)


def is_causal(mask, steps):
    """Whether a mask lets each step see those before it and itself."""
    if not isinstance(mask, torch.Tensor) or mask.shape != (steps, steps):
        return False
    later, hidden = torch.ones(steps, steps, dtype=torch.bool).triu(1), mask if mask.dtype == torch.bool else mask < -1e4
    return torch.equal(hidden, later) and not (mask[~later]).any()


def causal(call, mask, numbers):
    """Whether a layer is called with the causal mask; it is given no other. `numbers`: of a value that is constant."""
    given = {key: value for key, value in call.kwargs.items() if key not in ("need_weights", "average_attn_weights") and value not in (None, False)}
    require(set(given) <= {mask, "is_causal"} and (mask not in given or given.get("is_causal") is True),
            f"{', '.join(sorted(given))}; sinter's has a causal mask, {mask} with is_causal=True, and no other")
    require(mask not in given or is_causal(numbers(given[mask]), call.args[0].meta["shape"][1]),
            f"is_causal=True with another {mask} than the causal one, as torch.nn.Transformer.generate_square_subsequent_mask(steps) gives it")
    return "Causal" if given else None


def attention(layer, call, numbers):
    require(layer.batch_first, "batch_first=False; sinter has the rows of a batch first")
    require(layer.in_proj_weight is not None and layer.bias_k is None and not layer.add_zero_attn,
            "kdim, vdim, add_bias_kv or add_zero_attn; sinter's attends to its own input alone")
    return spelled("MultiheadAttention", layer.embed_dim, layer.num_heads, causal(call, "attn_mask", numbers),
                   spelled("WithDropout", number(layer.dropout)) if layer.dropout else None,
                   "NoBias" if layer.in_proj_bias is None else None)


def encoder(layer, call, numbers):
    require(layer.self_attn.batch_first, "batch_first=False; sinter has the rows of a batch first")
    gelu = layer.activation is F.gelu or type(layer.activation) is nn.GELU and layer.activation.approximate == "none"
    require(gelu or layer.activation is F.relu or type(layer.activation) is nn.ReLU, "an activation other than relu and gelu")
    rates = {layer.self_attn.dropout, layer.dropout.p, layer.dropout1.p, layer.dropout2.p}
    require(len(rates) == 1, "several probabilities of dropout")
    require(layer.norm1.eps == layer.norm2.eps, "norms with different eps")
    return spelled("TransformerEncoderLayer", layer.self_attn.embed_dim, layer.self_attn.num_heads, layer.linear1.out_features,
                   "NormFirst" if layer.norm_first else None, causal(call, "src_mask", numbers),
                   "WithActivation<GELU>" if gelu else None, spelled("WithDropout", number(rates.pop())),
                   epsilon(layer.norm1), "NoBias" if layer.linear1.bias is None else None)


def linear(layer, before):
    require(len(before) in (1, 2), f"samples of {before}; sinter's takes rows of features, or sequences of them")
    return spelled("Linear" if len(before) == 1 else "PositionwiseLinear", layer.out_features, "NoBias" if layer.bias is None else None)


def softplus(layer):
    return spelled("Softplus", number(layer.beta), number(layer.threshold))


def pad(layer, name, rank):
    given = list(sizes(layer.padding, 2 * rank))
    require(min(given) >= 0, f"padding={layer.padding}; a negative size cuts off")
    return spelled(name, *(given[:1] if len(set(given)) == 1 else given))


def upsample(layer, before, out):
    factors = {after / n for n, after in zip(before[1:], out[1:])}
    factor = factors.pop()
    require(not factors and factor % 1 == 0 and len(before) in (2, 3), f"samples of {out} made of {before}; sinter's Upsample enlarges by one whole factor")
    scales = layer.scale_factor if isinstance(layer.scale_factor, tuple) else (layer.scale_factor,)
    require(set(scales) in ({None}, {factor}) or layer.recompute_scale_factor or layer.align_corners,
            f"scale_factor={layer.scale_factor}, by which PyTorch interpolates though samples become {int(factor)} times as large; sinter's is a whole number")
    modes = {"nearest": (), ("linear", "bilinear")[len(before) - 2]: ("Bilinear", "AlignCorners" if layer.align_corners else None)}
    require(layer.mode in modes, f"mode={layer.mode!r}; sinter has nearest and bilinear")
    return spelled("Upsample", int(factor), *modes[layer.mode])


def flatten(layer, before, out):
    require(layer.start_dim >= 1, f"start_dim={layer.start_dim}, which mixes the rows of a batch")
    return reshaped(before, out)


# sinter's name for each layer; a function gets the layer, and the sizes of a sample before and after it.
KNOWN = {
    nn.Linear: lambda layer, before, _: linear(layer, before),
    nn.Conv1d: lambda layer, *_: convolution(layer, "Conv1d", 1),
    nn.Conv2d: lambda layer, *_: convolution(layer, "Conv2d", 2),
    nn.ConvTranspose2d: lambda layer, *_: convolution(layer, "ConvTranspose2d", 2),
    nn.MaxPool1d: lambda layer, *_: pool(layer, "MaxPool1d", 1, False),
    nn.MaxPool2d: lambda layer, *_: pool(layer, "MaxPool2d", 2, False),
    nn.AvgPool1d: lambda layer, *_: pool(layer, "AvgPool1d", 1, True),
    nn.AvgPool2d: lambda layer, *_: pool(layer, "AvgPool2d", 2, True),
    nn.AdaptiveAvgPool1d: lambda layer, *_: adaptive(layer, "AdaptiveAvgPool1d", 1),
    nn.AdaptiveAvgPool2d: lambda layer, *_: adaptive(layer, "AdaptiveAvgPool2d", 2),
    nn.AdaptiveMaxPool1d: lambda layer, *_: adaptive(layer, "AdaptiveMaxPool1d", 1),
    nn.AdaptiveMaxPool2d: lambda layer, *_: adaptive(layer, "AdaptiveMaxPool2d", 2),
    nn.BatchNorm1d: lambda layer, *_: batch_norm(layer, "BatchNorm1d"),
    nn.BatchNorm2d: lambda layer, *_: batch_norm(layer, "BatchNorm2d"),
    nn.LayerNorm: lambda layer, before, _: layer_norm(layer, before),
    nn.RMSNorm: lambda layer, *_: rms_norm(layer),
    nn.GroupNorm: lambda layer, *_: spelled("GroupNorm", layer.num_groups, epsilon(layer), None if affine(layer) else "NoAffine"),
    nn.InstanceNorm1d: lambda layer, *_: instance_norm(layer, "InstanceNorm1d"),
    nn.InstanceNorm2d: lambda layer, *_: instance_norm(layer, "InstanceNorm2d"),
    nn.Embedding: lambda layer, *_: embedding(layer),
    nn.ReLU: lambda *_: "ReLU",
    nn.Tanh: lambda *_: "Tanh",
    nn.Sigmoid: lambda *_: "Sigmoid",
    nn.SiLU: lambda *_: "SiLU",
    nn.Hardswish: lambda *_: "Hardswish",
    nn.Hardsigmoid: lambda *_: "Hardsigmoid",
    nn.ReLU6: lambda *_: "ReLU6",
    nn.Hardtanh: lambda layer, *_: spelled("Hardtanh", number(layer.min_val), number(layer.max_val)),
    nn.GELU: lambda layer, *_: "GELUTanh" if layer.approximate == "tanh" else "GELU",
    nn.LeakyReLU: lambda layer, *_: spelled("LeakyReLU", number(layer.negative_slope)),
    nn.ELU: lambda layer, *_: spelled("ELU", number(layer.alpha)),
    nn.CELU: lambda layer, *_: spelled("CELU", number(layer.alpha)),
    nn.SELU: lambda *_: "SELU",
    nn.Mish: lambda *_: "Mish",
    nn.Softsign: lambda *_: "Softsign",
    nn.LogSigmoid: lambda *_: "LogSigmoid",
    nn.GLU: gated,
    nn.Softplus: lambda layer, *_: softplus(layer),
    nn.PReLU: lambda layer, *_: spelled("PReLU", "PerChannel" if layer.num_parameters > 1 else None),
    nn.Softmax: lambda layer, before, _: row(layer, "Softmax", before),
    nn.LogSoftmax: lambda layer, before, _: row(layer, "LogSoftmax", before),
    nn.Dropout: lambda layer, *_: spelled("Dropout", number(layer.p)),
    nn.Dropout2d: lambda layer, *_: spelled("Dropout2d", number(layer.p)),
    nn.Flatten: flatten,
    nn.Unflatten: lambda _, before, out: reshaped(before, out),
    nn.Identity: lambda *_: None,
    nn.ZeroPad1d: lambda layer, *_: pad(layer, "ZeroPad1d", 1),
    nn.ZeroPad2d: lambda layer, *_: pad(layer, "ZeroPad2d", 2),
    nn.ReflectionPad1d: lambda layer, *_: pad(layer, "ReflectionPad1d", 1),
    nn.ReflectionPad2d: lambda layer, *_: pad(layer, "ReflectionPad2d", 2),
    nn.ReplicationPad1d: lambda layer, *_: pad(layer, "ReplicationPad1d", 1),
    nn.ReplicationPad2d: lambda layer, *_: pad(layer, "ReplicationPad2d", 2),
    nn.Upsample: upsample,
    nn.PixelShuffle: lambda layer, *_: spelled("PixelShuffle", layer.upscale_factor),
    nn.PixelUnshuffle: lambda layer, *_: spelled("PixelUnshuffle", layer.downscale_factor),
}

NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, nn.GroupNorm, nn.InstanceNorm1d, nn.InstanceNorm2d)  # with a bias, if they have a weight
RECURRENT = (nn.RNN, nn.GRU, nn.LSTM)
RANDOM = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._BatchNorm, *RECURRENT, nn.MultiheadAttention, nn.TransformerEncoderLayer)  # in training mode, or by other statistics
CELLS = {nn.LSTMCell: 2, nn.GRUCell: 1}  # so many values are their state
ATTENTION = {nn.MultiheadAttention: attention, nn.TransformerEncoderLayer: encoder}
LAST_STEPS = ((slice(None), -1), (slice(None), -1, slice(None)), (slice(None), -1, Ellipsis))

# Functions in a forward(), as the layers that they are.
FUNCTIONS = {
    F.relu: nn.ReLU, torch.relu: nn.ReLU, "relu": nn.ReLU, torch.tanh: nn.Tanh, F.tanh: nn.Tanh, "tanh": nn.Tanh,
    torch.sigmoid: nn.Sigmoid, F.sigmoid: nn.Sigmoid, "sigmoid": nn.Sigmoid, F.silu: nn.SiLU, F.hardswish: nn.Hardswish, F.hardsigmoid: nn.Hardsigmoid, F.relu6: nn.ReLU6, F.hardtanh: nn.Hardtanh,
    F.gelu: nn.GELU, F.leaky_relu: nn.LeakyReLU, F.elu: nn.ELU, F.celu: nn.CELU, F.selu: nn.SELU, torch.selu: nn.SELU, F.mish: nn.Mish, F.softsign: nn.Softsign,
    F.logsigmoid: nn.LogSigmoid, F.softplus: nn.Softplus, F.glu: nn.GLU, F.softmax: nn.Softmax,
    torch.softmax: nn.Softmax, "softmax": nn.Softmax, F.log_softmax: nn.LogSoftmax, torch.log_softmax: nn.LogSoftmax,
    "log_softmax": nn.LogSoftmax, F.max_pool1d: nn.MaxPool1d, F.max_pool2d: nn.MaxPool2d, torch.max_pool2d: nn.MaxPool2d,
    F.avg_pool1d: nn.AvgPool1d, F.avg_pool2d: nn.AvgPool2d, F.adaptive_avg_pool1d: nn.AdaptiveAvgPool1d,
    F.adaptive_avg_pool2d: nn.AdaptiveAvgPool2d, F.adaptive_max_pool1d: nn.AdaptiveMaxPool1d,
    F.adaptive_max_pool2d: nn.AdaptiveMaxPool2d, F.dropout: nn.Dropout, F.dropout2d: nn.Dropout2d,
}
RESHAPES = (torch.flatten, torch.reshape, torch.squeeze, torch.unsqueeze, "flatten", "view", "reshape", "unflatten", "contiguous", "squeeze", "unsqueeze")
# Functions of single numbers, by the names that PyTorch gives them.
UNARY = {name: functor(name.capitalize()) for name in ("exp", "log", "sqrt", "square", "abs", "reciprocal")} | {"neg": functor("Negation"), "negative": functor("Negation")}
POWERS = ("pow", "pow_", "ipow", "rsqrt")
CLAMPS = {"clamp": ("min", "max"), "clamp_": ("min", "max"), "clip": ("min", "max"), "clip_": ("min", "max"), "clamp_min": ("min",), "clamp_max": ("max",)}
LARGEST = torch.finfo(torch.float32).max
# Functions of dimensions that are layers without weights, with the names of what they are given.
MOVES = {
    torch.permute: ("Permute", "dims"), "permute": ("Permute", "dims"), torch.transpose: ("Transpose", "dim0", "dim1"),
    "transpose": ("Transpose", "dim0", "dim1"), torch.flip: ("Flip", "dims"), "flip": ("Flip", "dims"),
    torch.mean: ("Avg", "dim"), "mean": ("Avg", "dim"), torch.sum: ("Sum", "dim"), "sum": ("Sum", "dim"),
    torch.amax: ("Max", "dim"), "amax": ("Max", "dim"), torch.amin: ("Min", "dim"), "amin": ("Min", "dim"),
    torch.max: ("Max", "dim"), "max": ("Max", "dim"), torch.min: ("Min", "dim"), "min": ("Min", "dim"),
}
ADDS = (operator.add, operator.iadd, torch.add, "add", "add_")
SUBTRACTIONS = (operator.sub, operator.isub, torch.sub, torch.subtract, "sub", "sub_", "subtract", "subtract_")
PRODUCTS = (operator.mul, operator.imul, torch.mul, torch.multiply, "mul", "mul_", "multiply", "multiply_")
LARGER, SMALLER = (torch.maximum, "maximum"), (torch.minimum, "minimum")
QUOTIENTS = (operator.truediv, operator.itruediv, torch.div, torch.divide, torch.true_divide, "div", "div_", "divide", "divide_", "true_divide")
ARITHMETIC = {target: kind for kind, targets in (("adds", ADDS), ("subtracts", SUBTRACTIONS), ("multiplies", PRODUCTS), ("divides", QUOTIENTS), ("takes the larger of", LARGER), ("takes the smaller of", SMALLER)) for target in targets}
EXTREMES = {torch.max: torch.maximum, "max": torch.maximum, torch.min: torch.minimum, "min": torch.minimum}  # of two values
PADS = {"constant": "ZeroPad", "reflect": "ReflectionPad", "replicate": "ReplicationPad"}
MATRIX_PRODUCTS = (operator.matmul, torch.matmul, torch.bmm, "matmul", "bmm")
CONCATS = (torch.cat, torch.concat, torch.concatenate)
NARROWS = (torch.narrow, "narrow")
OVER_ROWS = ("expand", "expand_as", "repeat", "contiguous", torch.Tensor.expand, torch.Tensor.contiguous)  # of a state for each row
UNSQUEEZES = (torch.unsqueeze, "unsqueeze")
ZEROS = (torch.zeros, torch.zeros_like, "new_zeros")
SPLITS = (torch.chunk, torch.split, torch.tensor_split, "chunk", "split", "tensor_split")


TO_OTHERS = ("cpu", "to", "long", "int")
ONE_NUMBER = (*TO_OTHERS, "squeeze", "flatten", "view", "reshape", torch.squeeze, torch.flatten, torch.reshape)  # of each row


def name_values(node, layer):
    """What a layer is given, with its values by their places, and the options of attention by their names."""
    try:
        given = inspect.signature(layer.forward).bind(*node.args, **node.kwargs)
    except TypeError:
        return  # PyTorch says so when it is called
    if type(layer) in ATTENTION:
        values = ("query", "key", "value", "src")
        node.args = tuple(value for name, value in given.arguments.items() if name in values)
        node.kwargs = {name: value for name, value in given.arguments.items() if name not in values}
    else:
        node.args, node.kwargs = given.args, given.kwargs


def name_of(target):
    """The name of a method, or of a function of PyTorch or Python; none of one of the user's, however it is called."""
    if isinstance(target, str):
        return target
    name = getattr(target, "__name__", "")
    return name if any(getattr(place, name, None) is target for place in (torch, torch.Tensor, F, operator)) else ""


def fitted(described, text, before, out):
    """Refuses a layer that sinter's is unlike: by the samples that it takes, or that it gives."""
    try:
        made = after(text, before) if text else before
    except OutOfBounds as why:
        raise Refused(f"{described}: {why}") from None
    except Misfit as why:
        raise Refused(f"{described}: sinter's {why}; samples are without the batch: (features,), (channels, length) or (channels, height, width)") from None
    require(made == tuple(out), f"{described} gives samples of {tuple(out)}, and says of itself that they are {made}, as where its weights were replaced by others: "
            "make a new layer of their sizes")


def traced(model):
    """The graph of a model, with its constants as numbers, or as values where forward() cuts them to the length of another."""
    def trace(constants_are_values):
        tracer = torch.fx.Tracer(autowrap_functions=(rnn.pack_padded_sequence, rnn.pad_packed_sequence))
        tracer._autowrap_search.append(rnn)  # where forward() says nn.utils.rnn.pack_padded_sequence
        tracer.proxy_buffer_attributes = constants_are_values
        graph = tracer.trace(model)
        for node in graph.nodes:
            node.meta.pop("is_wrapped", None)  # else GraphModule would register the functions for all later traces, and these fail
            if node.op == "call_module":
                name_values(node, tracer.root.get_submodule(node.target))
            for place, names in enumerate((("input", "tensors"), ("other", "mat2"))):  # values that are given by name
                by_name = [name for name in names if len(node.args) == place and name in node.kwargs]
                node.args = (*node.args, *[node.kwargs[name] for name in by_name])
                node.kwargs = {key: value for key, value in node.kwargs.items() if key not in by_name}
        return torch.fx.GraphModule(model, graph)

    try:
        return trace(False)
    except TypeError:
        return trace(True)


def unpacked(graph, layers):
    """Takes the packing of sequences out of a graph: `lengths` of each call of a recurrent layer that is given a packed one."""
    packed, lengths = {}, {}
    for node in list(graph.nodes):
        if node.target is rnn.pack_padded_sequence:
            given = dict(zip(("input", "lengths", "batch_first"), node.args)) | node.kwargs
            require(given.get("batch_first"), "pack_padded_sequence has batch_first=False; sinter has the rows of a batch first")
            packed[node] = given["lengths"]
            node.replace_all_uses_with(given["input"], lambda user: user.op == "call_module" and not lengths.update({user: given["lengths"]}))
        elif node.target is operator.getitem and node.args[1] == 0 and node.args[0] in lengths:
            packed[node] = lengths[node.args[0]]
            for user in [user for user in node.users if user.op == "call_module" and type(layers[user.target]) in RECURRENT]:
                lengths[user] = packed[node]
        elif node.target is rnn.pad_packed_sequence:
            given = dict(zip(("sequence", "batch_first", "padding_value", "total_length"), node.args)) | node.kwargs
            require(given.get("batch_first") and not given.get("padding_value"), "pad_packed_sequence has batch_first=False or a padding_value; "
                    "sinter has the rows of a batch first, and zeros after their steps")
            require(isinstance(given.get("total_length"), int), "pad_packed_sequence is not given a total_length as a number: without it, the outputs end "
                    "at the longest row of a batch; sinter's have all steps")
            for user in list(node.users):
                if user.target is operator.getitem and user.args[1] == 0:
                    user.replace_all_uses_with(given["sequence"])
    return lengths


def in_words(described, make, *given):
    """What one of the functions that know no names makes."""
    try:
        return make(*given)
    except Refused as why:
        raise Refused(f"{described}: {why}") from None


FAILURES = (RuntimeError, ValueError, IndexError, TypeError, AttributeError)  # of a model


def not_taken(model, shapes, problem):
    return Refused(f"{type(model).__name__} does not take samples of the sizes {', '.join(map(str, shapes))}: {str(problem).splitlines()[0]}")


# What computes by another module, and where that is.
WRAPPERS = {"OptimizedModule": "_orig_mod", "DataParallel": "module", "DistributedDataParallel": "module", "AveragedModel": "module"}


def refuse_untraceable(model):
    """Refuses models for which torch.fx has other words than their reason."""
    kind = type(model).__name__
    require(kind not in WRAPPERS, f"the model is a {kind}, which computes by another one: convert that one, model.{WRAPPERS.get(kind)}")
    require(not isinstance(model, torch.jit.ScriptModule), f"the model is a {kind}, of which torch.fx sees no forward(): convert the module that it was made of")
    lazy = [name for name, tensor in [*model.named_parameters(), *model.named_buffers()] if nn.parameter.is_lazy(tensor)]
    require(not lazy, f"{', '.join(map(repr, lazy))} of the model have no sizes yet; call the model once, which gives lazy layers theirs")


class Converter:
    def __init__(self, model, shapes, name):
        self.model, self.name = model, name
        refuse_untraceable(model)
        try:
            self.traced = traced(model)
        except Exception as problem:
            raise Refused(f"torch.fx cannot trace {type(model).__name__}: {problem}; its forward() may not depend on the "
                          "numbers that it is given") from problem
        self.layers = layers = dict(self.traced.named_modules())
        self.lengths = unpacked(self.traced.graph, layers)
        self.nodes_traced = nodes = list(self.traced.graph.nodes)
        inputs = [node for node in nodes if node.op == "placeholder"]
        require(len(inputs) == len(shapes), f"forward() takes {len(inputs)} inputs, and sizes were given for {len(shapes)}; give each its own, as "
                "[(3, 32, 32), (5,)]")
        refuse_hooks(model, {node.target: layers[node.target] for node in nodes if node.op == "call_module"})
        for node in nodes:
            if node.op == "call_module" and type(layers[node.target]) not in (*KNOWN, *RECURRENT, *CELLS, *ATTENTION):
                self.refuse_unknown(node)
            require(node.op != "call_module" or not (isinstance(layers[node.target], RANDOM) and layers[node.target].training),
                    f"{self.described(node)} stays in training mode after model.eval(); sinter's layers compute as in evaluation mode")
        bases = [self.base_of(lengths) for lengths in self.lengths.values()]
        self.indices = [any(isinstance(layers.get(node.target), nn.Embedding) for node in given.users if node.op == "call_module") or
                        any(given is base and place is None for base, place in bases) for given in inputs]
        self.flat = [shape == (1,) and any(lengths is given or lengths.target in TO_OTHERS and lengths.args[0] is given for lengths in self.lengths.values())
                     for given, shape in zip(inputs, shapes)]  # lengths as [N], where samples are (1,)
        places = [id(layers[node.target]) for node in nodes if node.op == "call_module"]
        self.several = {place for place in places if places.count(place) > 1}
        run = Shapes(self.traced)
        try:
            run.run(*self.rows([torch.zeros(2, *shape) for shape in shapes]))
        except FAILURES as problem:
            raise not_taken(model, shapes, problem) from problem
        run.refuse_stale(self.described)
        self.values = run.env
        given = next(node for node in nodes if node.op == "output").args[0]
        names = list(given) if isinstance(given, dict) and all(isinstance(key, str) and key for key in given) else []
        given = list(given.values()) if isinstance(given, dict) else given
        outputs = list(given) if isinstance(given, (tuple, list)) else [given]
        require(outputs and all(isinstance(node, torch.fx.Node) and "shape" in node.meta for node in outputs),
                "forward() returns something else than values, a tuple, a list or a dict of them")
        self.inputs = [(node.name, shape) for node, shape in zip(inputs, shapes)] if len(shapes) > 1 else []
        begin = Node("input", [], shapes[0], "the input")
        self.nodes = {inputs[0]: begin}
        if self.inputs:
            begin, taken = several_inputs(self.inputs)
            self.nodes = dict(zip(inputs, taken))
        self.stopped = []  # parameters without a gradient
        self.taken = {}  # of each call of a recurrent layer: whether its final state is read or all outputs, and the Node
        self.cells = {}  # of each call of a cell, its next state
        self.affines = {}  # of what is x scale + shift, with one number for all: x, scale and shift
        wanted = self.wanted(outputs)
        self.all_steps = {id(layers[call.target]) for call, final in map(self.recurrent_of, wanted) if call and not final}  # all outputs are read
        for node in nodes:
            if node in wanted and node not in inputs:
                self.nodes[node] = labelled(self.node(node), node.target if node.op == "call_module" else node.name)
        self.counted = [(inputs.index(base), place or 0, call.args[0].meta["shape"][1]) for call in self.lengths for base, place in [self.base_of(self.lengths[call])]]
        self.network = Layers(name, begin, [self.nodes[node] for node in outputs], self.inputs, names)

    def wanted(self, outputs):
        """The values that the outputs are made of."""
        found, left = set(), list(outputs)
        while left:
            node = left.pop()
            if node not in found:
                found.add(node)
                left += self.sources(node)
        return found

    def rows(self, given, numbers=None):
        """The inputs, as whole numbers where they are those of words."""
        numbers = numbers or next((p.dtype for p in self.model.parameters()), torch.float32)
        return [(x.reshape(-1) if flat else x).to(torch.int64 if indices else numbers) for x, indices, flat in zip(given, self.indices, self.flat)]

    def sources(self, node):
        """The values that a node is made of; sizes and shapes are none."""
        if node.op in ("placeholder", "output", "get_attr"):
            return []
        if call := self.recurrent_of(node)[0]:
            return [call.args[0], *[self.base_of(lengths)[0] for lengths in [self.lengths.get(call)] if lengths], *self.given_states(call)]
        if call := self.attention_of(node):
            return [call.args[0]]
        if call := self.cell_of(node):
            return self.of_cell(call)
        if node.target in (operator.getitem, getattr) and "parts" in getattr(node.args[0], "meta", {}):
            return self.sources(node.args[0])
        require(node.target not in CONCATS or not node.args or isinstance(node.args[0], (tuple, list)), f"{self.described(node)} is given a tuple as one value; "
                "give it [a, b]")
        given = list(node.args[0]) if node.args and node.target in CONCATS else list(node.args)
        given = [value for value in given if isinstance(value, torch.fx.Node) and "shape" in value.meta]
        return [value for value in given if node.op == "call_module" or node.target in CONCATS or "constant" not in value.meta]

    def base_of(self, lengths):
        """The input that has the lengths of sequences, and the place in its rows; None if they are all of it."""
        place = None
        while isinstance(lengths, torch.fx.Node) and lengths.op != "placeholder":
            if lengths.target is operator.getitem and place is None and isinstance(lengths.args[1], tuple) and lengths.args[1][0] == slice(None) \
                    and len(lengths.args[1]) == 2 and isinstance(lengths.args[1][1], int):
                place = lengths.args[1][1]
            elif lengths.target not in ONE_NUMBER:
                break
            lengths = lengths.args[0]
        require(isinstance(lengths, torch.fx.Node) and lengths.op == "placeholder",
                "the lengths of packed sequences are computed; sinter takes those that are an input, or a number of one, x[:, 0].long()")
        return lengths, place

    def described(self, node):
        if node.op == "call_module":
            return f"layer {node.target!r} of type {type(self.layers[node.target]).__name__}"
        target = node.target if isinstance(node.target, str) else getattr(node.target, "__name__", str(node.target))
        return f"function {target!r} in forward()"

    def refuse_unknown(self, node):
        names = ", ".join(sorted(known.__name__ for known in (*KNOWN, *RECURRENT, *CELLS, *ATTENTION)))
        raise Refused(f"{self.described(node)} is not known; {'these are' if node.op == 'call_module' else 'call a layer of torch.nn for it, if it is one of these'}: {names}")

    def recurrent_of(self, node):
        """The call of a recurrent layer of which a node is the outputs, or the final state; and whether it is the latter."""
        def item(node, index):
            found = isinstance(node, torch.fx.Node) and node.target is operator.getitem and node.args[1] == index
            return node.args[0] if found else None

        def call(node, kinds=RECURRENT):
            found = isinstance(node, torch.fx.Node) and node.op == "call_module" and type(self.layers[node.target]) in kinds
            return node if found else None

        def state(node, from_end):
            """The layer of which a node is h[..], `from_end` before its end."""
            if not isinstance(node, torch.fx.Node) or node.target is not operator.getitem or not isinstance(node.args[1], int):
                return None
            found = call(item(node.args[0], 1), (nn.RNN, nn.GRU)) or call(item(item(node.args[0], 0), 1), (nn.LSTM,))
            count = self.layers[found.target].num_layers * (1 + self.layers[found.target].bidirectional) if found else 1
            return found if node.args[1] % count == count - from_end else None

        if outputs := call(item(node, 0)):
            return outputs, False
        last_step = node.args[0] if node.target is operator.getitem and node.args[1] in LAST_STEPS else None
        found = call(item(last_step, 0)) or state(node, 1)
        if found and not self.layers[found.target].bidirectional:
            return found, True
        if node.target in CONCATS and isinstance(node.args[0], (tuple, list)) and len(node.args[0]) == 2 and (*node.args[1:], node.kwargs.get("dim"))[0] in (1, -1):
            forward, backward = state(node.args[0][0], 2), state(node.args[0][1], 1)
            if backward and backward is forward and self.layers[backward.target].bidirectional:
                return backward, True
        return None, False

    def attention_of(self, node):
        """The call of attention, or of a block with it, whose output a node is."""
        made = node.args[0] if node.target is operator.getitem and node.args[1] == 0 else node
        found = isinstance(made, torch.fx.Node) and made.op == "call_module" and type(self.layers[made.target]) in ATTENTION
        return made if found and (made is node) == (type(self.layers[made.target]) is nn.TransformerEncoderLayer) else None

    def attention(self, node, call):
        layer, described = self.layers[call.target], self.described(call)
        require(all(value is call.args[0] for value in call.args), f"{described} is given several values; sinter's attends to its own input, and has "
                "masks by name")
        before, out = self.nodes[call.args[0]].shape, node.meta["shape"][1:]
        try:
            text = ATTENTION[type(layer)](layer, call, self.constant)
        except Refused as why:
            raise Refused(f"{described} has {why}") from None
        fitted(described, text, before, out)
        shared = (id(layer), call.target) if id(layer) in self.several else None
        return Node("layer", [self.nodes[call.args[0]]], out, described, text,
                    tensors={key: encoded(f"{key} of {described}", t) for key, t in layer.state_dict().items()}, shared=shared)

    def constant(self, node):
        """The numbers of a value that is made of no input, but of sizes at most; None of others."""
        left = [node]
        while left:
            one = left.pop()
            if not isinstance(one, torch.fx.Node) or one.op == "placeholder":
                return None
            made_of = [] if str(one.target).startswith("new_") else one.all_input_nodes
            left += [source for source in made_of if isinstance(self.values.get(source), torch.Tensor)]
        return self.values[node]

    def cell_of(self, node):
        """The call of a cell whose next state, or h or c of it, a node is."""
        is_item = node.target is operator.getitem and isinstance(node.args[1], int)
        made, kinds = (node.args[0], (nn.LSTMCell,)) if is_item else (node, CELLS)
        found = isinstance(made, torch.fx.Node) and made.op == "call_module" and type(self.layers[made.target]) in kinds
        return made if found else None

    def of_cell(self, call):
        """The values that a cell is given: x, h and, of an LSTMCell, c, or the whole state that another one gave."""
        count, given = CELLS[type(self.layers[call.target])], [*call.args, *call.kwargs.values()]
        state = given[1] if len(given) == 2 else None
        values = [given[0], *(state if isinstance(state, (tuple, list)) else [state])]
        whole = count == 2 and isinstance(state, torch.fx.Node) and self.cell_of(state) is state
        require(whole or len(values) == 1 + count and all(isinstance(value, torch.fx.Node) and "shape" in value.meta for value in values),
                f"{self.described(call)} is not given x and {('h', '(h, c)')[count - 1]}, which sinter's takes")
        return values

    def cell(self, node, call):
        layer, described, values = self.layers[call.target], self.described(call), [self.nodes[value] for value in self.of_cell(call)]
        if call not in self.cells:
            text = spelled(type(layer).__name__, layer.hidden_size, None if layer.bias else "NoBias")
            shared = (id(layer), call.target) if id(layer) in self.several else None
            self.cells[call] = Node("layer", [row_of(values, described)], (CELLS[type(layer)] * layer.hidden_size,), described, text,
                                    tensors={key: encoded(f"{key} of {described}", t) for key, t in layer.state_dict().items()}, shared=shared)
        if call is node:
            return self.cells[call]
        return Node("slice", [self.cells[call]], (layer.hidden_size,), described, first=node.args[1] % 2 * layer.hidden_size)

    def recurrent(self, call, final, last=False):
        """`last`: the final state is read as the last of all outputs."""
        layer, described = self.layers[call.target], self.described(call)
        given, states = self.given_states(call), self.first_states(call)
        require(not (final and call in self.lengths and (last or id(layer) in self.all_steps)),
                f"{described} has rows of fewer steps, and the last step or both the outputs and the final state are read; sinter's gives the outputs, or h[-1]")
        if final and not layer.bidirectional and id(layer) in self.all_steps:  # the last of all outputs
            every = self.recurrent(call, False)
            last = Node("slice", [every], (1, every.shape[1]), described, first=every.shape[0] - 1)
            return Node("layer", [last], every.shape[1:], described, "Flatten")
        if call in self.taken and self.taken[call][0] == final:
            return self.taken[call][1]
        require(call not in self.taken, f"{described} gives its outputs and the final state of both directions; sinter's gives one of them: read both from the outputs")
        try:
            text = recurrent(layer, final, bool(states))
        except Refused as why:
            raise Refused(f"{described} has {why}") from None
        shared = (id(layer), call.target) if id(layer) in self.several else None
        require(not (shared and (given or call in self.lengths)),
                f"{described} is in several places, with an initial state that is computed from the input, or with lengths")
        sources, branches = [self.nodes[call.args[0]]], []
        if call in self.lengths:
            base, place = self.base_of(self.lengths[call])
            row = self.nodes[base]
            require(place is None or len(row.shape) == 1, f"{described} has lengths that are numbers of something else than a row")
            sources.append(row if row.shape == (1,) else Node("slice", [row], (1,), described, first=(place or 0) % row.shape[0]))
            branches.append("Lengths")
        if given:
            sources.append(row_of([self.nodes[value] for value in given], described))
            branches.append("InitialState")
        size = (layer.proj_size or layer.hidden_size) * (1 + layer.bidirectional)
        fitted(described, text, sources[0].shape, (size,) if final else (*sources[0].shape[:1], size))
        made = Node("recurrent" if branches else "layer", sources, (size,) if final else (sources[0].shape[0], size), described, text,
                    tensors={key: encoded(f"{key} of {described}", t) for key, t in {**layer.state_dict(), **states}.items()}, shared=shared,
                    branches=tuple(branches))
        self.taken[call] = final, made
        return made

    @staticmethod
    def states_of(call):
        given = next(iter([*call.args[1:], *call.kwargs.values()]), ())
        return [value for value in (given if isinstance(given, (tuple, list)) else [given]) if value is not None]

    def given_states(self, call):
        """The initial state of a recurrent layer where it is computed from the input, [N, hidden]: h of each layer and direction, then c."""
        layer, found = self.layers[call.target], []
        for value in self.states_of(call):
            dim = [*value.args[1:], *value.kwargs.values()] or [0]
            if value.target in UNSQUEEZES and dim == [0]:
                found.append([value.args[0]])
            elif value.target is torch.stack and dim == [0] and isinstance(value.args[0], (list, tuple)):
                found.append(list(value.args[0]))
        count = layer.num_layers * (1 + layer.bidirectional)
        whole = len(found) == (2 if isinstance(layer, nn.LSTM) else 1)
        whole = whole and all(len(values) == count and all("constant" not in value.meta and len(value.meta["shape"]) == 2 for value in values) for values in found)
        return [value for values in found for value in values] if whole else []

    def first_states(self, call):
        """The parameters that a recurrent layer begins with, by their names in sinter; none where that is zeros."""
        layer, described, found = self.layers[call.target], self.described(call), {}
        if self.given_states(call):
            return {}
        given, ends = self.states_of(call), ("", "_reverse")[:1 + layer.bidirectional]
        for name, value in zip(("h_0", "c_0"), given):
            while value.target in OVER_ROWS or value.target == "to" and not any(isinstance(to, torch.dtype) for to in [*value.args, *value.kwargs.values()]):
                value = value.args[0]
            if value.target in ZEROS:
                continue
            state = value.meta.get("constant")
            size = layer.proj_size if layer.proj_size and name == "h_0" else layer.hidden_size
            require(state is not None and tuple(state.shape) == (layer.num_layers * len(ends), 1, size),
                    f"{described} is given an initial state; sinter's is 0, a parameter of the shape [layers, 1, hidden], expanded over the rows, or "
                    "computed from the input, of each layer and direction [N, hidden], by unsqueeze(0) or torch.stack([..])")
            found |= {f"{name}_l{i // len(ends)}{ends[i % len(ends)]}": state[i, 0] for i in range(len(state))}
        require(not found or len(found) == len(ends) * layer.num_layers * len(given), f"{described} is given one state that is learned and one that is 0")
        return found

    def node(self, node):
        """A value of the traced model as one of the network."""
        call, final = self.recurrent_of(node)
        if call:
            return self.recurrent(call, final, node.target is operator.getitem and node.args[1] in LAST_STEPS)
        if call := self.attention_of(node):
            return self.attention(node, call)
        if call := self.cell_of(node):
            return self.cell(node, call)
        made = node
        while made.target is operator.getitem and not self.recurrent_of(made)[0]:
            made = made.args[0]
        require(made.op != "call_module" or type(self.layers[made.target]) not in RECURRENT,
                f"{self.described(made)} gives a value that is not known here; sinter's gives its outputs, or its final state: y[:, -1], h[-1] or, "
                "of both directions, torch.cat([h[-2], h[-1]], 1)")
        sources = [self.nodes[source] for source in self.sources(node)]
        out, described = node.meta["shape"][1:] or (1,), self.described(node)  # [N] are samples of one number
        rank = len(node.meta["shape"])
        function = node.op != "call_module"
        if not sources and any("constant" not in value.meta for value in node.all_input_nodes):
            self.refuse_unknown(node)  # it takes them in a list, as torch.stack does
        require(sources, f"{described} is not made of the input")
        if function and node.target in ADDS and self.adds_positions(node, sources, out):
            return Node("layer", sources, out, described, "PositionalEncoding")
        if function and (node.target in ARITHMETIC or node.target in EXTREMES and len(sources) == 2):
            return self.arithmetic(node, sources, out, described)
        if function and node.target in CONCATS:
            dim = node.args[1] if len(node.args) > 1 else node.kwargs.get("dim", 0)
            require(rank > 1 and dim in (1, 1 - rank), f"{described} puts together dim={dim}; sinter does channels, dim=1")
            return Node("concat", sources, out, described) if len(sources) > 1 else sources[0]
        if function and node.target in MATRIX_PRODUCTS:
            require(len(sources) == 2 and len(sources[0].shape) == len(sources[1].shape) > 1 and sources[0].shape[:-2] == sources[1].shape[:-2],
                    f"{described} multiplies something else than as many matrices of two values")
            return Node("matrix_product", sources, out, described)
        function_name = name_of(node.target) if function else ""
        require(not function or node.kwargs.get("dtype") in (None, torch.float32, torch.float64), f"{described} has dtype={node.kwargs.get('dtype')}; sinter computes in 32-bit floats")
        if len(sources) != 1:
            known = function and (node.target in MOVES or function_name in (*POWERS, *CLAMPS))
            require(not known, f"{described} is given several values; sinter's takes one, and numbers")
            self.refuse_unknown(node)
        before = sources[0].shape
        if function and node.target in MOVES:
            return self.moved(node, sources, before, out, described)
        if function and (node.target in (operator.getitem, getattr) or node.target in NARROWS):
            return self.taken_part(node, sources[0], out, described)
        if function and node.target is F.pad:
            return self.padding(node, sources[0], described)
        if function and node.target in ("long", "int") and all(
                user.op == "call_module" and isinstance(self.layers[user.target], nn.Embedding) for user in node.users):
            return Node("layer", sources, before, described)  # an embedding here takes the indices as they are
        if function and node.target in RESHAPES:
            require(node.meta["shape"][0] == 2, f"{described} mixes the rows of a batch")
            require(len(out) <= 3, f"{described} gives samples of {out}; sinter's have one to three sizes")
            return Node("layer", sources, out, described, reshaped(before, out))
        if function and function_name in UNARY:
            return each(sources[0], UNARY[function_name], described)
        if function and function_name in POWERS:
            return self.power(node, sources[0], described)
        if function and function_name in CLAMPS:
            return self.clamped(node, CLAMPS[function_name], sources[0], described)
        layer = self.layer_of(node)
        if type(layer) not in KNOWN:
            self.refuse_unknown(node)
        require(rank > 1 or not hasattr(layer, "dim"), f"{described} goes along dim={getattr(layer, 'dim', 0)} of one number for each row, the rows of a batch")
        try:
            text = KNOWN[type(layer)](layer, before, out)
        except Refused as why:
            raise Refused(f"{described} has {why}") from None
        made = self.of_indices(layer, before, described) if isinstance(layer, nn.Embedding) else out
        fitted(described, text, before, made)
        tensors = {key: tensor for key, tensor in layer.state_dict().items() if key != "num_batches_tracked"}
        if isinstance(layer, NORMS) and "weight" in tensors:
            tensors.setdefault("bias", torch.zeros_like(tensors["weight"]))
        shared = (id(layer), node.target) if not function and id(layer) in self.several else None
        return shaped(Node("layer", sources, made, described, text, tensors={key: encoded(f"{key} of {described}", t) for key, t in tensors.items()}, shared=shared), out)

    @staticmethod
    def of_indices(layer, before, described):
        """The shape of sinter's Embedding: a row for each index, also where there is one, as of x[:, 0]."""
        require(len(before) == 1, f"{described} has indices of the sizes {before}; sinter's takes a row of indices")
        return before[0], layer.embedding_dim

    def adds_positions(self, node, sources, out):
        """Whether a sum of a sequence and of a constant is a positional encoding."""
        added = [value.meta["constant"] for value in node.args if isinstance(value, torch.fx.Node) and "constant" in value.meta]
        fits = len(added) == len(sources) == 1 and len(out) == 2 and not node.kwargs and sources[0].shape == out
        return fits and (added[0].dim() < 3 or len(added[0]) == 1) and \
            is_positional_encoding(added[0].expand(1, *out)[0].tolist())

    def moved(self, node, sources, before, out, described):
        """A layer that permutes, reverses or sums up dimensions."""
        name, *keys = MOVES[node.target]
        given = [*node.args[1:], *[node.kwargs[key] for key in keys if key in node.kwargs]]
        if name in ("Avg", "Sum", "Max", "Min") and len(given) > 1 and isinstance(given[-1], bool):
            given.pop()  # keepdim, which the shape of the result says
        dims = list(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list, torch.Size)) else given
        rank = len(node.args[0].meta["shape"])
        dims = dims or list(range(rank))
        require(all(isinstance(dim, int) for dim in dims), f"{described} goes along no dimensions; give them as numbers")
        dims = [dim % rank for dim in dims]
        require(dims[0] == 0 if name == "Permute" else 0 not in dims, f"{described} moves or reduces dim=0, the rows of a batch")
        if name in ("Avg", "Sum", "Max", "Min"):
            return shaped(in_words(described, reduced, sources[0], sorted({dim - 1 for dim in dims}), name, described), out)
        return layer_on(sources[0], spelled(name, *dims), out, described)

    def arithmetic(self, node, sources, out, described):
        """The sum, difference, product or quotient of two values, or of one and numbers."""
        kind, given = ARITHMETIC[EXTREMES.get(node.target, node.target)], node.args
        options = [key for key, value in node.kwargs.items() if (key, value) not in (("alpha", 1), ("rounding_mode", None))]
        numbers = [found for found in (self.numbers(value, out) for value in given) if found is not None]
        require(not options, f"{described} has {', '.join(f'{key}={node.kwargs[key]}' for key in options)}; sinter has no such option: write operations of their own, such as x + 2 * y")
        require(len(given) == 2 and len(sources) + len(numbers) == 2,
                f"{described} {kind} something else than two values, or a value and numbers that are constant")
        one, zero = torch.ones([], dtype=torch.float64), torch.zeros([], dtype=torch.float64)
        if len(sources) == 2 and kind == "adds" and sources[0] is sources[1]:
            return self.affine(sources[0], 2 * one, zero, described)
        if len(sources) == 2:
            ranks = {len(value.meta["shape"]) for value in given}
            require(len(ranks) == 1, f"{described} {kind} values of the shapes {sources[0].shape} and {sources[1].shape}, one of them without the rows of a batch")
            first, second = (in_words(described, spread, source, source.shape, out) for source in sources)
            if kind == "takes the smaller of":
                return negative(Node("maximum", [negative(first), negative(second)], out, described))
            if kind == "takes the larger of":
                return Node("maximum", [first, second], out, described)
            second = {"subtracts": negative, "divides": inverse}.get(kind, lambda value: value)(second)
            return Node("add" if kind in ("adds", "subtracts") else "multiply", [first, second], out, described)
        require(kind not in ("takes the larger of", "takes the smaller of"), f"{described} {kind} a value and numbers; torch.clamp does, or a ReLU")
        (number,), (source,) = numbers, sources
        is_first = self.numbers(given[0], out) is not None
        require(source.shape == out, f"{described} {kind} samples of {source.shape} and numbers that make them larger")
        if kind == "adds" or kind == "subtracts" and not is_first:
            return self.affine(source, one, number if kind == "adds" else -number, described)
        if kind == "subtracts":
            return self.affine(source, -one, number, described)
        if kind == "divides" and is_first:
            source = inverse(source)
        return self.affine(source, 1 / number if kind == "divides" and not is_first else number, zero, described)

    def numbers(self, value, out):
        """A constant in double precision, with the rank of a sample or none; None of other values."""
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return torch.tensor(value, dtype=torch.float64)
        if not isinstance(value, torch.fx.Node) or "constant" not in value.meta:
            return None
        found = value.meta["constant"].double()
        found = found[0] if found.dim() == len(out) + 1 and len(found) == 1 else found
        if found.dim() > len(out):
            return None
        return found.reshape([1] * (len(out) - found.dim()) + list(found.shape)) if found.dim() else found

    def affine(self, source, scale, shift, described):
        """x scale + shift: a convolution of one pixel, by itself for each place along the dimension in which the numbers differ."""
        single = scale.dim() == shift.dim() == 0
        if single and source in self.affines:  # of one before
            source, earlier_scale, earlier_shift = self.affines[source]
            scale, shift = scale * earlier_scale, scale * earlier_shift + shift
        if single and shift == 0 and scale.abs() == 1:
            return source if scale == 1 else negative(source)
        shape, sizes = source.shape, torch.broadcast_shapes(scale.shape, shift.shape, [1] * len(source.shape))
        dims = [dim for dim, size in enumerate(sizes) if size > 1]
        if len(dims) > 1 and scale.dim() == 0 and scale == 1:  # for each number, as the positions of a sequence
            rows = product(shape[:-1]), shape[-1]
            weight = self.encoded_numbers(shift.expand(shape).reshape(rows))
            return shaped(layer_on(shaped(source, rows), spelled("PositionEmbedding", *rows), rows, described, {"weight": weight}), shape)
        order, sizes = ([*dims, *[dim for dim in range(len(shape)) if dim not in dims]], sizes) if len(dims) < 2 else (list(range(len(shape))), shape)
        moved, count = permuted(source, order), product(sizes)
        rows = count, product(shape) // count
        tensors = {"weight": self.encoded_numbers(scale.expand(sizes).reshape(count, 1, 1))}
        if shift.any():
            tensors["bias"] = self.encoded_numbers(shift.expand(sizes).reshape(-1))
        text = spelled("Conv1d", count, 1, spelled("Groups", count) if count > 1 else None, None if "bias" in tensors else "NoBias")
        made = shaped(layer_on(shaped(moved, rows), text, rows, described, tensors), moved.shape)
        made = permuted(made, [order.index(dim) for dim in range(len(order))])
        if single:
            self.affines[made] = source, scale, shift
        return made

    def encoded_numbers(self, tensor):
        exact = any(parameter.dtype == torch.float64 for parameter in self.model.parameters())
        return encoded("a constant of forward(), as floats,", tensor if exact else tensor.float())

    def power(self, node, source, described):
        """A constant power."""
        exponent = -0.5 if node.target in (torch.rsqrt, "rsqrt") else [*node.args[1:], *node.kwargs.values()][0]
        require(isinstance(exponent, (int, float)) and abs(exponent) < 1e9 and isinstance(node.args[0], torch.fx.Node),
                f"{described} is not to the power of a number")
        return source if exponent == 1 else each(source, power(exponent), described)

    def clamped(self, node, names, source, described):
        given = dict(zip(names, node.args[1:])) | node.kwargs
        require(set(given) <= set(names) and all(value is None or isinstance(value, (int, float)) for value in given.values()),
                f"{described} has bounds that are not numbers; sinter's Hardtanh has two numbers")
        low, high = given.get("min"), given.get("max")
        text = {(0, None): "ReLU", (0, 6): "ReLU6"}.get((low, high))
        return each(source, text or spelled("Hardtanh", number(-LARGEST if low is None else low), number(LARGEST if high is None else high)), described)

    def padding(self, node, source, described):
        given = dict(zip(("pad", "mode", "value"), node.args[1:])) | {key: value for key, value in node.kwargs.items() if key != "input"}
        sides, mode = list(given["pad"]), given.get("mode", "constant")
        require(mode in PADS and not given.get("value"), f"{described} pads in the mode {mode!r} with {given.get('value')}; sinter pads with zeros, or as reflect "
                "and replicate do")
        pads = {len(source.shape) - 1 - i: pair for i, pair in enumerate(zip(sides[::2], sides[1::2])) if any(pair)}
        require(all(isinstance(n, int) and n >= 0 for n in sides) and min(pads, default=0) >= 0,
                f"{described} pads by {tuple(sides)} samples of {source.shape}; sinter pads these by numbers that are not below 0")
        return in_words(described, around, source, PADS[mode], pads, described)

    def taken_part(self, node, source, out, described):
        """What x[:, first:end, ..], narrow, or an item of a split takes."""
        shape = (2, *source.shape)
        if node.target in NARROWS:
            _, dim, first, count = [*node.args, *[node.kwargs[key] for key in ("dim", "start", "length") if key in node.kwargs]]
            wanted = {dim % len(shape): slice(first % shape[dim], first % shape[dim] + count)}
        elif parts := node.args[0].meta.get("parts"):
            split, at = node.args[0], {"values": 0, "indices": 1}.get(node.args[1], node.args[1])
            require(isinstance(at, int), f"{described} takes {at} of {self.described(split)}; sinter takes one value of several")
            at %= len(parts)
            if split.target in (torch.max, torch.min, "max", "min"):
                require(at == 0, f"{self.described(split)} gives the places of numbers; sinter's gives the numbers")
                return self.moved(split, [source], source.shape, out, described)
            require(split.target in SPLITS, f"{self.described(split)} is not known")
            dim = [*split.args[2:], *[split.kwargs[key] for key in ("dim", "axis") if key in split.kwargs], 0][0] % len(shape)
            first = sum(part[dim] for part in parts[:at])
            wanted = {dim: slice(first, first + parts[at][dim])}
        else:
            wanted = self.indices_of(node, shape)
        rows = wanted.get(0, slice(None))
        require(rows.start in (None, 0) and rows.stop is None and rows.step in (None, 1), f"{described} takes rows of a batch")
        made = source
        for dim, taken in wanted.items():
            if dim > 0:
                first, end, step = taken.indices(shape[dim])
                require(first < end, f"{described} takes no numbers along dim={dim}; sinter's Slice takes one or more")
                require(step == 1, f"{described} takes every number {step} along dim={dim}; sinter's Slice takes neighbouring ones")
                made = part(made, dim - 1, first, end - first, described)
        return shaped(made, out)

    def indices_of(self, node, shape):
        """The slice that an index takes of each dimension."""
        index = list(node.args[1]) if isinstance(node.args[1], tuple) else [node.args[1]]
        index = [item for item in index if item is not None]
        if Ellipsis in index:
            at = index.index(Ellipsis)
            index[at:at + 1] = [slice(None)] * (len(shape) - len(index) + 1)
        plain = all(isinstance(item, int) and not isinstance(item, bool) or isinstance(item, slice) and all(n is None or isinstance(n, int) for n in (item.start, item.stop, item.step))
                    for item in index)
        require(plain, f"{self.described(node)} takes {node.args[1]}; sinter's Slice takes neighbouring numbers, x[:, first:end]")
        return {dim: slice(item % shape[dim], item % shape[dim] + 1) if isinstance(item, int) else item for dim, item in enumerate(index)}

    def layer_of(self, node):
        if node.op == "call_module":
            return self.layers[node.target]
        kind = FUNCTIONS.get(node.target)
        if kind is None:
            return node
        given = {key: value for key, value in node.kwargs.items()
                 if key not in ("training", "inplace", "_stacklevel", "dtype", "input")}
        arguments = [a for a in node.args[1:]]
        if kind in (nn.Dropout, nn.Dropout2d):
            p, training = [*arguments, *[0.5, True][len(arguments):]][:2]
            require(not node.kwargs.get("training", training) or node.kwargs.get("p", p) == 0,
                    f"{self.described(node)} has training=True, so that its numbers are random, also after eval(); give it training=self.training")
        if kind in (nn.Dropout, nn.Dropout2d, nn.ReLU):
            arguments = arguments[:1] if kind is not nn.ReLU else []
        try:
            return kind(*arguments, **given)
        except TypeError as problem:
            raise Refused(f"{self.described(node)} is called in a way that is not known: {problem}") from None


TYPES = {torch.float32: "F32", torch.float64: "F64", torch.float16: "F16", torch.bfloat16: "BF16"}


def encoded(name, tensor):
    """A tensor's type, shape and bytes."""
    require(tensor.dtype in TYPES, f"{name} has numbers of type {tensor.dtype}; convert the model with .float()")
    require(tensor.isfinite().all(), f"{name} has infinities, or what is no number")
    tensor = tensor.detach().cpu().contiguous()
    size = tensor.numel() * tensor.element_size()
    return TYPES[tensor.dtype], tuple(tensor.shape), ctypes.string_at(tensor.data_ptr(), size) if size else b""


def outputs_of(exact, rows):
    """What a model gives for rows of its inputs, each row with all outputs side by side."""
    with torch.no_grad():
        y = exact(*[row.clone() for row in rows])  # it may change what it is given
    y = list(y.values()) if isinstance(y, dict) else list(y) if isinstance(y, (tuple, list)) else [y]
    return torch.cat([part.reshape(len(rows[0]), -1) for part in y], 1)


def require_rows_apart(name, exact, rows, y):
    """Refuses models that give something else when they are called again, or for the same rows in a larger batch."""
    require(torch.equal(outputs_of(exact, rows), y), f"{name} gives other numbers each time that it is called, as of dropout that is always on; sinter gives the same ones")
    try:
        more = outputs_of(exact, [torch.cat([x, x[1:]]) for x in rows])[:2]
    except (RuntimeError, ValueError, IndexError) as problem:
        raise Refused(f"{name} takes two rows, and not three: {str(problem).splitlines()[0]}") from problem
    require(more.shape == y.shape and torch.allclose(more, y, rtol=1e-9, atol=1e-12), f"{name} gives other numbers for the same rows in a larger batch: it mixes the rows of a batch, "
            "and sinter computes each row by itself")


def require_same_traced(name, exact, graph, rows, y):
    """Refuses models of which torch.fx makes another one: x += y becomes x + y, though it changes x under all of its names."""
    traced = outputs_of(torch.fx.Interpreter(torch.fx.GraphModule(exact, graph)).run, rows)
    require(traced.shape == y.shape and torch.allclose(traced, y, rtol=1e-6, atol=1e-9), f"{name} computes something else than what torch.fx traces of it, as where x += y changes a value that is read "
            "again by another name; write x = x + y")


def without_gradient(exact, graph, rows):
    """Parameters that the model gives no gradient, and its graph does: of what is computed under torch.no_grad()."""
    parameters = [(name, parameter) for name, parameter in exact.named_parameters() if parameter.requires_grad]

    def reached(function):
        with torch.enable_grad():
            y = function(*[row.clone() for row in rows])  # it may change what it is given
            total = sum(part.sum() for part in tensors_in(y) if part.requires_grad)
            found = torch.autograd.grad(total, [parameter for _, parameter in parameters], allow_unused=True) if isinstance(total, torch.Tensor) else [None] * len(parameters)
        return [gradient is not None for gradient in found]

    try:
        pairs = zip(parameters, reached(exact), reached(torch.fx.Interpreter(torch.fx.GraphModule(exact, graph)).run))
        return [name for (name, _), in_model, in_graph in pairs if in_graph and not in_model]
    except RuntimeError:
        return []  # it has no gradient as a whole


def as_row(given):
    return torch.cat([part.reshape(len(part), product(part.shape[1:])).double() for part in given], 1)


def other_rows(converter, exact, rows):
    """Larger and smaller rows than these, of both signs, and what the model gives for them; none where it gives no numbers."""
    fixed = {number for number, _, _ in converter.counted}
    fixed |= {number for number, x in enumerate(rows) if not x.is_floating_point()}
    if any(node.target in TO_OTHERS for node in converter.nodes_traced):
        fixed = set(range(len(rows)))
    more = [x if number in fixed else torch.cat([x[:1] * 3, x[1:] / -4]) for number, x in enumerate(rows)]
    y = outputs_of(exact, more)
    known = y.isfinite().all(1) & (y.abs() < 1e18).all(1)
    return [x[known] for x in more], y[known]


class InModel:
    """The values of a traced model for some rows, computed when they are needed."""

    def __init__(self, converter, exact, batches):
        self.converter, self.exact, self.batches, self.found = converter, exact, batches, None
        self.names = {node: value for value, node in converter.nodes.items()}

    def runs(self):
        if self.found is None:
            self.found = []
            for rows in self.batches if not self.converter.lengths else ():
                graph = torch.fx.GraphModule(self.exact, self.converter.traced.graph)
                run = torch.fx.Interpreter(graph, garbage_collect_values=False)
                with torch.no_grad():
                    run.run(*[row.clone() for row in rows]) if len(rows[0]) else None
                self.found.append(run.env)
        return self.found

    def value_of(self, node):
        """What a Node is, for all rows; None if that is no value of the model."""
        found = [env.get(self.names[node]) for env in self.runs() if node in self.names]
        found = [value for value in found if isinstance(value, torch.Tensor)]
        return torch.cat([value.reshape(len(value), -1) for value in found]).double().numpy() if found else None

    def refuse_rounding(self):
        """Refuses what is made whole numbers, and is none."""
        casts = [node for node in self.converter.nodes_traced if node.target in ("long", "int") and isinstance(node.args[0], torch.fx.Node)]
        for node in casts:
            for env in self.runs():
                given, made = env.get(node.args[0]), env.get(node)
                whole = given is None or made is None or torch.equal(given.double(), made.double())
                require(whole, f"{self.converter.described(node)} rounds numbers; sinter's Embedding takes whole ones")


# Eighths on both sides of zero and above one, which tell functions apart. Where a model gives no numbers for them, zeros and ones, or eighths
# above zero.
RANGES = [(-16, 17, 8)] * 6 + [(0, 2, 1)] * 10 + [(1, 9, 8)] * 10


def self_test(converter, shapes):
    """Two rows, and what the model gives for them, computed in double; others, which are only tried; and what Nodes are in
    the model. Of inputs that are made whole numbers, zeros and ones."""
    generator = torch.Generator().manual_seed(1)
    exact, name = copy.deepcopy(converter.model), type(converter.model).__name__
    for layer in exact.modules():
        if isinstance(layer, nn.RMSNorm):
            layer.eps = rms_epsilon(layer)  # not that of double
    exact.double()
    whole = any(node.target in TO_OTHERS for node in converter.nodes_traced)
    for low, high, parts in RANGES:
        if whole and parts > 1:
            continue
        given = [torch.randint(0, 2, (2, *shape), generator=generator) if indices else torch.randint(low, high, (2, *shape), generator=generator) / parts
                 for shape, indices in zip(shapes, converter.indices)]
        for number, place, steps in converter.counted:  # the second row has fewer steps
            given[number].reshape(2, -1)[:, place] = torch.tensor([steps, max(1, steps - 1)]).to(given[number].dtype)
        rows = converter.rows(given, torch.float64)
        try:
            y, x = outputs_of(exact, rows), as_row(given)
        except FAILURES as problem:  # of what is in place, which a trace does not show
            raise not_taken(exact, shapes, problem) from problem
        if y.float().isfinite().all() and not torch.equal(x[0], x[1]):
            require_rows_apart(name, exact, rows, y)
            if not converter.lengths:
                require_same_traced(name, exact, converter.traced.graph, rows, y)
                converter.stopped = without_gradient(exact, converter.traced.graph, rows)
            more = other_rows(converter, exact, rows)
            tests = [{"inputs": as_row(given).tolist(), "outputs": y.tolist()} for given, y in ((rows, y), more)]
            return tests, InModel(converter, exact, [rows, more[0]])
    raise Refused(f"{name} gives infinities, or what is no number, for all rows that were tried")


def trained_otherwise(model, stopped):
    """What only a further training sees, as lines of a comment. `stopped`: parameters without a gradient."""
    places, lines = {}, []
    if stopped:
        lines.append(f"In PyTorch no gradient reaches {', '.join(stopped)} (torch.no_grad()); here it does.")
    for name, parameter in model.named_parameters(remove_duplicate=False):
        places.setdefault(parameter, []).append(name)
    owners = dict(model.named_modules(remove_duplicate=False))
    for names in places.values():
        layers = {id(owners[name.rpartition(".")[0]]) for name in names}
        if len(layers) > 1:
            lines.append(f"In PyTorch {' and '.join(names)} are one parameter; here each is trained by itself.")
    if frozen := [names[0] for parameter, names in places.items() if not parameter.requires_grad]:
        lines.append(f"In PyTorch not trained (requires_grad=False), and trained here: {', '.join(frozen)}.")
    for name, layer in owners.items():
        if isinstance(layer, nn.Embedding) and layer.padding_idx is not None:
            lines.append(f"In PyTorch row {layer.padding_idx} of {name} is not trained (padding_idx); here it is.")
        if isinstance(layer, nn.Embedding) and layer.scale_grad_by_freq:
            lines.append(f"In PyTorch gradients of {name} are divided by how often a row is in a batch (scale_grad_by_freq); here they are not.")
        if isinstance(layer, NORMS) and getattr(layer, "weight", None) is not None and layer.bias is None:
            lines.append(f"In PyTorch {name} has no bias; here it has one, which begins with zeros.")
        if isinstance(layer, nn.modules.batchnorm._BatchNorm) and model.training and not layer.training:
            lines.append(f"In PyTorch {name} is in evaluation mode, so that its statistics stay as they are; here a training changes them.")
    return lines


def convert(model, shape, name, folder="."):
    """Writes NAME.hpp and NAME.safetensors to a folder. Raises Refused for what sinter does not have. `shape`: of a sample, or a
    list with that of each input."""
    require(isinstance(model, nn.Module), f"a {type(model).__name__} was given as the model; give it an nn.Module")
    require(isinstance(shape, (tuple, list)), f"{shape!r} was given as the sizes of a sample; give a tuple, such as (1, 28, 28), or "
            "a list of them, one for each input")
    several = bool(shape) and all(isinstance(one, (tuple, list)) for one in shape)
    shapes = [tuple(one) for one in shape] if several else [tuple(shape)]
    for one in shapes:
        check_names(name, one)
    training, numbers = {module: module.training for module in model.modules()}, torch.get_default_dtype()
    model.eval()
    try:
        with torch.no_grad():
            converter = Converter(model, shapes, name)
        torch.set_default_dtype(torch.float64)  # of what forward() makes for a self-test in double, by torch.zeros
        (test, more), in_model = self_test(converter, shapes)
    finally:
        torch.set_default_dtype(numbers)
        for module, before in training.items():
            module.training = before
    about = [type(model).__name__, *trained_otherwise(model, converter.stopped)]
    try:
        write_network(converter.network, test, "from_pytorch.py", about, folder, more, in_model.value_of)
    except Unlike:
        in_model.refuse_rounding()
        raise


def loaded(file):
    try:
        return torch.load(file, map_location="cpu", weights_only=False)
    except OSError:
        raise
    except Exception as problem:  # whatever the classes of a model raise
        why = str(problem).strip().splitlines() or [type(problem).__name__]
        raise Refused(f"{file} cannot be read as what torch.save(model, ..) wrote: {why[0]}. The classes of the model must be found: run it where they are") from None


def main():
    given = [text for text in sys.argv[1:] if text != "--compile"]
    if len(given) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 2
    file, name, shape, folder = [*given, "."][:4]
    try:
        require(re.fullmatch(r"\d+(x\d+){0,2}(,\d+(x\d+){0,2})*", shape),
                f"{shape!r} was given as the sizes of a sample; give 784 or 1x28x28, or of several inputs 3x32x32,5")
        model = loaded(file)
        require(isinstance(model, nn.Module), f"{file} holds a {type(model).__name__}; write it by torch.save(model, ..), not its state_dict()")
        shapes = [tuple(int(n) for n in one.split("x")) for one in shape.split(",")]
        convert(model, shapes if len(shapes) > 1 else shapes[0], name, folder)
        done = checked(name, folder) if "--compile" in sys.argv else None
    except (Refused, OSError) as problem:
        say(f"from_pytorch: {problem}", sys.stderr)
        return 1
    say(f"wrote {pathlib.Path(folder) / name}.hpp and .safetensors")
    say(done) if done else None
    return 0


if __name__ == "__main__":
    sys.exit(main())
