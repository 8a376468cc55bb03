// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The first `count` lanes.
template <class V, class T>
SINTER_INLINE void store_first(V v, T* to, int count) {
  if (count >= V::lanes)
    v.store(to);
  else
    for (int i = 0; i < count && i < V::lanes; ++i) to[i] = v[i];  // g++ forgets that count is less
}

/// Every second number of 2 packs, from the first or from the second on.
template <int From, class T, int L, int... Index>
SINTER_INLINE Pack<T, L> every_second(Pack<T, L> a, Pack<T, L> b, std::integer_sequence<int, Index...>) {
  return fn::shuffle<(From + 2 * Index)...>(a, b);
}

/// Every Stride-th number of as many packs, an odd stride: their places in a pack differ, so that all go to one pack
/// first, which is permuted.
template <int Stride, class T, int L, int... Index>
SINTER_INLINE Pack<T, L> every_odd(const T* from, Pack<T, L> v, std::integer_sequence<int, Index...>) {
  unroll<Stride - 1>([&](auto k) SINTER_LAMBDA {
    constexpr int pack = decltype(k)::value + 1;
    // A number of this pack is wanted where a multiple of the stride falls into it.
    v = fn::shuffle<((pack * L + Index) % Stride == 0 ? L + Index : Index)...>(v, Pack<T, L>::load(from + pack * L));
  });
  return fn::shuffle<(Stride * Index % L)...>(v, v);
}

/// Every Stride-th number.
template <int Stride, class V, class T>
SINTER_INLINE V load_every(const T* from) {
  if constexpr (Stride == 1) {
    return V::load(from);
  } else if constexpr (Stride == 2) {
    return every_second<0>(V::load(from), V::load(from + V::lanes), std::make_integer_sequence<int, V::lanes>{});
  } else if constexpr (Stride % 2 == 1 && Stride < V::lanes) {
    return every_odd<Stride>(from, V::load(from), std::make_integer_sequence<int, V::lanes>{});
  } else {
    V v(0);
    unroll<V::lanes>([&](int i) SINTER_LAMBDA { v.set(i, from[i * Stride]); });
    return v;
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
