// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"
#include "sinter/io/export_header.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION std::string literal(float x) {
  std::string text = exact_text(x);
  if (text.find_first_of(".e") == text.npos) text += ".0";
  return text + "f";
}

SINTER_FUNCTION void check_name_of_constant(const std::string& name) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  bool good = !name.empty() && letter(name[0]);
  for (const char c : name) good = good && (letter(c) || (c >= '0' && c <= '9'));
  if (!good)
    fail(joined({"\"", name,
                 "\" was given as the name of a constant; give one of letters, digits and _, such as lenet_weights"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
