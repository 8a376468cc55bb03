// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>
#include <utility>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
SINTER_ANY_CALLEE
template <class F, int... Index>
SINTER_FN void unroll_indices(std::integer_sequence<int, Index...>, F&& f) {
  (f(std::integral_constant<int, Index>{}), ...);
}
}  // namespace detail

/// f(0), f(1), .. f(N - 1) with constant arguments: mark the lambda SINTER_LAMBDA. Take the index as `int`: that is one
/// function, where `auto` is N (docs/decisions/builds.md). Only where it becomes a template argument take `auto`, and
/// read `decltype(i)::value`.
SINTER_ANY_CALLEE
template <int N, class F>
SINTER_FN void unroll(F&& f) {
#ifdef SINTER_KEEP_CALLS
  constexpr bool loops = requires { &std::remove_reference_t<F>::operator(); };  // takes an int
#else
  constexpr bool loops = false;
#endif
  if constexpr (loops) {
    for (int i = 0; i < N; ++i) f(i);
  } else if constexpr (N <= 16) {  // one function, not two: g++ optimises each with all that is inlined into it
    if constexpr (N > 0) f(std::integral_constant<int, 0>{});
    if constexpr (N > 1) f(std::integral_constant<int, 1>{});
    if constexpr (N > 2) f(std::integral_constant<int, 2>{});
    if constexpr (N > 3) f(std::integral_constant<int, 3>{});
    if constexpr (N > 4) f(std::integral_constant<int, 4>{});
    if constexpr (N > 5) f(std::integral_constant<int, 5>{});
    if constexpr (N > 6) f(std::integral_constant<int, 6>{});
    if constexpr (N > 7) f(std::integral_constant<int, 7>{});
    if constexpr (N > 8) f(std::integral_constant<int, 8>{});
    if constexpr (N > 9) f(std::integral_constant<int, 9>{});
    if constexpr (N > 10) f(std::integral_constant<int, 10>{});
    if constexpr (N > 11) f(std::integral_constant<int, 11>{});
    if constexpr (N > 12) f(std::integral_constant<int, 12>{});
    if constexpr (N > 13) f(std::integral_constant<int, 13>{});
    if constexpr (N > 14) f(std::integral_constant<int, 14>{});
    if constexpr (N > 15) f(std::integral_constant<int, 15>{});
  } else {
    detail::unroll_indices(std::make_integer_sequence<int, N>{}, f);
  }
}

/// f(n) of a number from First to Last that is known at run time, as a constant. f is called on every path, so the
/// compiler knows that what it writes is written; it cannot see that in an unrolled loop of comparisons.
SINTER_ANY_CALLEE
template <int First, int Last, class F>
SINTER_FN void with_constant([[maybe_unused]] int n, F&& f) {
  if constexpr (First < Last) {
    if (n != First) return with_constant<First + 1, Last>(n, f);
  }
  f(std::integral_constant<int, First>{});
}

SINTER_NAMESPACE_END
