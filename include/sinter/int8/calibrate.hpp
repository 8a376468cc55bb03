// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/int8/fixed_point.hpp"
#include "sinter/int8/plan.hpp"
#include "sinter/kernels/reference/engine.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

struct Range {
  double low = std::numeric_limits<double>::infinity(), high = -std::numeric_limits<double>::infinity();
  void add(double x) {
    low = std::min(low, x);
    high = std::max(high, x);
  }
};

/// The smallest and the largest number of each value of a model over some rows. Computed in double, so that it is the
/// same on every machine.
template <class Model, class View>
auto ranges_of(const double* parameters, const BatchInputs<View>& inputs) {
  using Ops = Program<Model>;
  constexpr std::size_t size = static_cast<std::size_t>(Ops::input.size()), at_once = 16;
  std::array<Range, static_cast<std::size_t>(Ops::value_count)> ranges{};
  ReferenceEngine<Model, double> engine;
  std::vector<double> x(at_once * size), y(at_once * static_cast<std::size_t>(Ops::output.size()));
  const std::size_t rows = inputs.view.rows;
  for (std::size_t first = 0; first < rows; first += at_once) {
    const std::size_t some = std::min(at_once, rows - first);
    for (std::size_t i = 0; i < some; ++i) copy_row(inputs.view, inputs.choice[first + i], x.data() + i * size);
    for (double& one : x) one = one * inputs.normalize.scale + inputs.normalize.shift;
    for (const double one : x)
      if (!(one - one == 0)) fail("quantize was given a row with a number that is not finite; leave it out");
    engine.forward(parameters, x.data(), some, y.data());
    for (int v = 0; v < Ops::value_count; ++v)
      for (const double one : engine.value(v)) ranges[static_cast<std::size_t>(v)].add(one);
  }
  return ranges;
}

/// The quantization of each value that has its own.
template <class Model, std::size_t Count>
std::array<Quantization, Count> quantizations_of(const std::array<Range, Count>& ranges) {
  std::array<Range, Count> shared{};
  for (std::size_t v = 0; v < Count; ++v) {
    const auto& value = Plan<Model>::values[v];
    Range& all = shared[static_cast<std::size_t>(value.scale)];
    if (!value.measured || !(ranges[v].low <= ranges[v].high)) continue;
    all.add(ranges[v].low);
    all.add(ranges[v].high);
  }
  std::array<Quantization, Count> result{};
  for (std::size_t v = 0; v < Count; ++v)
    if (Plan<Model>::values[v].stated.scale > 0)
      result[v] = Plan<Model>::values[v].stated;
    else if (shared[v].low <= shared[v].high)
      result[v] = Quantization::of_range(shared[v].low, shared[v].high);
  return result;
}

}  // namespace int8

SINTER_NAMESPACE_END
