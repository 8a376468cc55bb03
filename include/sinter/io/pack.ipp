// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>

#include "sinter/io/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION float add_bytes(std::span<const float> row, std::vector<std::int8_t>& to) {
  float most = 0;
  for (const float w : row) most = std::fmax(most, std::fabs(w));
  const float scale = most / 127;
  for (const float w : row) to.push_back(static_cast<std::int8_t>(scale > 0 ? std::lround(w / scale) : 0));
  return scale;
}

SINTER_FUNCTION void add_halves(std::span<const float> row, std::string_view name, std::vector<std::uint16_t>& to) {
  for (const float w : row) {
    to.push_back(float_to_half(w));
    if (!is_finite(half_to_float(to.back())))
      fail(joined(
          {"the weight ", name, " has numbers that are too large for half precision (65504); store it as float32"}));
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
