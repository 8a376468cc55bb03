# SPDX-License-Identifier: MIT
"""What is odd or wrong in some of the models of random_onnx.py."""

import numpy as np
import onnx
from onnx import TensorProto, helper

ODD_NAMES = ["y\nint injected;", 'a"b', "a\\", "é", "", "x", "*/ // ??/", "class", "0", "\x00", "a" * 300]


def spoil(drawn):
    """Makes one thing of the model odd or wrong."""
    graph, pick = drawn.model.graph, drawn.pick
    node = drawn.random.choice(graph.node) if graph.node else None

    def leave_out():
        if node.input:
            node.input[drawn.random.randrange(len(node.input))] = pick("", "lacking", "x")

    def cut_off():
        del node.input[drawn.random.randint(0, len(node.input)) :]

    def odd_attribute():
        if node.attribute:
            one = drawn.random.choice(node.attribute)
            value = pick(
                -1, 0, 1 << 40, -(1 << 40), 0.5, float("nan"), "odd", [], [-1], [9] * 9, np.zeros(3, np.float32)
            )
            value = onnx.numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
            one.CopyFrom(
                helper.make_attribute(one.name, value, attr_type=one.type if isinstance(value, list) else None)
            )

    def more_attributes():
        node.attribute.append(
            helper.make_attribute(pick("axis", "axes", "keepdims", "unknown", "pads"), pick(1, [1], "odd"))
        )

    def rename():
        old, new = drawn.random.choice([name for other in graph.node for name in other.output if name] or ["x"]), pick(
            *ODD_NAMES
        )
        for other in graph.node:
            other.input[:] = [new if name == old else name for name in other.input]
            other.output[:] = [new if name == old else name for name in other.output]
        for entry in [*graph.output, *graph.input]:
            entry.name = new if entry.name == old else entry.name

    def odd_node():
        node.name, node.op_type, node.domain = (
            pick(*ODD_NAMES),
            pick(node.op_type, node.op_type, "Odd"),
            pick("", "", "odd"),
        )

    def first_size():
        dims = graph.input[0].type.tensor_type.shape.dim
        for dim in dims[: pick(1, 1, 2)]:
            dim.Clear()
            pick(
                lambda: None,
                lambda: setattr(dim, "dim_value", pick(1, 2, 3, 0, -1)),
                lambda: setattr(dim, "dim_param", "M"),
            )()

    def kind_of_input():
        graph.input[0].type.tensor_type.elem_type = pick(
            TensorProto.DOUBLE,
            TensorProto.FLOAT16,
            TensorProto.INT64,
            TensorProto.BOOL,
            TensorProto.STRING,
            TensorProto.BFLOAT16,
            0,
            99,
        )

    def no_shape():
        graph.input[0].type.tensor_type.ClearField("shape")

    def sequence():
        graph.input[0].CopyFrom(helper.make_tensor_sequence_value_info("x", TensorProto.FLOAT, None))

    def runtime():
        """A constant becomes an input."""
        if graph.initializer:
            one = drawn.random.choice(graph.initializer)
            graph.input.append(helper.make_tensor_value_info(one.name, one.data_type, list(one.dims)))
            if drawn.chance(0.7):
                graph.initializer.remove(one)

    def constants_elsewhere():
        for one in graph.initializer:
            one.ClearField("raw_data")
            one.data_location = TensorProto.EXTERNAL
            for key, value in (
                ("location", pick("lacking.bin", "../x", "model.onnx", "")),
                ("offset", pick("0", "-1", "odd")),
                ("length", pick("4", "0", "-4")),
            ):
                one.external_data.add(key=key, value=value)

    def odd_constant():
        if graph.initializer:
            one = drawn.random.choice(graph.initializer)
            array = onnx.numpy_helper.to_array(one)
            array = array.astype(pick(np.float64, np.int32, np.float16, array.dtype)) * pick(1, 0)
            one.CopyFrom(
                onnx.numpy_helper.from_array(
                    pick(array, array.reshape(-1), array[..., None], array[:0] if array.ndim else array), one.name
                )
            )
            one.raw_data = pick(one.raw_data, one.raw_data, one.raw_data[:-1])

    def infinite():
        for one in graph.initializer:
            if one.data_type == TensorProto.FLOAT and one.raw_data:
                one.raw_data = np.full(len(one.raw_data) // 4, pick(np.nan, np.inf, 1e38, 1e-40), np.float32).tobytes()

    def odd_outputs():
        pick(
            lambda: graph.output.append(onnx.ValueInfoProto(name=pick("lacking", "x", "", graph.output[0].name))),
            lambda: graph.ClearField("output"),
            lambda: graph.output[0].type.CopyFrom(helper.make_tensor_type_proto(TensorProto.INT64, [3])),
        )()

    def version():
        drawn.model.ir_version = pick(3, 3, 3, 11, 99, 0)
        for one in graph.initializer:
            graph.input.append(helper.make_tensor_value_info(one.name, one.data_type, list(one.dims)))

    def odd_opset():
        pick(
            lambda: setattr(drawn.model.opset_import[0], "version", pick(0, 8, 9, 13, 23, 24, 99)),
            lambda: drawn.model.opset_import.append(helper.make_opsetid("odd", 1)),
            lambda: drawn.model.ClearField("opset_import"),
        )()

    def order():
        nodes = list(graph.node)
        del graph.node[:]
        graph.node.extend(pick(nodes[::-1], nodes * 2, nodes[1:]))

    def options():
        names = [name for other in graph.node for name in other.output if name] + ["x", "lacking"]
        drawn.options |= pick(
            {"begin": pick(*names)},
            {"ends": [pick(*names)]},
            {"shapes": {pick("x", "lacking"): pick((4,), (3, 4), (), (0,), (1, 2, 3, 4))}},
            {"numbers": {pick("x", "x2"): pick(0.0, 1.0)}},
        )

    changes = (
        [leave_out, cut_off, odd_attribute, odd_attribute, more_attributes, rename, odd_node, order]
        if graph.node
        else []
    )
    changes += [
        first_size,
        first_size,
        kind_of_input,
        no_shape,
        sequence,
        runtime,
        runtime,
        constants_elsewhere,
        odd_constant,
        infinite,
        odd_outputs,
        version,
        odd_opset,
        options,
        options,
    ]
    try:
        drawn.random.choice(changes)()
    except (AssertionError, TypeError, ValueError):
        pass  # ONNX's own helpers do not write it
