// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether a whole number is too large for an int64_t, which would be another one, below 0.
template <class Number>
constexpr bool is_beyond_int64(Number number) {
  return std::is_unsigned_v<Number> && static_cast<std::int64_t>(number) < 0;
}

SINTER_NAMESPACE_END
