// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/pack.hpp"
#include "sinter/core/pack_keep.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Rows of a matrix: element (m, k) at from[m row + k column], and the initial sum of row m.
template <class T>
struct MatrixRows {
  const T* from;
  std::ptrdiff_t row, column;
  const T* start;
};

/// How many tiles a product has at once, and how many numbers are broadcast for `packs` vectors that are loaded: with
/// fewer tiles, more numbers share a load.
template <class Isa>
constexpr int most_tiles = batch_packs(Isa::registers);
template <class Isa>
constexpr int most_numbers(int packs) {
  return packs == 1 ? 12 : batch_sums(Isa::registers) / packs;
}
/// The block for `count` numbers: the last block reaches back, and computes some numbers again.
template <class Isa>
constexpr int block_of(int count, int packs) {
  int best = 1;
  for (const int block : {2, 4, 6, 8, 12})
    if (block <= count && block <= most_numbers<Isa>(packs) &&
        divide_up(count, block) * (block + 1) <= divide_up(count, best) * (best + 1))
      best = block;
  return best;
}

/// y[r][m] = sum over k of a[m row + k column] x[r][k] for M rows of A and R tiles, x[r][k] being a pack of samples,
/// tiles `stride` numbers apart, and before that start[m], or y where it `continues`. Each sum is one chain of fma in
/// the order of k, the same for every M and R. Sizes are known at run time: one instance serves every layer.
template <class Isa, int M, int R, class V, class T>
SINTER_SHARED void product_of_tiles(const MatrixRows<T>& a, const T* x, std::ptrdiff_t stride, int terms,
                                    bool continues, T* y) {
  V sum[M][R];
  if (continues)
    unroll<R>([&](int r) SINTER_LAMBDA {
      unroll<M>([&](int m) SINTER_LAMBDA { sum[m][r] = V::load(y + (r * M + m) * V::lanes); });
    });
  else
    unroll<M>([&](int m) SINTER_LAMBDA {
      const V first(a.start ? a.start[m] : T(0));
      unroll<R>([&](int r) SINTER_LAMBDA { sum[m][r] = first; });
    });
  const T* tile[R];
  unroll<R>([&](int r) SINTER_LAMBDA { tile[r] = x + r * stride; });
  const T* from = a.from;
  const std::ptrdiff_t row = a.row, column = a.column;
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (std::ptrdiff_t k = 0; k < terms; ++k, from += column) f(k);
      },
      [&](int m, std::ptrdiff_t) SINTER_LAMBDA {
        V number(from[m * row]);
        if constexpr (R > 1) fn::keep(number);
        return number;
      },
      [&](int r, std::ptrdiff_t k) SINTER_LAMBDA { return V::load(tile[r] + k * V::lanes); });
  unroll<R>([&](int r) SINTER_LAMBDA {
    unroll<M>([&](int m) SINTER_LAMBDA { sum[m][r].store(y + (r * M + m) * V::lanes); });
  });
}

/// The operands of a sum over samples of dy[m] x[k]. dy: packs of samples of one tile after another, `tile` numbers
/// apart; rows: x as rows of samples, `stride` apart.
template <class T>
struct OuterProduct {
  const T* dy;
  std::ptrdiff_t tile;
  const T* rows;
  std::ptrdiff_t stride;
  int samples;
};

/// The weights' gradient of the whole batch for M rows and K packs of columns: to[m][k] = the sum, in the order of the
/// samples. If `Adds`, it adds them to the existing numbers, except in the first `added` rows, which another block has
/// added. squares: a pack to which the squares of the sums are added.
template <class Isa, int M, int K, bool Adds, class V, class T>
SINTER_SHARED void outer_product_of_batch(OuterProduct<T> of, T* to, std::ptrdiff_t row, int columns, T* squares,
                                          [[maybe_unused]] int added = 0) {
  V sum[M][K];
  unroll<M>([&](int m) SINTER_LAMBDA { unroll<K>([&](int k) SINTER_LAMBDA { sum[m][k] = V(0); }); });
  constexpr int line = 64 / static_cast<int>(sizeof(T));
  for (int m = 0; m < M; ++m)  // fetches their lines while the sums are computed
    for (int k = 0; k < std::min(columns, K * V::lanes); k += line) __builtin_prefetch(to + m * row + k, 1);
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int left = of.samples; left > 0; left -= V::lanes, of.dy += of.tile) {
          const int count = std::min(left, V::lanes);
          for (int n = 0; n < count; ++n, of.rows += of.stride) f(n);
        }
      },
      [&](int m, int n) SINTER_LAMBDA {
        V number(of.dy[m * V::lanes + n]);
        if constexpr (K > 1) fn::keep(number);
        return number;
      },
      [&](int k, int) SINTER_LAMBDA { return V::load(of.rows + k * V::lanes); });
  V square[K];
  unroll<K>([&](int k) SINTER_LAMBDA {
    square[k] = V(0);
    unroll<M>([&](int m) SINTER_LAMBDA { square[k] = fn::fma(sum[m][k], sum[m][k], square[k]); });
  });
  unroll<K>([&](auto k) SINTER_LAMBDA {
    if constexpr (decltype(k)::value > 0) square[0] = square[0] + square[k];
  });
  (V::load(squares) + square[0]).store(squares);
  unroll<M>([&](int m) SINTER_LAMBDA {
    unroll<K>([&](auto k) SINTER_LAMBDA {
      constexpr int first = decltype(k)::value * V::lanes;
      T* const at = to + m * row + first;
      // An indexed sum would be in memory from the start, and each iteration would store it.
      T numbers[V::lanes];
      if constexpr (Adds) {
        sum[m][k].store(numbers);
        for (int i = 0; m >= added && i < V::lanes && first + i < columns; ++i) at[i] += numbers[i];
      } else {
        sum[m][k].store(first + V::lanes <= columns ? at : numbers);
        for (int i = 0; first + V::lanes > columns && first + i < columns; ++i) at[i] = numbers[i];
      }
    });
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
