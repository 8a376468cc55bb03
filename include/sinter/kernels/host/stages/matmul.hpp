// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"
#include "sinter/kernels/host/tile/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// out[m] = init[m] + sum over k of A[m row + k column] x[k] for M rows of A, x[k] being a pack of samples.
/// Run-time sizes: from 64 terms on they cost nothing, and one instance serves every layer.
template <int M, class V, class T, class Sink>
SINTER_INLINE void product_block(const T* a, std::ptrdiff_t row, std::ptrdiff_t column, const T* x, int terms,
                                 V (&sum)[M][1], Sink&& sink) {
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int k = 0; k < terms; ++k) f(a + k * column, x + k * V::lanes);
      },
      [&](int m, const T* at, const T*) SINTER_LAMBDA { return V(at[m * row]); },
      [](int, const T*, const T* value) SINTER_LAMBDA { return V::load(value); });
  unroll<M>([&](int m) SINTER_LAMBDA { sink(m, sum[m][0]); });
}

template <class P, int S>
struct MatMulBlocks {
  static constexpr Op op = P::source(S);
  static constexpr int in = op.in.size(), out = op.out.size();
  static constexpr int budget = product_sums(P::ISA::registers);
  // Why 8: docs/decisions/host.md.
  static constexpr int rows = std::min(out, rows_share_a_set<typename P::Scalar>(in) ? rows_of_a_set : budget);
  static constexpr int columns = std::min(in, budget);
  static constexpr bool swept = in * out >= least_swept;
};

/// y = W x + b and its riders.
template <class Tile, int S>
void matmul_forward(const Tile& tile) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using B = MatMulBlocks<P, S>;
  constexpr int M = B::rows;
  const auto* weight = tile.parameter(B::op.weight);
  const auto* x = flat_input<Tile, S>(tile);
  overlapping_blocks<M>(B::out, [&](int m) {
    V sum[M][1];
    unroll<M>([&](int i) SINTER_LAMBDA {
      sum[i][0] = V(0);
      if constexpr (B::op.with_bias) sum[i][0] = V(tile.parameter(B::op.bias)[m + i]);
    });
    product_block<M>(weight + static_cast<std::ptrdiff_t>(m) * B::in, B::in, 1, x, B::in, sum,
                     [&](int i, V v) SINTER_LAMBDA {
                       V one[1] = {v};
                       ride<Tile, S, P::stage(S).first + 1>(tile, Position{m + i, 0, 0}, one);
                     });
  });
}

/// dx[k] = the sum of `Rows` rows of W times dy, and of the existing numbers unless this is the first one.
template <int Rows, int Columns, class V, class T>
SINTER_INLINE void sweep_block(const T* weight, const T* dy, int in, int first, T* dx) {
  V sum[Columns][1];
  unroll<Columns>([&](int k) SINTER_LAMBDA { sum[k][0] = first == 0 ? V(0) : V::load(dx + k * V::lanes); });
  contract(
      sum, [](auto&& f) SINTER_LAMBDA { unroll<Rows>(f); },
      [&](int k, auto r) SINTER_LAMBDA { return V(weight[static_cast<std::ptrdiff_t>(decltype(r)::value) * in + k]); },
      [&](int, auto r) SINTER_LAMBDA { return V::load(dy + decltype(r)::value * V::lanes); });
  unroll<Columns>([&](int k) SINTER_LAMBDA { sum[k][0].store(dx + k * V::lanes); });
}

/// dx = W^T dy with W read row by row, six at a time, and dx once for each six: a column of W would take a line of each
/// row, far apart, where the caches do not hold W (docs/decisions/host.md).
template <class Isa, class V, class T>
SINTER_SHARED void sweep_rows(const T* weight, const T* dy, int in, int out, T* dx) {
  constexpr int rows = 6, columns = 4, L = V::lanes;
  const auto sweep = [&](int m, auto count) SINTER_LAMBDA {
    constexpr int n = decltype(count)::value;
    const T* from = weight + static_cast<std::ptrdiff_t>(m) * in;
    T* to = dx;
    for (int left = in / columns; left > 0; --left, from += columns, to += columns * L)
      sweep_block<n, columns, V>(from, dy + m * L, in, m, to);
    for (int left = in % columns; left > 0; --left, ++from, to += L) sweep_block<n, 1, V>(from, dy + m * L, in, m, to);
  };
  int m = 0;
  for (; m + rows <= out; m += rows) sweep(m, std::integral_constant<int, rows>{});
  for (; m < out; ++m) sweep(m, std::integral_constant<int, 1>{});
}

