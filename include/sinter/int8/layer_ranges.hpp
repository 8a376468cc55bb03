// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "sinter/data/dataset.hpp"
#include "sinter/int8/calibrate.hpp"
#include "sinter/int8/check_rows.hpp"
#include "sinter/int8/refusal.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

/// The smallest and the largest number that a part of a network made.
struct LayerRange {
  int layer = 0;                ///< its number in the model, the input not counted
  const char* layer_name = "";  ///< "Residual"
  const char* name = "";        ///< of the op in the layer: "convolution"
  double low = 0, high = 0;
};

/// The ranges of what each op of a trained network makes in inference, in their order: to choose those of its
/// FakeQuantize layers. Fails on rows with numbers that are not finite. Computes by plain loops in double: some hundred
/// rows of the training data are enough.
template <class Net, Dataset D>
std::vector<LayerRange> layer_ranges(const Net& net, const D& rows) {
  using Ops = typename Net::Ops;
  static_assert(sizeof(int8::CheckModel<typename Net::Model>) > 0);
  detail::check_rows<Net, inputs_of<D>, says_scale<D>>();
  const auto& from = net.to_host();
  const std::vector<double> parameters(from.data(), from.data() + from.size());
  const auto ranges = int8::ranges_of<typename Net::Model>(
      parameters.data(), BatchInputs<inputs_of<D>>{rows.inputs(), {}, normalize_of(rows)}, "layer_ranges");
  std::vector<LayerRange> all;
  for (const Op& op : Ops::ops) {
    const int8::Range& range = ranges[static_cast<std::size_t>(op.output)];
    if (op.kind != OpKind::statistics && range.low <= range.high)
      all.push_back({op.layer, Ops::layer_names[static_cast<std::size_t>(op.layer)], op.name, range.low, range.high});
  }
  return all;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::layer_ranges;
using internal::LayerRange;
}  // namespace sinter
