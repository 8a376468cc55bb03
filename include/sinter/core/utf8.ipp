// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/utf8.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::size_t utf8_length(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length < 2 || length > text.size() - at) return length == 1 ? 1 : 0;
  unsigned code = first & (0x7fu >> length);
  for (std::size_t k = 1; k < length; ++k) {
    if (byte(k) >> 6 != 2) return 0;
    code = code << 6 | (byte(k) & 63u);
  }
  constexpr unsigned least[] = {0, 0, 0x80, 0x800, 0x10000};
  return code < least[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : length;
}

SINTER_NAMESPACE_END
