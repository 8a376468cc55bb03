// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
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

/// Reads JSON for the place alone at which it is wrong, or for the number that is too large.
struct WrongPlace : nlohmann::json_sax<Json> {
  std::size_t bytes = 0;  // up to there
  std::string number{};
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t read, const std::string& token, const Json::exception& problem) override {
    bytes = read;
    if (dynamic_cast<const Json::out_of_range*>(&problem)) number = token;
    return false;
  }
};

}  // namespace detail

/// Why a text cannot be read: "is no JSON at byte 75: NaN, 0]}", or "has the number 1e999, which no FP32 can hold".
inline std::string shown_wrong(std::string_view text, std::size_t most) {
  detail::WrongPlace place;
  Json::sax_parse(text, &place);
  if (!place.number.empty()) return "has the number " + shown(place.number, most) + ", which no FP32 can hold";
  const std::size_t at = std::min(std::max<std::size_t>(place.bytes, 1) - 1, text.size());
  return "is no JSON at byte " + std::to_string(at) + ": " + shown(text.substr(at), most);
}

/// JSON of a client in a message: at most `most` characters. It takes no more memory than they do, however long the
/// JSON is.
inline std::string shown_json(const Json& value, std::size_t most) {
  std::string text;
  detail::append_start(value, most, text);
  return shown(text, most);
}

}  // namespace sinter_serve
