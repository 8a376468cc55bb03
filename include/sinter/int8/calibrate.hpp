// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
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

/// The layer that makes a value.
template <class Ops>
int layer_of(int value) {
  const int producer = Ops::values[static_cast<std::size_t>(value)].producer;
  return producer < 0 ? 0 : Ops::ops[static_cast<std::size_t>(producer)].layer;
}
[[noreturn]] SINTER_COLD inline void fail_range(const char* caller, double number, int layer) {
  fail(joined({caller, " was given a network that computes ", exact_text(number), " in layer ",
               static_cast<std::size_t>(layer), "; 8 bits need a range of finite numbers"}));
}

/// Whether the quantization of a range is one in floats: its step has all its digits, and both ends are finite.
inline bool covers(const Quantization& of, Range range) {
  range.add(0);
  return range.low == range.high ||
         (range.high - range.low >= 255 * static_cast<double>(std::numeric_limits<float>::min()) &&
          is_finite(of.value(0)) && is_finite(of.value(255)));
}
[[noreturn]] SINTER_COLD inline void fail_step(const Range& range, int layer) {
  fail(joined({"quantize was given a network that computes ", exact_text(range.low), " to ", exact_text(range.high),
               " in layer ", static_cast<std::size_t>(layer),
               ", expected a range whose steps of 1/255 a float can hold; give it rows of another unit"}));
}

/// The smallest and the largest number of each value of a model over some rows. Computed in double, so that it is the
/// same on every machine. `caller` is what messages name.
template <class Model, class View>
auto ranges_of(const double* parameters, const BatchInputs<View>& inputs, const char* caller) {
  using Ops = Program<Model>;
  constexpr std::size_t size = static_cast<std::size_t>(Ops::input.size()), at_once = 16;
  std::array<Range, static_cast<std::size_t>(Ops::value_count)> ranges{};
  inputs.normalize.check();
  for (const double one : std::span(parameters, static_cast<std::size_t>(Ops::storage_size)))
    if (!(one - one == 0))
      fail(joined({caller, " was given a network with a weight that is not finite; train it anew"}));
  constexpr auto largest = static_cast<double>(std::numeric_limits<float>::max());
  ReferenceEngine<Model, double> engine;
  std::vector<double> x(at_once * size), y(at_once * static_cast<std::size_t>(Ops::output.size()));
  const std::size_t rows = inputs.view.rows;
  if (rows == 0)
    fail(joined({caller, " was given 0 rows; give it some that are like those of use, such as 100 of training"}));
  for (std::size_t first = 0; first < rows; first += at_once) {
    const std::size_t some = std::min(at_once, rows - first);
    for (std::size_t i = 0; i < some; ++i) copy_row(inputs.view, inputs.choice[first + i], x.data() + i * size);
    for (double& one : std::span(x).first(some * size)) {
      one = one * static_cast<double>(inputs.normalize.scale) + static_cast<double>(inputs.normalize.shift);
      if (!(one - one == 0)) fail(joined({caller, " was given a row with a number that is not finite; leave it out"}));
    }
    engine.forward(parameters, x.data(), some, y.data());
    for (int v = 0; v < Ops::value_count; ++v)
      for (const double one : engine.value(v)) {
        if (!(std::abs(one) <= largest)) fail_range(caller, one, layer_of<Ops>(v));
        ranges[static_cast<std::size_t>(v)].add(one);
      }
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
    else if (const Range& range = shared[v]; range.low <= range.high) {
      result[v] = Quantization::of_range(range.low, range.high);
      if (!covers(result[v], range)) fail_step(range, layer_of<Program<Model>>(static_cast<int>(v)));
    }
  return result;
}

}  // namespace int8

SINTER_NAMESPACE_END
