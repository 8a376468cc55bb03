// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/train/kept_numbers.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void KeptNumbers::of(std::string_view name) {
  std::uint64_t mixed = 1469598103934665603u;  // FNV-1a
  for (const char letter : name) mixed = (mixed ^ static_cast<unsigned char>(letter)) * 1099511628211u;
  const double now = static_cast<double>(mixed >> 11);
  double then = now;
  (*this)(then);
  if (then != now) refuse();
}

SINTER_FUNCTION void KeptNumbers::same(const char* name, double now) {
  double then = now;
  (*this)(then);
  if (then != now)
    fail("a checkpoint of a fit with " + std::string(name) + " = " + exact_text(then) + " was given to one with " +
         exact_text(now) + "; resume with the same data, options and callbacks");
}

SINTER_FUNCTION double KeptNumbers::take() {
  if (next_ == numbers_.size()) refuse();
  return numbers_[next_++];
}

SINTER_FUNCTION std::string KeptNumbers::name_of_its_own(std::string_view name) const {
  std::string own(name);
  const auto taken = [&] {
    for (const NamedOption& one : options_)
      if (one.name == own) return true;
    return false;
  };
  for (int number = 2; taken(); ++number) own = std::string(name) + " (" + std::to_string(number) + ")";
  return own;
}

SINTER_FUNCTION void KeptNumbers::refuse() {
  fail(
      "a checkpoint of a fit that kept other numbers was given to this one; resume with the same data, options and "
      "callbacks, and the same version of sinter");
}

SINTER_NAMESPACE_END
