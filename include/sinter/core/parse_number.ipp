// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>

#include "sinter/core/parse_number.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION bool below_one(std::string_view text) {
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

}  // namespace detail

SINTER_NAMESPACE_END
