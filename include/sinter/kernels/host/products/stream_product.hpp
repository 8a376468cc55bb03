// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/shape.hpp"
#include "sinter/kernels/host/products/contract.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// y[r][m] = start[m] + sum over the terms k.. of row(k..)[m] x(r, k..), in the order in which terms(f) calls f(k..),
/// for M packs of y and R moments. start may be null.
template <int M, int R, class V, class T, class Terms, class Row, class Read>
SINTER_INLINE void product_of_terms(int padded, const T* start, T* y, Terms&& terms, Row&& row, Read&& x) {
  V sum[M][R];
  unroll<M>([&](int m) SINTER_LAMBDA {
    const V begin = start ? V::load(start + m * V::lanes) : V(0);
    unroll<R>([&](int r) SINTER_LAMBDA { sum[m][r] = begin; });
  });
  contract(
      sum, terms, [&](int m, auto... k) SINTER_LAMBDA { return V::load(row(k...) + m * V::lanes); },
      [&](int r, auto... k) SINTER_LAMBDA { return V(x(r, k...)); });
  unroll<M>([&](int m) SINTER_LAMBDA {
    unroll<R>([&](int r) SINTER_LAMBDA { sum[m][r].store(y + r * std::ptrdiff_t{padded} + m * V::lanes); });
  });
}

/// The same of rows of terms x[r][k], with weights w[k][m].
template <int M, int R, class V, class T>
SINTER_INLINE void product_of_moments(const T* w, int padded, const T* start, const T* x, int terms, T* y) {
  product_of_terms<M, R, V>(
      padded, start, y,
      [&](auto&& f) SINTER_LAMBDA {
        for (int k = 0; k < terms; ++k) f(std::ptrdiff_t{k});
      },
      [&](std::ptrdiff_t k) SINTER_LAMBDA { return w + k * padded; },
      [&](int r, std::ptrdiff_t k) SINTER_LAMBDA { return x[r * std::ptrdiff_t{terms} + k]; });
}

/// The same of windows in a ring: number c of tap t of moment r is tap[t][r Apart + c], and k = c Taps + t.
template <int M, int R, int Taps, int Channels, int Apart, class V, class T>
SINTER_INLINE void product_of_windows(const T* w, int padded, const T* start, const T* const (&tap)[Taps], T* y) {
  product_of_terms<M, R, V>(
      padded, start, y,
      [&](auto&& f) SINTER_LAMBDA {
        for (std::ptrdiff_t c = 0; c < Channels; ++c) unroll<Taps>([&](int t) SINTER_LAMBDA { f(c, t); });
      },
      [&](std::ptrdiff_t c, int t) SINTER_LAMBDA { return w + (c * Taps + t) * padded; },
      [&](int r, std::ptrdiff_t c, int t) SINTER_LAMBDA { return tap[t][r * std::ptrdiff_t{Apart} + c]; });
}
/// The same for all packs of y, in blocks of up to 3 x 4 or 8 x 1 sums.
template <int R, int Taps, int Channels, int Apart, int Padded, class Isa, class V, class T>
SINTER_SHARED void products_of_windows(const T* w, const T* start, const T* const (&tap)[Taps], T* y) {
  constexpr int packs = Padded / V::lanes, blocks = divide_up(packs, R == 1 ? 8 : 3), M = divide_up(packs, blocks),
                rest = packs - (blocks - 1) * M;
  const auto block = [&](auto count, int m) SINTER_LAMBDA {
    product_of_windows<decltype(count)::value, R, Taps, Channels, Apart, V>(w + m, Padded, start ? start + m : nullptr,
                                                                            tap, y + m);
  };
  for (int i = 0; i < blocks - 1; ++i) block(std::integral_constant<int, M>{}, i * M * V::lanes);
  block(std::integral_constant<int, rest>{}, (blocks - 1) * M * V::lanes);
}

/// The same for `moments` of them, x [moments][terms] and y [moments][padded]: all packs of a few moments, or several
/// packs of one, for the latency of fma.
template <class Isa, class V, class T>
SINTER_SHARED void products_of_moments(const T* w, int padded, const T* start, const T* x, int terms, int moments,
                                       T* y) {
  const auto rows = [&](auto together, auto most) SINTER_LAMBDA {
    constexpr int R = decltype(together)::value, M = decltype(most)::value;
    for (; moments >= R; moments -= R, x += std::ptrdiff_t{R} * terms, y += std::ptrdiff_t{R} * padded) {
      int m = 0;
      const auto packs = [&](auto count) SINTER_LAMBDA {
        constexpr int N = decltype(count)::value;
        for (; m + N * V::lanes <= padded; m += N * V::lanes)
          product_of_moments<N, R, V>(w + m, padded, start ? start + m : nullptr, x, terms, y + m);
      };
      packs(std::integral_constant<int, M>{});
      if constexpr (M > 2) packs(std::integral_constant<int, 2>{});
      packs(std::integral_constant<int, 1>{});
    }
  };
  rows(std::integral_constant<int, 4>{}, std::integral_constant<int, 2>{});
  rows(std::integral_constant<int, 1>{}, std::integral_constant<int, 8>{});
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