/// dx = W^T dy, given to the riders of the stage before.
template <class Tile, int S>
void matmul_input_gradient(const Tile& tile) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using B = MatMulBlocks<P, S>;
  const auto* weight = tile.parameter(B::op.weight);
  const auto* dy = tile.at(Tile::gradient_of(S).begin());
  if constexpr (B::swept) {
    auto* const dx = tile.scratch() + gathered_size<P>(S) * P::lanes;
    sweep_rows<typename P::ISA, V>(weight, dy, B::in, B::out, dx);
    for (int k = 0; k < B::in; ++k) give_input_gradient<Tile, S>(tile, k, V::load(dx + k * P::lanes));
  } else {
    constexpr int M = B::columns;
    overlapping_blocks<M>(B::in, [&](int k) {
      V sum[M][1];
      unroll<M>([&](int i) SINTER_LAMBDA { sum[i][0] = V(0); });
      product_block<M>(weight + k, 1, B::in, dy, B::out, sum,
                       [&](int i, V v) SINTER_LAMBDA { give_input_gradient<Tile, S>(tile, k + i, v); });
    });
  }
}

/// Packs of samples, [features][lanes], as rows of samples, [lanes][stride]; numbers after the last feature are 0.
template <class Isa, class V, class T>
SINTER_SHARED void transpose_to_rows(const T* packs, int features, T* rows, int stride) {
  constexpr int L = V::lanes;
  for (int f = 0; f < stride; f += L)
    transposed_copy<V>([&](int i) SINTER_LAMBDA { return f + i < features ? V::load(packs + (f + i) * L) : V(0); },
                       [&](int lane, V row) SINTER_LAMBDA { row.store(rows + lane * stride + f); });
}

/// to[k] += sum over samples of dy x[k], with k in the lanes, for K packs of them: x comes as rows of samples, dy is
/// read number by number.
template <int K, class V, class T>
SINTER_INLINE void outer_product_block(const T* dy, const T* rows, int stride, T* to) {
  V sum[K][1];
  unroll<K>([&](int k) SINTER_LAMBDA { sum[k][0] = V::load(to + k * V::lanes); });
  contract(
      sum,
      [](auto&& f) SINTER_LAMBDA {
        for (int n = 0; n < V::lanes; ++n) f(n);
      },
      [&](int k, int n) SINTER_LAMBDA { return V::load(rows + n * stride + k * V::lanes); },
      [&](int, int n) SINTER_LAMBDA { return V(dy[n]); });
  unroll<K>([&](int k) SINTER_LAMBDA { sum[k][0].store(to + k * V::lanes); });
}

/// dW[m][k] += sum over samples of dy[m] x[k]. A row of dW that is no whole number of packs adds zeros to the start of
/// the next row, or to the gap after the tensor, which changes nothing: rows are computed one by one.
template <class Isa, class V, class T>
SINTER_SHARED void outer_product(const T* dy, int out, const T* rows, int stride, int in, T* to) {
  constexpr int L = V::lanes, K = 8;
  for (int m = 0; m < out; ++m, dy += L, to += in) {
    int k = 0;
    for (; k + K * L <= round_up(in, L); k += K * L) outer_product_block<K, V>(dy, rows + k, stride, to + k);
    for (; k < in; k += L) outer_product_block<1, V>(dy, rows + k, stride, to + k);
  }
}

template <class Tile, int S>
void matmul_weight_gradient(const Tile& tile) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using B = MatMulBlocks<P, S>;
  const auto* dy = tile.at(Tile::gradient_of(S).begin());
  const T_of<Tile>* rows = tile.input_rows();
  int stride = Tile::memory_plan.row_stride;
  if constexpr (P::stage(S).input != 0) {
    stride = round_up(B::in, 16) + 16;
    T_of<Tile>* const transposed = tile.scratch() + gathered_size<P>(S) * P::lanes;
    transpose_to_rows<typename P::ISA, V>(flat_input<Tile, S>(tile), B::in, transposed, stride);
    rows = transposed;
  }
  outer_product<typename P::ISA, V>(dy, B::out, rows, stride, B::in, tile.parameter_gradient(B::op.weight));
  if constexpr (B::op.with_bias)
    for (int m = 0; m < B::out; ++m)
      tile.parameter_gradient(B::op.bias)[m] += sum(tile.load(Tile::gradient_of(S).begin() + m));
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
