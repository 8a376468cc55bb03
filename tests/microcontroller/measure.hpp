// SPDX-License-Identifier: MIT
#pragma once

#include "machine.hpp"

extern "C" std::uint32_t stack_begin[];

namespace machine {

inline constexpr std::uint32_t painted = 0x5ca1ab1e;

/// work(), with its instructions (a nanosecond each) and its stack.
template <std::uint32_t runs = 16, class Work>
void measure(const char* name, Work&& work) {
  const std::uint32_t* const top = stack();
  for (std::uint32_t* word = stack_begin; word < top; ++word) *word = painted;
  start_clock();
  for (std::uint32_t i = 0; i < runs; ++i) work();
  const std::uint32_t passed = ticks();
  const std::uint32_t* word = stack_begin;
  while (*word == painted) ++word;
  print(name);
  print(": ");
  print(passed * nanoseconds_of_a_tick / runs);
  print(" instructions, ");
  print(static_cast<std::uint32_t>((top - word) * 4));
  print(" bytes of stack\n");
}

}  // namespace machine
