// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/from_chars.hpp"
#include "sinter/core/utf8.hpp"
#include "sinter/io/json_reader.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void JsonReader::end() {
  skip_blanks();
  if (at_ != text_.size()) refuse("the end");
}

SINTER_FUNCTION void JsonReader::refuse(std::string_view expected) const {
  fail(joined({where_, " is not JSON of the expected form: ", expected, " was expected at byte ", at_,
               "; it is damaged, or a file of another kind"}));
}

SINTER_FUNCTION void JsonReader::skip_blanks() {
  while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
    ++at_;
}

SINTER_FUNCTION bool JsonReader::accept(char c) {
  skip_blanks();
  if (at_ == text_.size() || text_[at_] != c) return false;
  ++at_;
  return true;
}

SINTER_COLD SINTER_FUNCTION std::uint64_t JsonReader::whole_number() {
  skip_blanks();
  if (!digit()) refuse("a whole number");
  if (text_[at_] == '0') {
    ++at_;
    if (digit()) refuse("no digit after a leading 0");
    return 0;
  }
  std::uint64_t n = 0;
  for (; digit(); ++at_) {
    const auto d = static_cast<std::uint64_t>(text_[at_] - '0');
    if (n > (UINT64_MAX - d) / 10) refuse("a number below 2^64");
    n = n * 10 + d;
  }
  return n;
}

SINTER_COLD SINTER_FUNCTION double JsonReader::number() {
  skip_blanks();
  if (!digit() && !(at_ + 1 < text_.size() && text_[at_] == '-' && text_[at_ + 1] >= '0' && text_[at_ + 1] <= '9'))
    refuse("a number");
  double x = 0;
  const auto [end, error] = detail::from_chars(text_.data() + at_, text_.data() + text_.size(), x);
  if (error != std::errc()) refuse("a number that a double can hold");
  at_ = static_cast<std::size_t>(end - text_.data());
  return x;
}

SINTER_COLD SINTER_FUNCTION unsigned JsonReader::hex4() {
  unsigned value = 0;
  for (int i = 0; i < 4; ++i, ++at_) {
    const char c = at_ < text_.size() ? text_[at_] : ' ';
    const char lower = static_cast<char>(c | 0x20);
    if (c >= '0' && c <= '9')
      value = value * 16 + static_cast<unsigned>(c - '0');
    else if (lower >= 'a' && lower <= 'f')
      value = value * 16 + static_cast<unsigned>(lower - 'a' + 10);
    else
      refuse("a hexadecimal digit");
  }
  return value;
}

SINTER_COLD SINTER_FUNCTION std::string JsonReader::string() {
  constexpr std::string_view escapes = "\"\\/bfnrt", meant = "\"\\/\b\f\n\r\t";
  expect('"');
  std::string text;
  while (at_ < text_.size() && text_[at_] != '"') {
    const char c = text_[at_++];
    if (static_cast<unsigned char>(c) < 0x20) refuse("no control character");
    if (c != '\\') {
      text += c;
      continue;
    }
    const char escape = at_ < text_.size() ? text_[at_++] : ' ';
    if (const auto known = escapes.find(escape); known != escapes.npos) {
      text += meant[known];
      continue;
    }
    if (escape != 'u') refuse("an escape that JSON knows");
    unsigned code = hex4();
    if (code >= 0xd800 && code < 0xdc00) {  // the first half of a pair
      if (text_.substr(at_, 2) != "\\u") refuse("the second half of a surrogate pair");
      at_ += 2;
      const unsigned low = hex4();
      if (low < 0xdc00 || low > 0xdfff) refuse("the second half of a surrogate pair");
      code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xdc00 && code < 0xe000) {
      refuse("the first half of a surrogate pair");
    }
    const auto put = [&](unsigned bits) { text += static_cast<char>(bits); };  // UTF-8
    if (code < 0x80) {
      put(code);
    } else if (code < 0x800) {
      put(0xc0 | code >> 6), put(0x80 | (code & 63));
    } else if (code < 0x10000) {
      put(0xe0 | code >> 12), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    } else {
      put(0xf0 | code >> 18), put(0x80 | (code >> 12 & 63)), put(0x80 | (code >> 6 & 63)), put(0x80 | (code & 63));
    }
  }
  if (at_ == text_.size()) refuse("the end of a string");
  ++at_;
  return text;
}

SINTER_FUNCTION bool is_valid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8_length(text, at);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

SINTER_NAMESPACE_END
