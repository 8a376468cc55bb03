// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <concepts>
#include <string>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The shortest text that reads back as exactly x, in any locale.
template <std::floating_point T>
std::string exact_text(const T& x) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, x).ptr;
  return {text, end};
}

/// x with a number of decimals. Numbers too long for a line fall back to the exact text.
std::string fixed_text(const double& x, int decimals);

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/core/number_text.ipp"
#endif
