// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// x' = x scale + shift, applied to every input number as it is loaded.
struct Normalize {
  float scale = 1, shift = 0;

  /// (x / 255 - mean) / deviation, for bytes.
  static constexpr Normalize pixels(float mean, float deviation) { return {1 / (255 * deviation), -mean / deviation}; }
  /// (x - mean) / deviation.
  static constexpr Normalize values(float mean, float deviation) { return {1 / deviation, -mean / deviation}; }

  friend constexpr bool operator==(const Normalize&, const Normalize&) = default;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Normalize;
}  // namespace sinter
