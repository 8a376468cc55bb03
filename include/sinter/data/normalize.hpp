// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

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

/// Whether numbers of a type are scaled before a network reads them: bytes and other integers.
template <class T>
inline constexpr bool needs_scale = std::is_integral_v<std::remove_const_t<T>>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Normalize;
}  // namespace sinter
