// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

template <>
struct StageKernel<Source::multiply> {
  /// Two values, element by element.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int a = Tile::Record::template value<ReadConstants<typename Tile::Model, G::stage.first, 0>::value>,
                  b = Tile::Record::template value<ReadConstants<typename Tile::Model, G::stage.first, 1>::value>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs, i = item % G::outputs;
      const auto record = tile.record(row);
      T v[1] = {product(T(record[a + i]), T(record[b + i]))};
      ride<S, G::first_rider>(tile, row, Element<G>(i), v);
    });
  }

  /// Each of two factors takes dy times the other.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int first = G::stage.first, gradient = Tile::Record::template gradient<S>;
    constexpr int a = Tile::Record::template value<ReadConstants<typename Tile::Model, first, 0>::value>,
                  b = Tile::Record::template value<ReadConstants<typename Tile::Model, first, 1>::value>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, i = item % G::inputs;
      const auto record = tile.record(row);
      const T dy = record[gradient + Element<G>(i).in_planes()], one = record[a + i], other = record[b + i];
      give_gradient<first, 1>(tile, row, i, product(one, dy));
      give_gradient<first, 0>(tile, row, i, product(other, dy));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
