// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

template <class T>
constexpr const char* signature() {
  return __PRETTY_FUNCTION__;
}
/// The name that the definition of a type gives it, without namespaces and template arguments: so every compiler gives
/// the same.
template <class T>
constexpr std::string_view defined_name() {
  constexpr std::string_view of_double = signature<double>(), known = "double";
  constexpr std::size_t before = of_double.find(known), after = of_double.size() - before - known.size();
  std::string_view text = signature<T>();
  text = text.substr(before, text.size() - before - after);
  if (text.ends_with('>'))
    for (int depth = 0; !text.empty();) {
      depth += text.back() == '>' ? 1 : text.back() == '<' ? -1 : 0;
      text.remove_suffix(1);
      if (depth == 0) break;
    }
  const auto in_name = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80) != 0;
  };
  std::size_t first = text.size();
  while (first > 0 && in_name(text[first - 1])) --first;
  return text.substr(first);
}

/// The same as characters of its own, with a 0 at the end.
template <class T>
struct TypeName {
  static constexpr auto text = [] {
    std::array<char, defined_name<T>().size() + 1> characters{};
    for (std::size_t i = 0; i + 1 < characters.size(); ++i) characters[i] = defined_name<T>()[i];
    return characters;
  }();
};

}  // namespace detail

SINTER_NAMESPACE_END
