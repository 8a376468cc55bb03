// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

/// Keeps a loaded pack in its register: g++ would rather load it again for each fma that uses it, and a loop of
/// products becomes bound by loads.
template <class T, int L>
SINTER_FN void keep([[maybe_unused]] Pack<T, L>& x) {
#if SINTER_VECTORS && defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
#if defined(__AVX512VL__)
  if constexpr (sizeof x.v >= 16) asm("" : "+v"(x.v));
#elif defined(__AVX__)
  if constexpr (sizeof x.v >= 16 && sizeof x.v <= 32) asm("" : "+x"(x.v));
#endif
#endif
}

/// Computes `x` before the code after it: with many sums, g++ would first load what is added to each,
/// and NEON, which has no fma with an operand in memory, has no registers left for that.
template <class T, int L>
SINTER_FN void keep_order([[maybe_unused]] Pack<T, L>& x) {
#if SINTER_VECTORS && defined(__GNUC__) && !defined(__clang__) && defined(__aarch64__)
  if constexpr (sizeof x.v <= 16) asm volatile("" : "+w"(x.v));
#endif
}

/// Hides where an address or an index comes from: g++ would keep what two rows have in common in registers, and have
/// none left for sums.
template <class T>
SINTER_FN void hide([[maybe_unused]] T& x) {
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
  asm("" : "+r"(x));
#endif
}

}  // namespace fn

SINTER_NAMESPACE_END
