// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// IEEE's half precision, exactly: 5 bits of exponent, 10 of mantissa.
constexpr float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, mantissa = half & 0x3ffu;
  if (exponent == 0) {  // zero and the subnormal
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return std::bit_cast<float>(sign | (exponent == 31 ? 255 : exponent + 112) << 23 | mantissa << 13);
}

/// The nearest half, the even one of two: infinity from 65520 on.
constexpr std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(value), sign = bits >> 16 & 0x8000u,
                      magnitude = bits & 0x7fffffffu;
  const auto with_sign = [&](std::uint32_t half) { return static_cast<std::uint16_t>(sign | half); };
  if (magnitude > 0x7f800000u) return with_sign(0x7e00u);
  if (magnitude >= 0x477ff000u) return with_sign(0x7c00u);
  const auto rounded = [](std::uint32_t number, std::uint32_t shift) {
    const std::uint32_t kept = number >> shift, rest = number & ((1u << shift) - 1), middle = 1u << (shift - 1);
    return kept + (rest > middle || (rest == middle && (kept & 1u)) ? 1u : 0u);
  };
  if (magnitude >= 0x38800000u) return with_sign(rounded(magnitude - 0x38000000u, 13));  // a carry is the next exponent
  const std::uint32_t exponent = magnitude >> 23;
  if (exponent < 102) return with_sign(0);  // below half of the smallest subnormal
  return with_sign(rounded((magnitude & 0x7fffffu) | 0x800000u, 126 - exponent));
}

SINTER_NAMESPACE_END
