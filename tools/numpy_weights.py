# SPDX-License-Identifier: MIT
"""What from_sklearn.py and from_keras.py share: arrays as tensors of a file, layers with them, scaling, and a program
that runs the network. Needs NumPy, and the files beside it."""
import pathlib

import numpy as np

from graph_builder import layer_on
from layer_graph import require, spelled, write
from quoting import in_comment, quoted, said_in_line

EXAMPLE = """// Made by {maker}. g++ -std=c++20 -O3 -march=native -I sinter/include -pthread {name}.cpp
#include "{name}.hpp"

#include <cstdio>
#include <sinter/io.hpp>
#include <sinter/sinter.hpp>

int main() {{
  sinter::Network<::{name}> net;
  sinter::load(net, "{name}.safetensors");  // replays the self-test
  auto workspace = net.workspace(1);
{inputs}  const auto y = net.forward({given}, workspace);
{outputs}}}
"""


def encoded(array):
    """As a tensor of a file: its type, shape and bytes."""
    with np.errstate(over="ignore"):
        array = np.ascontiguousarray(array, "<f4")
    require(np.isfinite(array).all(), "its weights have infinities, or what is no number, as 32-bit floats")
    return "F32", array.shape, array.tobytes()


def layer(source, text, shape, described, **tensors):
    """A layer with the tensors that are not None."""
    return layer_on(source, text, shape, described,
                    {name: encoded(tensor) for name, tensor in tensors.items() if tensor is not None})


def linear(source, weight, bias, described):
    """weight [in, out], as scikit-learn and Keras have it."""
    outputs = weight.shape[1]
    require(weight.shape[0] == source.shape[-1],
            f"its weight takes {weight.shape[0]} numbers, and there are {source.shape[-1]}")
    text = spelled("Linear", outputs, None if bias is not None else "NoBias")
    return layer(source, text, (outputs,), described, weight=weight.T, bias=bias)


def scaled(source, center, scale, shift, described):
    """(x - center) scale + shift, each a number for each feature or channel: a BatchNorm with these statistics."""
    count = source.shape[0]
    center, scale, shift = (np.broadcast_to(np.asarray(each, float), (count,)) for each in (center, scale, shift))
    with np.errstate(over="ignore"):
        near = center.astype(np.float32)
    shift = shift + (near - center) * scale  # what that rounding takes away
    made = layer(source, f"BatchNorm{max(len(source.shape) - 1, 1)}d<>", source.shape, described, weight=scale,
                 bias=shift, running_mean=near)
    variance = np.full(count, 1 - 1e-5)  # in double, so that it is 1 with the layer's epsilon
    made.tensors["running_var"] = ("F64", variance.shape, variance.astype("<f8").tobytes())
    return made


def write_example(name, maker, inputs, outputs, folder):
    """NAME.cpp. `inputs`: names and shapes; `outputs`: names, of which several are heads."""
    given = ["x"] if len(inputs) == 1 else [f"x{number}" for number in range(len(inputs))]
    tensors = "".join(f"  const sinter::Tensor<float, sinter::Shape<{', '.join(map(str, shape))}>> {x}(1);"
                      f"  // {in_comment(key)}: zeros\n" for x, (key, shape) in zip(given, inputs))
    lines = ""
    for key in outputs:
        rows = "y" if len(outputs) == 1 else f"sinter::head<::{name}, {quoted(key)}>(y)"
        first = f"static_cast<double>({rows}.row(0)[0])"
        lines += f"  std::printf(\"%s: %g ..\\n\", {quoted(said_in_line(key))}, {first});\n"
    text = EXAMPLE.format(name=name, maker=maker, inputs=tensors, given=", ".join(given), outputs=lines)
    write(pathlib.Path(folder) / f"{name}.cpp", text.encode())
