// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/file.hpp"
#include "sinter/int8/facts.hpp"
#include "sinter/int8/named_products.hpp"
#include "sinter/int8/onnx_graph.hpp"
#include "sinter/int8/quantized_network.hpp"
#include "sinter/int8/save.hpp"
#include "sinter/io/about.hpp"
#include "sinter/io/onnx.hpp"
#include "sinter/version.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// Writes a quantized network as ONNX, op by op: DequantizeLinear, the op in floats, QuantizeLinear. Where an op
/// applies the limits of an activation after it, so does the graph.
class OnnxWriter {
 public:
  SINTER_COLD OnnxWriter(const ModelFacts& model, const Constants& from, const detail::OnnxModel& floats,
                         const About& about)
      : model_(model), from_(from), names_(model.scale_of.size()), dims_(names_.size()) {
    products_ = named_products(model);
    std::vector<bool> written(names_.size());
    const auto use = [&](int value) {
      const std::size_t v = model.scale_of[static_cast<std::size_t>(value)];
      if (!written[v]) graph_.quantization(v, from.values[v]);
      written[v] = true;
    };
    use(0);
    for (const auto& of : model.ops)
      if (of.role != Role::none && of.role != Role::row) use(of.target);

    std::vector<std::string> inputs;
    for (std::size_t i = 0; i < floats.inputs.size(); ++i) {
      inputs.push_back(detail::name_of_part(floats.inputs, i, "input"));
      graph_.floats.value_info(11, inputs.back(), floats.inputs[i].dims);
      inputs.back() = detail::scaled_input(graph_.floats, inputs.back(), floats.inputs[i], floats.input, about);
    }
    dims_[0] = floats.input;
    names_[0] = rounded(detail::row_of_inputs(graph_.floats, inputs, floats.inputs), model.of_input, 0);
    for (std::size_t i = 0; i < model.ops.size(); ++i) add(i, floats.functors[i]);
    const auto last = static_cast<std::size_t>(model.output_value);
    graph_.floats.value_info(12, "output", floats.output);
    bool is_float = false;
    for (const auto& of : model.ops) is_float = is_float || (of.role == Role::row && of.target == model.output_value);
    graph_.floats.output(is_float ? graph_.floats.shaped(names_[last], dims_[last], floats.output)
                                  : read(model.output_value, floats.output),
                         "output");
    for (std::size_t i = 0; i < floats.inputs.size(); ++i)
      for (const std::string& name : graph_.names())
        detail::check_name_of_part(detail::name_of_part(floats.inputs, i, "input"), "input", name);
  }
  std::string finish() { return graph_.finish("network"); }

 private:
  /// The 8 bits of a value, within limits.
  std::string rounded(std::string x, const Limits& limits, int value) {
    const std::size_t v = model_.scale_of[static_cast<std::size_t>(value)];
    detail::OnnxGraph& g = graph_.floats;
    const bool low = std::isfinite(limits.low), high = std::isfinite(limits.high);
    if (limits.low == 0 && !high)
      x = g.node("Relu", {x});
    else if (low || high)
      x = g.node("Clip",
                 {x, low ? g.constant(limits.low) : std::string(), high ? g.constant(limits.high) : std::string()});
    return graph_.quantized(x, v);
  }
  /// The floats of a value in a shape.
  std::string read(int value, Dims as) {
    const auto v = static_cast<std::size_t>(value);
    return graph_.dequantized(graph_.floats.shaped(names_[v], dims_[v], as), model_.scale_of[v]);
  }
  void add(std::size_t i, const OnnxFunctor& functor) {
    const auto& of = model_.ops[i];
    const Op& op = of.op;
    if (op.kind == OpKind::statistics) return;
    const auto input = static_cast<std::size_t>(op.inputs[0]), output = static_cast<std::size_t>(op.output),
               target = static_cast<std::size_t>(of.target);
    if (of.role == Role::none) {  // another op has done its work
      if (names_[output].empty()) {
        names_[output] = names_[input];
        dims_[output] = dims_[input];
      }
      return;
    }
    dims_[target] = op.out;
    if (of.role == Role::table && functor.name.empty()) {
      names_[target] = table(of, graph_.floats.shaped(names_[input], dims_[input], op.in));
      return;
    }
    std::vector<std::string> x;
    const bool product = of.role == Role::product || of.role == Role::depthwise;
    for (int k = 0; k < (product ? 1 : op.input_count); ++k) x.push_back(read(op.inputs[k], op.seen(k)));
    const std::string y = product ? add_product(i, x[0]) : detail::add_op(graph_.floats, op, functor, x, {});
    names_[target] = of.role == Role::row ? y : rounded(y, of.limits, of.target);
  }
  /// An activation that ONNX does not have: its 256 numbers.
  std::string table(const ModelFacts::OfOp& of, std::string_view x) {
    const auto first = from_.tables.begin() + of.place.table;
    const std::string name = joined({"table", static_cast<unsigned>(of.op.output)});
    graph_.tensor(name, {256}, std::vector<std::uint8_t>(first, first + 256));
    const std::string row = graph_.floats.node("Cast", {x}, {{"to", {6}, 0, true}});  // int32
    return graph_.floats.node("Gather", {name, row}, {{"axis", {0}, 0, true}});
  }
  std::string add_product(std::size_t i, const std::string& x) {
    const Op& op = model_.ops[i].op;
    std::size_t number = 0;
    while (products_[number].op != i) ++number;
    const NamedProduct& p = products_[number];
    const ProductNumbers numbers = numbers_of(model_, p, from_);
    const auto in = static_cast<double>(from_.values[model_.scale_of[static_cast<std::size_t>(op.inputs[0])]].scale);
    std::vector<float> steps, sums;
    for (const double scale : numbers.scale) {
      constexpr double least = std::numeric_limits<float>::min();  // a scale is above 0
      steps.push_back(static_cast<float>(std::max(scale, least)));
      sums.push_back(static_cast<float>(std::max(scale * in, least)));
    }
    const auto rows = static_cast<std::uint64_t>(p.rows), columns = static_cast<std::uint64_t>(p.columns);
    if (op.kind == OpKind::normalize || op.per_channel) {
      std::vector<std::uint64_t> shape(static_cast<std::size_t>(op.in.rank), 1);
      shape[0] = rows;
      const std::string y =
          graph_.floats.node("Mul", {x, graph_.dequantized_rows(p.weight, shape, numbers.weight, steps)});
      return graph_.floats.node("Add", {y, graph_.dequantized_rows(p.bias, shape, numbers.bias, sums)});
    }
    std::vector<std::uint64_t> shape{rows, columns};
    if (!op.whole) {
      const auto size = [](int n) { return static_cast<std::uint64_t>(n); };
      shape = {rows, size(op.in.channels / op.window.groups)};
      if (op.in.rank == 3) shape.push_back(size(op.window.height));
      shape.push_back(size(op.window.width));
    }
    const std::string weight = graph_.dequantized_rows(p.weight, shape, numbers.weight, steps),
                      bias = graph_.dequantized_rows(p.bias, {rows}, numbers.bias, sums);
    return op.whole ? graph_.floats.node("Gemm", {x, weight, bias}, {{"transB", {1}, 0, true}})
                    : graph_.floats.node("Conv", {x, weight, bias}, detail::window_attributes(op));
  }

