// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/json_text.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string json_string(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    constexpr char digits[] = "0123456789abcdef";
    if (c == '"' || c == '\\')
      (quoted += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20)
      ((quoted += "\\u00") += digits[c / 16]) += digits[c % 16];
    else
      quoted += c;
  }
  return quoted + '"';
}

SINTER_NAMESPACE_END
