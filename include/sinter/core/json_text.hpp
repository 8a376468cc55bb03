// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Text as a string of JSON, with its quotes.
inline std::string json_string(std::string_view text) {
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
