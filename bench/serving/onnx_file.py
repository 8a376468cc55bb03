# SPDX-License-Identifier: MIT
"""onnx_file.py NETWORK FILE: a network of bench/peers/rows.py with random weights, as an ONNX file from x [rows, ..] to y."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "peers"))

from onnx import TensorProto, helper  # noqa: E402
from onnxruntime_cpu import Builder  # noqa: E402
from rows import NETWORKS, through  # noqa: E402


def model_of(network):
    shape, layers = NETWORKS[network]
    build = Builder()
    build.chain(layers, "x", shape)
    build.nodes[-1].output[0] = "y"
    graph = helper.make_graph(build.nodes, "network", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", *shape])],
                              [helper.make_tensor_value_info("y", TensorProto.FLOAT, ["rows", *through(layers, shape)])], build.weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)


if __name__ == "__main__":
    pathlib.Path(sys.argv[2]).write_bytes(model_of(sys.argv[1]).SerializeToString())
