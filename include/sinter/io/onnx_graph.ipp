// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "sinter/core/text.hpp"
#include "sinter/io/byte_order.hpp"
#include "sinter/io/onnx_graph.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string OnnxGraph::node(std::string_view op, std::initializer_list<std::string_view> inputs,
                                            const std::vector<OnnxAttribute>& attributes) {
  return node_on(op, {inputs.begin(), inputs.end()}, attributes);
}

SINTER_FUNCTION std::string OnnxGraph::node_on(std::string_view op, const std::vector<std::string_view>& inputs,
                                               const std::vector<OnnxAttribute>& attributes, int output_number) {
  Protobuf node;
  std::string output = joined({"value", std::size_t{++nodes_}});
  for (const auto input : inputs) node.text(1, input);
  for (int i = 0; i < output_number; ++i) node.text(2, "");  // those before it are not read
  node.text(2, output);
  node.text(3, joined({op, "_", std::size_t{nodes_}}));
  node.text(4, op);
  for (const auto& attribute : attributes) node.message(5, encoded(attribute));
  graph_.message(1, node);
  return output;
}

SINTER_FUNCTION void OnnxGraph::parameter(const NamedTensor& tensor) {
  Protobuf proto;
  for (const auto size : tensor.shape) proto.number(1, static_cast<std::int64_t>(size));
  proto.number(2, tensor.type == ElementType::i64 ? 7 : tensor.type == ElementType::f64 ? 11 : 1);
  proto.text(8, tensor.name);
  std::vector<std::byte> copy;
  const auto bytes = in_file_order(tensor.type, tensor.bytes, copy);
  proto.text(9, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  graph_.message(5, proto);
}

SINTER_FUNCTION std::string OnnxGraph::constant(double value) {
  const float single = static_cast<float>(value);
  const bool wide = type_ == ElementType::f64;
  std::string name = joined({"constant", std::size_t{++constants_}});
  parameter({name, type_, {}, wide ? std::as_bytes(std::span(&value, 1)) : std::as_bytes(std::span(&single, 1))});
  return name;
}

SINTER_FUNCTION std::string OnnxGraph::sizes(const std::vector<std::int64_t>& values) {
  std::string name = joined({"constant", std::size_t{++constants_}});
  parameter({name, ElementType::i64, {values.size()}, std::as_bytes(std::span(values))});
  return name;
}

SINTER_FUNCTION std::string OnnxGraph::row(const std::vector<std::int64_t>& values) {
  std::string name = joined({"constant", std::size_t{++constants_}});
  parameter({name, ElementType::i64, {1, values.size()}, std::as_bytes(std::span(values))});
  return name;
}

SINTER_FUNCTION std::string OnnxGraph::numbers(const std::vector<double>& wide,
                                               const std::vector<std::uint64_t>& shape) {
  const std::vector<float> single(wide.begin(), wide.end());
  std::string name = joined({"constant", std::size_t{++constants_}});
  parameter({name, type_, shape,
             type_ == ElementType::f64 ? std::as_bytes(std::span(wide)) : std::as_bytes(std::span(single))});
  return name;
}

SINTER_FUNCTION std::string OnnxGraph::floats(const std::vector<float>& values) {
  std::string name = joined({"constant", std::size_t{++constants_}});
  parameter({name, ElementType::f32, {values.size()}, std::as_bytes(std::span(values))});
  return name;
}

SINTER_FUNCTION std::string OnnxGraph::same(int count, double value) {
  const std::vector<double> all(static_cast<std::size_t>(count), value);
  return numbers(all, {all.size()});
}

SINTER_FUNCTION std::string OnnxGraph::functor(const OnnxFunctor& f, std::string_view x, const char* name) {
  if (f.name == "reciprocal root") return node("Reciprocal", {node("Sqrt", {node("Add", {x, constant(f.parameter)})})});
  if (f.name == "min 0") return node("Min", {x, constant(0)});
  if (f.name == "x x") return node("Mul", {x, x});
  if (f.name == "x p") return node("Pow", {x, constant(f.parameter)});
  if (f.name == "low high") return node("Clip", {x, constant(f.parameter), constant(f.threshold)});
  if (f.name == "x sigmoid") return node("Mul", {x, node("Sigmoid", {x})});
  if (f.name == "x erf") {  // x / 2 (1 + erf(x / sqrt 2))
    const std::string erf = node("Erf", {node("Mul", {x, constant(0.70710678118654752)})});
    return node("Mul", {node("Mul", {x, constant(0.5)}), node("Add", {erf, constant(1)})});
  }
  if (f.name == "x tanh") {  // x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3)))
    const std::string cube = node("Mul", {node("Mul", {x, x}), node("Mul", {x, constant(0.044715)})});
    const std::string inner = node("Mul", {node("Add", {x, cube}), constant(0.79788456080286536)});
    return node("Mul", {node("Mul", {x, constant(0.5)}), node("Add", {node("Tanh", {inner}), constant(1)})});
  }
  if (f.name == "beta softplus") {
    const std::string z = node("Mul", {x, constant(f.parameter)});
    const std::string y = node("Div", {node("Softplus", {z}), constant(f.parameter)});
    // From a threshold on where ln(1 + e^z) rounds to z there is nothing to choose.
    const double rounding = type_ == ElementType::f64 ? 0x1p-53 : 0x1p-24;
    if (std::log1p(std::exp(-f.threshold)) < rounding * f.threshold) return y;
    return node("Where", {node("Greater", {z, constant(f.threshold)}), x, y});
  }
  if (f.name == "x tanh softplus") return node("Mul", {x, node("Tanh", {node("Softplus", {x})})});
  if (f.name == "log sigmoid") return node("Neg", {node("Softplus", {node("Neg", {x})})});
  if (f.name == "Celu" && type_ == ElementType::f64)  // the operator is one of float
    return node("Mul", {node("Elu", {node("Div", {x, constant(f.parameter)})}), constant(f.parameter)});
  if (f.name == "Elu" || f.name == "Celu" || f.name == "LeakyRelu" || f.name == "HardSigmoid")
    return node(f.name, {x}, {{"alpha", {}, f.parameter}});
  if (f.name == "Softmax" || f.name == "LogSoftmax") return node(f.name, {x}, {{"axis", {-1}, 0, true}});
  if (f.name.empty())
    fail(joined({"ONNX has no counterpart of \"", name,
                 "\"; name an operator in its functor: static constexpr OnnxFunctor onnx{\"Neg\"}"}));
  return node(f.name, {x});
}

SINTER_FUNCTION std::string OnnxGraph::group_normalization(const Op& op, std::string_view x, std::string_view weight,
                                                           std::string_view bias) {
  const std::string groups = node("Reshape", {x, sizes({0, op.groups, -1})});
  const std::string normalized =
      node("InstanceNormalization", {groups, same(op.groups, 1), same(op.groups, 0)}, {{"epsilon", {}, op.epsilon}});
  std::vector<std::int64_t> shape{0, op.in.channels}, single{op.in.channels};
  if (op.in.rank == 3) shape.push_back(op.in.height);
  if (op.in.rank >= 2) shape.push_back(op.in.width);
  single.resize(shape.size() - 1, 1);
  std::string y = node("Reshape", {normalized, sizes(shape)});
  const auto spread = [&](std::string_view name) {
    return single.size() > 1 && op.per_channel ? node("Reshape", {name, sizes(single)}) : std::string(name);
  };
  if (!weight.empty()) y = node("Mul", {y, spread(weight)});
  return bias.empty() ? y : node("Add", {y, spread(bias)});
}

SINTER_FUNCTION std::string OnnxGraph::recurrence(const Op& op, const std::vector<std::string>& x,
                                                  const std::vector<std::string>& parameters) {
  // ONNX has the gates in another order: z, r, n in a GRU and i, o, f, g in an LSTM.
  const std::vector<int> order = op.gates == 4   ? std::vector<int>{0, 3, 1, 2}
                                 : op.gates == 3 ? std::vector<int>{1, 0, 2}
                                                 : std::vector<int>{0};
  std::vector<std::int64_t> rows;
  for (const int gate : order)
    for (int unit = 0; unit < op.hidden; ++unit) rows.push_back(gate * op.hidden + unit);
  const std::string in_order = row(rows);
  const auto joint = [&](const std::vector<std::string>& parts, std::int64_t axis) {
    return parts.size() == 1 ? parts[0] : node_on("Concat", {parts.begin(), parts.end()}, {{"axis", {axis}, 0, true}});
  };
  const auto count = static_cast<std::size_t>(op.parameters_of_direction());
  std::vector<std::string> w, r, b, states[2], inputs{node("Transpose", {x[0]}, {{"perm", {1, 0, 2}}})};
  for (std::size_t first = 0; first < parameters.size(); first += count) {
    const auto gathered = [&](std::size_t which) {  // [1, rows, ..]
      return node("Gather", {parameters[first + which], in_order}, {{"axis", {0}, 0, true}});
    };
    w.push_back(gathered(0));
    r.push_back(gathered(1));
    if (op.with_bias) b.push_back(joint({gathered(2), gathered(3)}, 1));
    for (int which = 0; which < op.learned; ++which)
      states[which].push_back(
          node("Reshape", {parameters[first + static_cast<std::size_t>(op.first_state() + which)], sizes({1, 1, -1})}));
  }
  inputs.push_back(joint(w, 0));
  inputs.push_back(joint(r, 0));
  if (op.with_bias) inputs.push_back(joint(b, 0));
  const auto input = [&](int k) -> const std::string& { return x[static_cast<std::size_t>(k)]; };
  if (op.learned > 0 || op.given > 0 || op.lengths > 0) inputs.resize(5);  // one without a bias has an empty name
  if (op.lengths > 0)
    inputs[4] = node("Cast", {node("Reshape", {input(op.lengths), sizes({-1})})}, {{"to", {6}, 0, true}});  // int32
  if (op.learned > 0) {  // the same for each row: [directions, batch, hidden]
    const std::string batch = node("Gather", {node("Shape", {inputs[0]}), sizes({1})}, {{"axis", {0}, 0, true}});
    const std::string shape = joint({sizes({op.directions}), batch, sizes({op.hidden})}, 0);
    for (int which = 0; which < op.learned; ++which) inputs.push_back(node("Expand", {joint(states[which], 0), shape}));
  }
  for (int which = 0; op.given > 0 && which < (op.gates == 4 ? 2 : 1); ++which) {
    std::vector<std::int64_t> numbers;
    for (int i = 0; i < op.directions * op.hidden; ++i) numbers.push_back(op.given_state(which == 1, 0) + i);
    const std::string state = node("Gather", {input(op.given), sizes(numbers)}, {{"axis", {1}, 0, true}});
    inputs.push_back(
        node("Transpose", {node("Reshape", {state, sizes({0, op.directions, op.hidden})})}, {{"perm", {1, 0, 2}}}));
  }
  std::vector<OnnxAttribute> attributes{{"hidden_size", {op.hidden}, 0, true}};
  if (op.directions > 1) attributes.push_back({.name = "direction", .text = "bidirectional"});
  if (op.gates == 3) attributes.push_back({"linear_before_reset", {1}, 0, true});
  const bool final_state = op.out.rank == 1;  // the second output, [directions, batch, hidden]
  const std::string y = node_on(op.name, {inputs.begin(), inputs.end()}, attributes, final_state ? 1 : 0);
  if (final_state) return node("Reshape", {node("Transpose", {y}, {{"perm", {1, 0, 2}}}), sizes({0, op.out.channels})});
  return node("Reshape", {node("Transpose", {y}, {{"perm", {2, 0, 1, 3}}}), sizes({0, op.out.channels, op.out.width})});
}

SINTER_FUNCTION std::string OnnxGraph::shaped(std::string_view x, Dims from, Dims to) {
  if (from == to) return std::string(x);
  if (to.rank == 1) return node("Flatten", {x}, {{"axis", {1}, 0, true}});
  if (to.rank == 2) return node("Reshape", {x, sizes({0, to.channels, to.width})});
  return node("Reshape", {x, sizes({0, to.channels, to.height, to.width})});
}

SINTER_FUNCTION std::string OnnxGraph::spread(std::string_view x, Dims to) {
  std::vector<std::int64_t> shape{1, to.channels};
  if (to.rank == 3) shape.push_back(to.height);
  shape.push_back(to.width);
  return node("Expand", {x, sizes(shape)});
}

SINTER_FUNCTION void OnnxGraph::value_info(unsigned field, std::string_view name, Dims dims) {
  Protobuf shape, tensor, type, info;
  const auto add = [&](const char* symbol, int size) {
    Protobuf dim;
    if (symbol)
      dim.text(2, symbol);
    else
      dim.number(1, size);
    shape.message(1, dim);
  };
  add("batch", 0);
  add(nullptr, dims.channels);
  if (dims.rank == 3) add(nullptr, dims.height);
  if (dims.rank >= 2) add(nullptr, dims.width);
  tensor.number(1, data_type());
  tensor.message(2, shape);
  type.message(1, tensor);
  info.text(1, name);
  info.message(2, type);
  graph_.message(field, info);
}

SINTER_FUNCTION void OnnxGraph::output(std::string_view x, std::string_view name) {
  Protobuf node;
  node.text(1, x);
  node.text(2, name);
  node.text(4, "Identity");
  graph_.message(1, node);
}

SINTER_FUNCTION Protobuf OnnxGraph::finish(std::string_view name) {
  graph_.text(2, name);
  return graph_;
}

SINTER_FUNCTION Protobuf OnnxGraph::encoded(const OnnxAttribute& attribute) {
  enum { of_fraction = 1, of_number = 2, of_text = 3, of_numbers = 7 };
  Protobuf proto;
  proto.text(1, attribute.name);
  if (!attribute.text.empty()) {
    proto.text(4, attribute.text);
    proto.number(20, of_text);
    return proto;
  }
  for (const auto n : attribute.numbers) proto.number(attribute.single ? 3 : 8, n);
  if (attribute.numbers.empty()) proto.real(2, static_cast<float>(attribute.fraction));
  proto.number(20, attribute.numbers.empty() ? of_fraction : attribute.single ? of_number : of_numbers);
  return proto;
}

}  // namespace detail

SINTER_NAMESPACE_END
