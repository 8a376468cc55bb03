// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// x' = x scale + shift, applied to every input number as it is loaded.
struct Normalize {
  float scale = 1, shift = 0;

  /// (x / 255 - mean) / deviation, for bytes. Fails unless these are finite numbers, and the deviation is above 0.
  static constexpr Normalize pixels(float mean, float deviation) {
    const Normalize made{1 / (255 * deviation), -mean / deviation};
    if (!made.sound(deviation) || !made.holds(255)) fail_deviation("Normalize::pixels", mean, deviation);
    return made;
  }
  /// (x - mean) / deviation. Fails as pixels.
  static constexpr Normalize values(float mean, float deviation) {
    const Normalize made{1 / deviation, -mean / deviation};
    if (!made.sound(deviation)) fail_deviation("Normalize::values", mean, deviation);
    return made;
  }

  /// Whether the numbers are finite and the scale is not 0, also in one that was made from other numbers; and what to
  /// say if not.
  constexpr bool is_sound() const { return sound(1); }
  SINTER_COLD std::string problem() const;
  /// Fails with it, and if integers of type T would be scaled to what no float holds.
  template <class T = float>
  void check() const {
    if (!is_sound()) fail_numbers();
    if constexpr (std::is_integral_v<T>) {
      using Limits = std::numeric_limits<T>;
      if (!holds(static_cast<float>(Limits::min())) || !holds(static_cast<float>(Limits::max())))
        fail_overflow(static_cast<std::uint64_t>(Limits::max()));
    }
  }

  friend constexpr bool operator==(const Normalize&, const Normalize&) = default;

 private:
  // By its bits: it holds under -ffast-math too.
  static constexpr bool is_finite(float x) { return (std::bit_cast<std::uint32_t>(x) & 0x7f800000u) != 0x7f800000u; }
  constexpr bool sound(float deviation) const {
    return is_finite(scale) && is_finite(shift) && is_finite(deviation) && deviation > 0 && scale != 0;
  }
  constexpr bool holds(float x) const { return is_finite(x * scale + shift); }
  [[noreturn]] SINTER_COLD static void fail_deviation(const char* function, float mean, float deviation);
  [[noreturn]] SINTER_COLD void fail_numbers() const;
  [[noreturn]] SINTER_COLD void fail_overflow(std::uint64_t most) const;
};

/// Whether numbers of a type are scaled before a network reads them: bytes and other integers.
template <class T>
inline constexpr bool needs_scale = std::is_integral_v<std::remove_const_t<T>>;

SINTER_NAMESPACE_END

namespace sinter {
using internal::Normalize;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/normalize.ipp"
#endif
