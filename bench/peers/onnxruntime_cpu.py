# SPDX-License-Identifier: MIT
"""The inference rows of `compare` in onnxruntime, with all its optimisations."""
import numpy as np
import onnxruntime
from onnx import TensorProto, helper, numpy_helper

from rows import ROWS, shape_after  # noqa: F401


def version():
    return f"onnxruntime {onnxruntime.__version__}"


options = onnxruntime.SessionOptions()
options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL


def use_threads(threads):
    options.intra_op_num_threads, options.inter_op_num_threads = threads, 1


class Builder:
    """An ONNX graph of a list of layers, its weights random."""

    def __init__(self):
        self.nodes, self.weights, self.random = [], [], np.random.default_rng(1)

    def node(self, kind, inputs, **attributes):
        name = f"value{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, inputs, [name], **attributes))
        return name

    def weight(self, *shape, scale=1.0):
        name = f"weight{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.abs(self.random.standard_normal(shape) * scale).astype(np.float32) + .01, name))
        return name

    def chain(self, layers, x, shape):
        for layer in layers:
            x = self.layer(layer, x, shape)
            shape = shape_after(layer, shape)
        return x

    def layer(self, layer, x, shape):
        kind = layer[0]
        if kind == "conv":
            _, channels, kernel, stride, padding, bias = layer
            weights = [self.weight(channels, shape[0], kernel, kernel, scale=.1)] + ([self.weight(channels)] if bias else [])
            return self.node("Conv", [x, *weights], kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[padding] * 4)
        if kind == "depthwise":
            _, kernel, stride, padding = layer
            return self.node("Conv", [x, self.weight(shape[0], 1, kernel, kernel, scale=.1)], kernel_shape=[kernel] * 2, strides=[stride] * 2,
                             pads=[padding] * 4, group=shape[0])
        if kind == "convt":
            _, channels, kernel, stride, padding = layer
            return self.node("ConvTranspose", [x, self.weight(shape[0], channels, kernel, kernel, scale=.1), self.weight(channels)],
                             kernel_shape=[kernel] * 2, strides=[stride] * 2, pads=[padding] * 4)
        if kind == "unflatten":
            self.weights.append(numpy_helper.from_array(np.array([-1, *layer[1:]]), f"weight{len(self.weights)}"))
            return self.node("Reshape", [x, self.weights[-1].name])
        if kind == "encoder":
            return self.encoder(*layer[1:], x, *shape)
        if kind == "linear":
            return self.node("Gemm", [x, self.weight(layer[1], shape[0], scale=.1), self.weight(layer[1])], transB=1)
        if kind in ("maxpool", "avgpool"):
            return self.node({"maxpool": "MaxPool", "avgpool": "AveragePool"}[kind], [x], kernel_shape=[layer[1]] * 2, strides=[layer[1]] * 2)
        if kind == "batchnorm":
            return self.node("BatchNormalization", [x] + [self.weight(shape[0]) for _ in range(4)], epsilon=1e-5)
        if kind == "residual":
            return self.node("Add", [self.chain(layer[1], x, shape), self.chain(layer[2], x, shape)])
        if kind.startswith("dropout"):
            return x
        attributes = {"flatten": {"axis": 1}, "logsoftmax": {"axis": 1}}.get(kind, {})
        return self.node({"relu": "Relu", "tanh": "Tanh", "sigmoid": "Sigmoid", "flatten": "Flatten", "logsoftmax": "LogSoftmax"}[kind], [x], **attributes)


    def linear(self, x, size, out):
        return self.node("Add", [self.node("MatMul", [x, self.weight(size, out, scale=.1)]), self.weight(out)])

    def encoder(self, heads, hidden, x, steps, size):
        """PyTorch's TransformerEncoderLayer, its attention as the kernel that onnxruntime has for it."""
        def norm(x):
            return self.node("LayerNormalization", [x, self.weight(size), self.weight(size)], epsilon=1e-5)
        attended = self.node("Attention", [x, self.weight(size, 3 * size, scale=.1), self.weight(3 * size)], num_heads=heads,
                             domain="com.microsoft")
        x = norm(self.node("Add", [x, self.linear(attended, size, size)]))
        between = self.node("Relu", [self.linear(x, size, hidden)])
        return norm(self.node("Add", [x, self.linear(between, hidden, size)]))


def variants(row):
    return [] if row.trains else ["all optimisations"]


def prepare(row, variant):
    """A function that makes a pass, and its steps."""
    build = Builder()
    output = build.chain(row.layers, "x", row.shape)
    graph = helper.make_graph(build.nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, [row.batch, *row.shape])],
                              [helper.make_tensor_value_info(output, TensorProto.FLOAT, [row.batch, row.outputs])], build.weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)], ir_version=8)
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    x = np.random.default_rng(2).standard_normal((row.batch, *row.shape)).astype(np.float32)

    def infer():
        for _ in range(row.steps):
            session.run([output], {"x": x})
    return infer, row.steps
