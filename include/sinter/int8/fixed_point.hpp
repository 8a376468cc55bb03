// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// How a real number is kept in 8 bits: x = scale (q - zero), q from 0 to 255. Zero itself is exact (Jacob et al.,
/// "Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2018).
struct Quantization {
  float scale = 1;
  std::int32_t zero = 0;

  /// The one that covers [low, high], and 0.
  static Quantization of_range(double low, double high) {
    low = std::min(low, 0.0);
    high = std::max(high, 0.0);
    const auto step = static_cast<float>((high - low) / 255);
    if (!(step > 0)) return {};
    return {step,
            static_cast<std::int32_t>(std::clamp(std::floor(-low / static_cast<double>(step) + 0.5), 0.0, 255.0))};
  }
  /// The nearest q, halves upwards.
  std::uint8_t nearest(double x) const {
    const double q = std::floor(x / static_cast<double>(scale) + 0.5) + zero;
    return static_cast<std::uint8_t>(q > 0 ? std::min(q, 255.0) : 0.0);  // a NaN is 0
  }
  float value(std::int32_t q) const { return scale * static_cast<float>(q - zero); }
  friend bool operator==(const Quantization&, const Quantization&) = default;
};

/// The power of two that gives a factor `bits` bits: 2^(bits - 1) <= factor 2^shift < 2^bits; at most `most`.
inline int shift_for(double factor, int bits, int most) {
  int exponent = 0;
  std::frexp(factor, &exponent);  // factor < 2^exponent
  return factor > 0 ? std::clamp(bits - exponent, 1, most) : most;
}
/// factor 2^shift, rounded, of at most `bits` bits.
inline std::int32_t multiplier_for(double factor, int shift, int bits) {
  const double rounded = std::floor(std::ldexp(factor, shift) + 0.5);
  return static_cast<std::int32_t>(std::min(rounded, std::ldexp(1.0, bits) - 1));
}

/// x / 2^shift, rounded to the nearest integer, halves upwards.
constexpr std::int64_t shifted(std::int64_t x, int shift) { return (x + (std::int64_t{1} << (shift - 1))) >> shift; }

/// From sums of products to 8 bits: q = zero + shifted(sum multiplier), between low and high. The multipliers of all
/// outputs of an op have one shift. It is 32 at least, so that kernels shift the upper halves of products.
struct Rescale {
  static constexpr int bits = 31, least_shift = 32, most_shift = 62;
  std::int32_t shift = least_shift, zero = 0, low = 0, high = 255;

  constexpr std::uint8_t operator()(std::int32_t sum, std::int32_t multiplier) const {
    const auto q = static_cast<std::int32_t>(shifted(std::int64_t{sum} * multiplier, shift)) + zero;
    return static_cast<std::uint8_t>(q < low ? low : q > high ? high : q);
  }
};

/// Factors of numbers of 8 bits have 20: sums of two products fit 32 bits, with a half of 2^most_short_shift. What is
/// computed in 64 bits may be shifted further.
inline constexpr int small_bits = 20, most_short_shift = 28, most_long_shift = 40;

/// The largest number of products in a sum of 32 bits. No order of adding |q w| <= 255 * 127 reaches 2^30, nor do
/// constants from the other side: bias and zero point are at most 2^30, too.
inline constexpr int most_products = (1 << 30) / (255 * 127);
inline constexpr double most_bias = (1 << 30) - 1;

}  // namespace int8

SINTER_NAMESPACE_END
