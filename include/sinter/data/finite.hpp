// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Neither NaN nor infinite. Reads bits, and takes a reference: it holds under -ffast-math too.
template <class T>
  requires std::is_floating_point_v<T>
SINTER_FN bool is_finite(const T& x) {
  using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr Bits exponent = sizeof(T) == 4 ? Bits(0x7f800000) : Bits(0x7ff0000000000000);
  Bits bits;
  std::memcpy(&bits, &x, sizeof bits);
  return (bits & exponent) != exponent;
}

SINTER_NAMESPACE_END
