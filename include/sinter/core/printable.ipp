// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/printable.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// The character of a text in UTF-8 that begins with these bytes and turns the direction of what follows, or 0.
SINTER_COLD SINTER_FUNCTION unsigned turning_character(std::string_view text) {
  if (text.size() < 3 || (text[0] != '\xE2')) return 0;
  const auto second = static_cast<unsigned char>(text[1]), third = static_cast<unsigned char>(text[2]);
  const unsigned code = 0x2000u | (second & 0x3Fu) << 6 | (third & 0x3Fu);
  const bool turns =
      code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return turns ? code : 0;
}
}  // namespace detail

SINTER_COLD SINTER_FUNCTION std::string printable(std::string_view message) {
  constexpr const char* digits = "0123456789abcdef";
  std::string shown;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const auto c = static_cast<unsigned char>(message[i]);
    const bool line = c == '\n' && message.substr(i + 1, 2) == "  ";
    if (const unsigned code = detail::turning_character(message.substr(i)); code > 0) {
      shown += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) shown += digits[code >> shift & 15u];
      i += 2;
    } else if ((c < 0x20 && !line) || c == 0x7F) {
      shown += "\\x";
      shown += digits[c >> 4];
      shown += digits[c & 15];
    } else {
      shown += message[i];
    }
  }
  return shown;
}

SINTER_NAMESPACE_END
