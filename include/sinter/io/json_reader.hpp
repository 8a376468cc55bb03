// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

/// Reads JSON of a known structure: the caller says what comes next, and anything else is refused. So there is no
/// recursion, and only requested values are kept. `where` names the text in messages.
class JsonReader {
 public:
  JsonReader(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {}

  /// member(key) reads the value of each member of an object.
  template <class Member>
  void object(Member&& member) {
    expect('{');
    if (accept('}')) return;
    do {
      const std::string key = string();
      expect(':');
      member(key);
    } while (accept(','));
    expect('}');
  }
  /// element() reads each element of an array.
  template <class Element>
  void array(Element&& element) {
    expect('[');
    if (accept(']')) return;
    do element();
    while (accept(','));
    expect(']');
  }
  std::string string();
  std::uint64_t whole_number();
  double number();
  /// Only blanks may follow.
  void end();
  [[noreturn]] SINTER_COLD void refuse(std::string_view expected) const;

 private:
  void skip_blanks();
  bool accept(char c);
  void expect(char c) {
    if (!accept(c)) refuse({&c, 1});
  }
  bool digit() const { return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; }
  unsigned hex4();

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
};

/// Whether a text is UTF-8: no stray or missing bytes, no overlong forms, no surrogates, nothing above 10FFFF.
bool is_valid_utf8(std::string_view text);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/json_reader.ipp"
#endif
