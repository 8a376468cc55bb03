// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/text.hpp"
#include "sinter/io/named_tensor.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION std::string shape_text(const std::vector<std::uint64_t>& shape) {
  std::string text;
  for (const auto size : shape) text += joined({text.empty() ? "[" : ", ", size});
  return text + (text.empty() ? "[]" : "]");
}

SINTER_FUNCTION bool bytes_of(ElementType type, const std::vector<std::uint64_t>& shape, std::uint64_t& bytes) {
  std::uint64_t bits = bits_of(type);
  for (const std::uint64_t size : shape) {
    if (size != 0 && bits > UINT64_MAX / size) return false;
    bits *= size;
  }
  bytes = bits / 8;
  return bits % 8 == 0;
}

SINTER_NAMESPACE_END
