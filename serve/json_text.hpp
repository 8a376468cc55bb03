// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "access_log.hpp"

namespace sinter_serve {

namespace detail {

inline std::string escaped(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }
inline std::string escaped_start(const std::string& text, std::size_t most) {
  return escaped(text.substr(0, most + 1));
}
/// Appends a value as text, at least up to `most` characters.
inline void append_start(const Json& value, std::size_t most, std::string& text) {
  if (!value.is_structured()) {
    text += value.is_string() ? escaped_start(value.get_ref<const std::string&>(), most) : escaped(value);
    return;
  }
  text += value.is_array() ? '[' : '{';
  bool first = true;
  for (auto part = value.begin(); part != value.end() && text.size() <= most; ++part) {
    if (!std::exchange(first, false)) text += ',';
    if (value.is_object()) text += escaped_start(part.key(), most) + ":";
    append_start(*part, most, text);
  }
  text += value.is_array() ? ']' : '}';
}

}  // namespace detail

/// JSON of a client in a message: at most `most` characters. It takes no more memory than they do, however long the
/// JSON is.
inline std::string shown_json(const Json& value, std::size_t most) {
  std::string text;
  detail::append_start(value, most, text);
  return shown(text, most);
}

}  // namespace sinter_serve
