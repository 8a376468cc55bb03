// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/cpp_name.hpp"
#include "sinter/core/json_text.hpp"
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
  if (!is_name_in_cpp(name))
    fail(joined(
        {json_string(name),
         " was given as the name of a constant; give one of letters, digits and _ that C++ does not have, such as "
         "lenet_weights"}));
}

}  // namespace detail

SINTER_NAMESPACE_END
