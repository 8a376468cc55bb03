// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where part `part` of the sums of a row begins, of `n` sums for each row: neighbours, which have the same sum of
/// other parts or rows, find it in different banks.
template <class Tile>
SINTER_FN int sums_at(const Tile& tile, int part, int row, int n) {
  if constexpr (Tile::expected_rows <= Expected::few)
    return part * (tile.rows * n | 1) + row * n;
  else
    return part * (tile.rows * (n | 1) + between_parts) + row * (n | 1);
}

/// Output e of a product, the numbers of a pool's window or one: its riders run, or it waits for the other parts.
template <int S, class Tile, int N>
SINTER_FN void take_sums(const Tile& tile, int part, int row, int e, typename Tile::T (&v)[N]) {
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  if constexpr (W::parts > 1) {
    SINTER_UNROLL
    for (int p = 0; p < N; ++p) tile.partials[sums_at(tile, part, row, W::outputs) + p * G::outputs + e] = v[p];
  } else {
    ride<S, G::first_rider>(tile, row, Element<G>(e), v);
  }
}

/// Adds the parts of the sums of a product up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  x.items(tile.rows * G::outputs, [&](int item) {
    const int row = item / G::outputs, e = item % G::outputs;
    T v[G::positions];
    SINTER_UNROLL
    for (int p = 0; p < G::positions; ++p) {
      v[p] = tile.partials[sums_at(tile, 0, row, W::outputs) + p * G::outputs + e];
      SINTER_UNROLL_BY(8)
      for (int part = 1; part < W::parts; ++part)
        v[p] += T(tile.partials[sums_at(tile, part, row, W::outputs) + p * G::outputs + e]);
    }
    ride<S, G::first_rider>(tile, row, Element<G>(e), v);
  });
}

/// Where part `part` of a gradient is written: to the gradient itself if there is only one part.
template <class G, class Tile>
SINTER_FN void put(const Tile& tile, int part, int offset, int number, typename Tile::T sum) {
  using W = WeightWork<G, Tile::expected_rows>;
  if constexpr (W::parts == 1) {
    tile.add_gradient(offset + number, sum);
  } else {
    const int begin = offset == G::weight ? 0 : W::weights;
    tile.partials[part * (W::weights + W::biases) + begin + number] = sum;
  }
}

/// Adds the parts of a weight gradient up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_weight(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int all = W::weights + W::biases;
  x.items(all, [&](int i) {
    T sum = tile.partials[i];
    [[maybe_unused]] constexpr int ahead = W::grid ? 32 : 8;  // reads that overlap
    SINTER_UNROLL_BY(ahead)
    for (int part = 1; part < W::parts; ++part) sum += T(tile.partials[part * all + i]);
    tile.add_gradient(i < W::weights ? G::weight + i : G::bias + i - W::weights, sum);
  });
}

/// Adds the parts of dx up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = InputWork<G, Tile::expected_rows>;
  x.items(tile.rows * G::inputs, [&](int item) {
    const int row = item / G::inputs, i = item % G::inputs;
    T sum = tile.partials[sums_at(tile, 0, row, G::inputs) + i];
    SINTER_UNROLL
    for (int part = 1; part < W::parts; ++part) sum += T(tile.partials[sums_at(tile, part, row, G::inputs) + i]);
    give_input_gradient<S>(tile, row, i, sum);
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
