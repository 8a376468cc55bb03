// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The sizes of a lookup as plain constants.
template <class G>
struct Table {
  static constexpr int indices = G::inputs;                       // numbers of a sample, each an index of a row
  static constexpr int size = G::channels * G::pixels / indices;  // numbers of a row
  static constexpr int rows = G::weight_size / size;
  static constexpr bool transposed = G::source.transposed;
};

template <>
struct StageKernel<Source::lookup> {
  /// y[n] = W[x[n]].
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = Table<G>;
    constexpr int input = Tile::Record::template input<S>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs, i = item % G::outputs;
      const LookedUp number = looked_up_at({i / G::pixels, i % G::pixels}, W::transposed);
      const int wanted = row_of_table(T(tile.record(row)[input + number.n]), W::rows);
      T v[1] = {static_cast<T>(fn::bit_cast<float>(std::uint32_t{0x7fc00000}))};  // NaN
      if (wanted >= 0) v[0] = tile.parameters[G::weight + wanted * W::size + number.k];
      ride<S, G::first_rider>(tile, row, Element<G>(i), v);
    });
  }

  /// dW[r] += the sum of dy[n] where x[n] is r. An item is a number of the table, and reads all indices: nothing is
  /// added atomically. Cost O(table times indices of the batch).
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = Table<G>;
    constexpr int input = Tile::Record::template input<S>, gradient = Tile::Record::template gradient<S>;
    x.items(W::rows * W::size, [&](int i) {
      const int k = i % W::size;
      const T wanted = static_cast<T>(i / W::size);
      T sum = T(0);
      for (int row = 0; row < tile.rows; ++row) {
        const auto record = tile.record(row);
        for (int n = 0; n < W::indices; ++n) {
          const LookupPlace at = place_of({n, k}, W::transposed);
          if (T(record[input + n]) == wanted) sum += T(record[gradient + at.channel * G::plane + at.pixel]);
        }
      }
      tile.add_gradient(G::weight + i, sum);
    });
  }

  /// x has no gradient.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    x.items(tile.rows * G::inputs,
            [&](int item) { give_input_gradient<S>(tile, item / G::inputs, item % G::inputs, T(0)); });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
