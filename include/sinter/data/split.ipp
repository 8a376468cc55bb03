// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/split.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::vector<std::uint32_t> shuffled(std::size_t rows, std::uint64_t seed) {
  constexpr std::uint64_t stream = 0x5711;  // no epoch of a training has that number
  std::vector<std::uint32_t> order(rows);
  Permutation(rows, seed, stream << 32).write(order.data());
  return order;
}

SINTER_FUNCTION std::size_t held_out_rows(std::size_t rows, double fraction, const char* who) {
  const double wanted = fraction > 0 && fraction < 1 ? fraction * static_cast<double>(rows) + 0.5 : 0;
  const auto count = static_cast<std::size_t>(wanted);
  if (count == 0 || count >= rows)
    fail(std::string(who) + " was asked to hold out a fraction of " + exact_text(fraction) + " of " +
         std::to_string(rows) + " rows; give a fraction above 0 and below 1 that leaves a row to each part");
  return count;
}

}  // namespace detail

SINTER_NAMESPACE_END
