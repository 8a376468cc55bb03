// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Reads bits, and takes a reference: it holds under -ffast-math too.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN bool is_nan(const T& x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits infinity = sizeof(T) == 4 ? Bits(0x7f800000) : Bits(0x7ff0000000000000);
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & (infinity | (infinity - 1))) > infinity;
}

/// The place of the largest of n outputs, the first of equal ones; -1 where one of them is NaN: no class then.
template <class T>
SINTER_FN int predicted_class(const T* y, int n) {
  int best = 0;
  bool number = true;
  for (int i = 0; i < n; ++i) {
    number = number && !is_nan(y[i]);
    best = y[i] > y[best] ? i : best;
  }
  return number ? best : -1;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::predicted_class;
}  // namespace sinter
