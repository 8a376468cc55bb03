// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "sinter/data/normalize.hpp"
#include "sinter/int8/fixed_point.hpp"
#include "sinter/int8/plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// x scale + shift in 8 bits: one product, which is exact in double where floats hold scale, and one sum. A NaN is the
/// smallest.
struct ScaledInput {
  double factor, shift, low, high;

  ScaledInput(const Quantization& q, const Limits& limits, const Normalize& normalize) {
    const double step = static_cast<double>(q.scale);
    constexpr double most = std::numeric_limits<float>::max();
    factor = static_cast<double>(normalize.scale) / step;
    if (factor <= most && factor >= -most) factor = static_cast<double>(static_cast<float>(factor));
    shift = static_cast<double>(normalize.shift) / step + q.zero + 0.5;
    low = q.nearest(limits.low);
    high = q.nearest(limits.high);
  }
  /// Whether it can be computed in floats.
  bool fits_floats() const {
    constexpr double most = std::numeric_limits<float>::max();
    return factor <= most && factor >= -most && shift <= most && shift >= -most;
  }
  SINTER_INLINE std::uint8_t operator()(float x) const {
    const double sum = static_cast<double>(x) * factor + shift;
    return static_cast<std::uint8_t>(sum > low ? (sum < high ? sum : high) : low);
  }
};

/// The same without double: `least[q]` is the smallest x of q + 1, for q from `low` to `high` - 1. A float tells where
/// to begin.
struct InputTable {
  std::array<float, 255> least;
  float factor, shift;
  std::int32_t low, high;

  SINTER_INLINE std::uint8_t operator()(float x) const {
    const float sum = x * factor + shift;
    std::int32_t q =
        sum > static_cast<float>(low) ? (sum < static_cast<float>(high) ? static_cast<std::int32_t>(sum) : high) : low;
    while (q < high && x >= least[static_cast<std::size_t>(q)]) ++q;
    while (q > low && !(x >= least[static_cast<std::size_t>(q - 1)])) --q;
    return static_cast<std::uint8_t>(q);
  }
};

}  // namespace int8

SINTER_NAMESPACE_END