  const ModelFacts& model_;
  const Constants& from_;
  std::vector<NamedProduct> products_;
  OnnxQuantizedGraph graph_;
  std::vector<std::string> names_;  // of each value: its 8 bits, or of a last Softmax the floats
  std::vector<Dims> dims_;
};

SINTER_COLD inline std::string onnx_text(const ModelFacts& model, const Constants& from,
                                         const detail::OnnxModel& floats, const About& about) {
  detail::Protobuf file, opset;
  file.number(1, 8);  // the version of the format, which is that of ONNX 1.10 to 1.12
  file.text(2, "sinter");
  file.text(3, joined({unsigned{SINTER_VERSION_MAJOR}, ".", unsigned{SINTER_VERSION_MINOR}, ".",
                       unsigned{SINTER_VERSION_PATCH}}));
  file.text(7, OnnxWriter(model, from, floats, about).finish());
  opset.text(1, "");
  opset.number(2, 14);
  file.message(8, opset);
  About rest = about;  // the scaling is in the graph
  rest.normalize.reset();
  rest.columns.reset();
  for (const auto& [key, text] : detail::metadata_of(rest, "")) {
    if (key == detail::key_of_pytorch || key == detail::key_format) continue;
    detail::Protobuf entry;
    entry.text(1, key);
    entry.text(2, text);
    file.message(14, entry);
  }
  return file.bytes();
}

}  // namespace int8

/// Writes a quantized network as an ONNX model in QDQ form, for onnxruntime and others: operators of floats between
/// DequantizeLinear and QuantizeLinear, weights of 8 bits with a scale for each output channel. They make kernels of 8
/// bits of these. "input" to "output", of floats, the outputs of all heads one after another, and `about`, as of a
/// float network. An activation that ONNX does not have becomes a Gather of 256 numbers. Fails at adaptive pools whose
/// windows differ in size.
template <class ModelType, class Isa, class Model>
void export_onnx(const QuantizedNetwork<ModelType, Isa, Model>& quantized, const std::string& path,
                 const About& about = {}) {
  using Ops = Program<Model>;
  static constexpr auto functors = detail::functors_of<Ops>(std::make_index_sequence<Ops::ops.size()>());
  int8::check_about(about, static_cast<std::size_t>(Model::InputRow::dims.channels),
                    static_cast<std::size_t>(Model::OutputRow::size));
  write_file(path, int8::onnx_text(int8::facts<Model>(), int8::Constants(*quantized.data()),
                                   {Ops::ops,
                                    functors,
                                    {},
                                    Ops::parameters.size(),
                                    Model::InputLayer::parts,
                                    {},
                                    Ops::input,
                                    Ops::output,
                                    Ops::value_count,
                                    Ops::output_value},
                                   about));
}

SINTER_NAMESPACE_END
