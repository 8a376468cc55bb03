// SPDX-License-Identifier: MIT
#pragma once

#include <clocale>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <string_view>
#include <system_error>

#include "sinter/core/from_chars.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The length of the number that a text begins with, and whether it has a digit other than 0. The C library reads more:
/// blanks, a plus, hexadecimal digits.
struct NumberLength {
  std::size_t length = 0;
  bool finite = true, zero = true;

  explicit NumberLength(std::string_view text) {
    std::size_t at = text.starts_with('-') ? 1 : 0;
    for (const std::string_view word : {"infinity", "inf", "nan"})
      if (matches(text.substr(at), word)) {
        length = at + word.size();
        finite = false;
        return;
      }
    const std::size_t whole = digits(text, at);
    const bool point = at < text.size() && text[at] == '.';
    if (point) ++at;
    if (whole + (point ? digits(text, at) : 0) == 0) return;
    length = at;
    if (at == text.size() || (text[at] | 0x20) != 'e') return;
    ++at;
    if (at < text.size() && (text[at] == '+' || text[at] == '-')) ++at;
    const bool was_zero = zero;
    if (digits(text, at) > 0) length = at;
    zero = was_zero;
  }

 private:
  static bool matches(std::string_view text, std::string_view word) {
    if (text.size() < word.size()) return false;
    for (std::size_t i = 0; i < word.size(); ++i)
      if ((text[i] | 0x20) != word[i]) return false;
    return true;
  }
  std::size_t digits(std::string_view text, std::size_t& at) {
    const std::size_t from = at;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) zero = zero && text[at] == '0';
    return at - from;
  }
};

template <class T, class Read>
std::from_chars_result float_from_chars(const char* first, const char* last, T& value, Read read) {
  const NumberLength number(std::string_view(first, static_cast<std::size_t>(last - first)));
  if (number.length == 0) return {first, std::errc::invalid_argument};
  std::string text(first, number.length);
  if (const std::size_t point = text.find('.'); point != text.npos)
    text.replace(point, 1, std::localeconv()->decimal_point);
  const T read_value = read(text.c_str());
  const char* const end = first + number.length;
  if (number.finite && (std::isinf(read_value) || (read_value == 0 && !number.zero)))
    return {end, std::errc::result_out_of_range};
  value = read_value;
  return {end, std::errc()};
}

SINTER_FUNCTION std::from_chars_result float_from_chars(const char* first, const char* last, float& value) {
  return float_from_chars(first, last, value, [](const char* text) { return std::strtof(text, nullptr); });
}
SINTER_FUNCTION std::from_chars_result float_from_chars(const char* first, const char* last, double& value) {
  return float_from_chars(first, last, value, [](const char* text) { return std::strtod(text, nullptr); });
}

}  // namespace detail

SINTER_NAMESPACE_END
