// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <system_error>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What a whole text is, read as a number of some type.
enum class NumberText { number, too_large, no_number };

/// Whether a decimal number is below 1: the place of its first digit that is not 0, counted from the point, and its exponent.
SINTER_COLD inline bool below_one(std::string_view text) {
  const std::size_t end_of_digits = text.find_first_of("eE");
  const std::string_view digits = text.substr(0, end_of_digits);
  const std::size_t point = digits.find('.') == digits.npos ? digits.size() : digits.find('.');
  const std::size_t first = digits.find_first_of("123456789");
  if (first == digits.npos) return true;
  const long long before_point =
      static_cast<long long>(point) - static_cast<long long>(first) + (first > point ? 1 : 0);
  if (end_of_digits == text.npos) return before_point <= 0;
  std::string_view exponent = text.substr(end_of_digits + 1);
  if (exponent.front() == '+') exponent.remove_prefix(1);
  long long power = 0;
  if (std::from_chars(exponent.data(), exponent.data() + exponent.size(), power).ec != std::errc())
    return exponent.front() == '-';  // more digits than any number of digits before the point
  return power <= -before_point;
}

/// Reads all of a text as a number, in any locale. A number below the smallest is 0, with its sign; `value` is otherwise
/// left as it is unless the text is a number.
template <class T>
NumberText parse_number(std::string_view text, T& value) {
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, value);
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
