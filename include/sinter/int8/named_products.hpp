// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sinter/core/text.hpp"
#include "sinter/int8/facts.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// A product under the names of the float network. A batch normalisation that is folded into it has no names.
struct NamedProduct {
  std::size_t op = 0;
  std::string weight, bias;
  std::vector<std::uint64_t> shape;  // of the weight: [outputs][..]
  int rows = 0, columns = 0;
};
SINTER_COLD inline std::vector<NamedProduct> named_products(const ModelFacts& model) {
  std::vector<NamedProduct> all;
  for (std::size_t i = 0; i < model.ops.size(); ++i) {
    const auto& [op, role, target, limits, place, read] = model.ops[i];
    if (role != Role::product && role != Role::depthwise) continue;
    NamedProduct p{i, {}, {}, {}, op.out.channels, op.kind == OpKind::normalize || op.per_channel ? 1 : op.fan_in()};
    std::string_view name;
    if (op.weight >= 0) {
      name = model.parameters[static_cast<std::size_t>(op.weight)].name;
    } else {  // a normalisation alone: its statistics have a name
      for (const auto& other : model.ops)
        if (other.op.output == op.inputs[1]) name = model.buffers[static_cast<std::size_t>(other.op.mean)].name;
    }
    const std::size_t dot = name.rfind('.');
    std::string layer(name.substr(0, dot == name.npos ? 0 : dot + 1));
    p.weight = joined({layer, "weight"});
    for (const NamedProduct& other : all)  // of a Shared that is in several places
      if (other.weight == p.weight) layer = joined({"ops.", i, "."});
    p.weight = joined({layer, "weight"});
    p.bias = joined({layer, "bias"});
    p.shape = {static_cast<std::uint64_t>(p.rows)};
    if (p.columns > 1) p.shape.push_back(static_cast<std::uint64_t>(p.columns));
    if (op.kind == OpKind::product) {
      const Parameter& weight = model.parameters[static_cast<std::size_t>(op.weight)];
      if (weight.size == p.rows * p.columns) p.shape.assign(weight.shape.begin(), weight.shape.begin() + weight.rank);
    }
    all.push_back(p);
  }
  return all;
}

/// A step of a row of weights, of the multiplier that its sums have.
inline double scale_of(std::int32_t multiplier, const Quantization& in, const Quantization& out, int shift) {
  return std::ldexp(static_cast<double>(multiplier), -shift) * static_cast<double>(out.scale) /
         static_cast<double>(in.scale);
}
/// The same multiplier again: four roundings change what is rounded here by less than 2^-19.
inline std::int32_t multiplier_of(double scale, const Quantization& in, const Quantization& out, int shift) {
  return multiplier_for(scale * static_cast<double>(in.scale) / static_cast<double>(out.scale), shift, Rescale::bits);
}

/// The numbers of a product: the float weight is scale[row] weight[row][column], the bias scale[row] bias[row] times
/// the scale of the input.
struct ProductNumbers {
  std::vector<std::int8_t> weight;
  std::vector<std::int32_t> bias;
  std::vector<double> scale;
};
SINTER_COLD inline ProductNumbers numbers_of(const ModelFacts& model, const NamedProduct& p, const Constants& from) {
  const auto& of = model.ops[p.op];
  const Quantization& in = from.values[model.scale_of[static_cast<std::size_t>(of.op.inputs[0])]];
  const Quantization& out = from.values[model.scale_of[static_cast<std::size_t>(of.target)]];
  ProductNumbers all;
  for (int row = 0; row < p.rows; ++row) {
    int sum = 0;
    for (int column = 0; column < p.columns; ++column) {
      all.weight.push_back(from.weights[of.weight_place(row, column)]);
      sum += all.weight.back();
    }
    const std::size_t at = of.number_place(row);
    all.bias.push_back(from.numbers[at] + in.zero * sum);
    all.scale.push_back(
        scale_of(from.numbers[at + static_cast<std::size_t>(of.place.outputs)], in, out, from.ops[p.op].rescale.shift));
  }
  return all;
}

}  // namespace int8

SINTER_NAMESPACE_END
