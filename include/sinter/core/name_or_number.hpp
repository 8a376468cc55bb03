// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// An argument of a template that names one of several: "picture", or its number, 0.
template <std::size_t Size>
struct NameOrNumber {
  char text[Size]{};  // ends in a zero
  int number = -1;

  constexpr NameOrNumber(const char (&name)[Size]) : NameOrNumber(name, -1) {}
  /// As nvcc spells it for the compiler of the host.
  constexpr NameOrNumber(const char (&name)[Size], int n) : number(n) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = name[i];
  }
  constexpr NameOrNumber(int n)
    requires(Size == 1)
      : number(n) {}
  constexpr std::string_view name() const { return {text, Size - 1}; }
};
NameOrNumber(int) -> NameOrNumber<1>;

SINTER_NAMESPACE_END
