// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/json_text.hpp"
#include "sinter/core/utf8.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (std::size_t at = 0; at < text.size();) {
    constexpr char digits[] = "0123456789abcdef";
    const char c = text[at];
    const std::size_t length = utf8_length(text, at);
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      ((quoted += "\\u00") += digits[c / 16]) += digits[c % 16];
    else
      quoted += length == 0 ? utf8_not_a_character : text.substr(at, length);
    at += length == 0 ? 1 : length;
  }
  return quoted + '"';
}

SINTER_NAMESPACE_END
