// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string_view>
#include <system_error>

#include "sinter/core/from_chars.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What a whole text is, read as a number of some type.
enum class NumberText { number, too_large, no_number };

/// Whether a decimal number is below 1: the place of its first digit that is not 0, counted from the point, and its
/// exponent.
SINTER_COLD bool below_one(std::string_view text);

/// Reads all of a text as a number, in any locale. A number below the smallest is 0, with its sign; `value` is
/// otherwise left as it is unless the text is a number.
template <class T>
NumberText parse_number(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto result = from_chars(text.data(), end, value);
  if (result.ptr != end || result.ec == std::errc::invalid_argument) return NumberText::no_number;
  if (result.ec == std::errc()) return NumberText::number;
  if constexpr (std::floating_point<T>)
    if (below_one(text)) {
      value = text.front() == '-' ? -T(0) : T(0);
      return NumberText::number;
    }
  return NumberText::too_large;
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/parse_number.ipp"
#endif
