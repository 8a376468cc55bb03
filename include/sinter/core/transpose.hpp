// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/core/macros.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
// Exchanges the off-diagonal halves of each 2 x 2 group of lanes that are `Step` apart.
template <int Step, class T, int L, int... J>
SINTER_INLINE void exchange(Pack<T, L>& a, Pack<T, L>& b, std::integer_sequence<int, J...>) {
  const Pack<T, L> x = a, y = b;
  a = fn::shuffle<((J & Step) ? L + J - Step : J)...>(x, y);
  b = fn::shuffle<((J & Step) ? L + J : J + Step)...>(x, y);
}
template <int Step, class T, int L>
SINTER_INLINE void exchange_all(Pack<T, L> (&m)[L]) {
  unroll<L>([&](auto i) SINTER_LAMBDA {
    constexpr int row = decltype(i)::value;
    if constexpr ((row & Step) == 0) exchange<Step>(m[row], m[row + Step], std::make_integer_sequence<int, L>{});
  });
  if constexpr (Step > 1) exchange_all<Step / 2>(m);
}
}  // namespace detail

/// m[i][j] becomes m[j][i]. Cost L log2 L shuffles.
template <class T, int L>
SINTER_INLINE void transpose(Pack<T, L> (&m)[L]) {
  if constexpr (L > 1) detail::exchange_all<L / 2>(m);
}

/// give(j, {load(0)[j], load(1)[j], ..}) for all lanes j: what comes as rows goes as columns.
/// Loops, not unroll(), which takes 20 functions for each copy: tests at -O0 compile in 0.9 of the time.
template <class V, class Load, class Give>
SINTER_INLINE void transposed_copy(Load&& load, Give&& give) {
  V block[V::lanes];
  SINTER_UNROLL_LANES
  for (int i = 0; i < V::lanes; ++i) block[i] = load(i);
  transpose(block);
  SINTER_UNROLL_LANES
  for (int j = 0; j < V::lanes; ++j) give(j, block[j]);
}

SINTER_NAMESPACE_END
