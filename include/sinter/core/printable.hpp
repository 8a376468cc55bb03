// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The character of a text in UTF-8 that begins with these bytes and is a control character above U+007F, or turns the
/// direction of what follows; or 0.
constexpr unsigned unseen_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  if (byte(0) == 0xC2 && byte(1) >= 0x80 && byte(1) <= 0x9F) return byte(1);
  if (byte(0) == 0xD8 && byte(1) == 0x9C) return 0x61C;
  if (byte(0) != 0xE2 || byte(2) == 0) return 0;
  const unsigned code = 0x2000u | (byte(1) & 0x3Fu) << 6 | (byte(2) & 0x3Fu);
  const bool turns =
      code == 0x200E || code == 0x200F || (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return turns ? code : 0;
}

/// Calls add(char) for a text as a terminal can show it. `lists`: whether lines that begin with two spaces stay lines.
template <class Add>
constexpr void each_printable(std::string_view text, bool lists, Add add) {
  constexpr const char* digits = "0123456789abcdef";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const bool line = lists && c == '\n' && text.substr(i + 1, 2) == "  ";
    const unsigned code = unseen_character(text.substr(i));
    if (code > 0 || (c < 0x20 && !line) || c == 0x7F) {
      add('\\');
      add(code > 0 ? 'u' : 'x');
      for (int shift = code > 0 ? 12 : 4; shift >= 0; shift -= 4) add(digits[(code > 0 ? code : c) >> shift & 15u]);
      if (code > 0) i += code < 0x800 ? 1 : 2;
    } else {
      add(text[i]);
    }
  }
}

}  // namespace detail

/// A message as a terminal can show it, whatever names of files it has in it: control characters, and those that change
/// the direction of text, are written as their numbers, \x1b and \u202e. Lines of a list, which begin with two spaces,
/// stay lines.
SINTER_COLD std::string printable(std::string_view message);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/printable.ipp"
#endif
