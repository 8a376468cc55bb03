// SPDX-License-Identifier: MIT
#pragma once

#include <charconv>
#include <cstddef>

#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

[[gnu::noinline]] SINTER_COLD SINTER_FUNCTION TextPiece::TextPiece(Number, unsigned long long number)
    : text_(digits_, static_cast<std::size_t>(std::to_chars(digits_, digits_ + sizeof digits_, number).ptr - digits_)) {
}

[[gnu::noinline]] SINTER_COLD SINTER_FUNCTION std::string joined(std::initializer_list<TextPiece> pieces) {
  std::string all;
  for (const TextPiece& piece : pieces) all += piece.text();
  return all;
}

SINTER_NAMESPACE_END
