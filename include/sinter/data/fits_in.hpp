// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <limits>
#include <type_traits>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether `from` can be converted to a To: it may be rounded, but must not become infinite or another integer.
template <class To, class From>
bool fits_in(const From& from) {
  if constexpr (std::is_floating_point_v<To>) {
    if constexpr (std::is_floating_point_v<From>) {
      const To to = static_cast<To>(from);
      return is_finite(to) || !is_finite(from);
    } else {
      return true;
    }
  } else if constexpr (std::is_floating_point_v<From>) {
    constexpr From end = static_cast<From>(std::numeric_limits<To>::max() / 2 + 1) * 2;
    return is_finite(from) && from >= static_cast<From>(std::numeric_limits<To>::min()) && from < end &&
           static_cast<From>(static_cast<To>(from)) == from;
  } else {
    if constexpr (std::is_signed_v<From>)
      if (from < From(0))
        return static_cast<std::int64_t>(from) >= static_cast<std::int64_t>(std::numeric_limits<To>::min());
    return static_cast<std::uint64_t>(from) <= static_cast<std::uint64_t>(std::numeric_limits<To>::max());
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
