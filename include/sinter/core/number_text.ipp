// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/number_text.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string fixed_text(const double& x, int decimals) {
  char text[32];
  const auto result = std::to_chars(text, text + sizeof text, x, std::chars_format::fixed, decimals);
  return result.ec == std::errc() ? std::string(text, result.ptr) : exact_text(x);
}

SINTER_NAMESPACE_END
