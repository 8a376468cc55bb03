// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/utf8.hpp"
#include "sinter/core/xml_text.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string xml_text(std::string_view text) {
  std::string written;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    const std::string_view c = text.substr(at, length == 0 ? 1 : length);
    const bool control = static_cast<unsigned char>(c[0]) < 0x20 && c != "\t" && c != "\n" && c != "\r";
    const bool none = length == 0 || control || c == "\xEF\xBF\xBE" || c == "\xEF\xBF\xBF";  // U+FFFE and U+FFFF
    written += none        ? utf8_not_a_character
               : c == "&"  ? "&amp;"
               : c == "<"  ? "&lt;"
               : c == ">"  ? "&gt;"
               : c == "\"" ? "&quot;"
               : c == "'"  ? "&apos;"
                           : c;
    at += c.size();
  }
  return written;
}

SINTER_NAMESPACE_END
