// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/ops/index_sum.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The index map that stage S begins with, in one direction.
template <class Tile, int S, bool Transposed>
using IndexSumOf =
    IndexSum<typename Program<typename Tile::Model>::template OpType<Tile::template At<S>::stage.first>::Indices,
             Tile::template At<S>::source.in, Transposed, Program<typename Tile::Model>::hash>;

template <>
struct StageKernel<Source::index_map> {
  /// y = A x. An item is a number of y.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int input = Tile::Record::template input<S>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs, i = item % G::outputs;
      const auto record = tile.record(row);
      const auto load = [&](int channel, int line, int column) {
        return T(record[input + channel * G::in_pixels + line * G::in_width + column]);
      };
      T v[1] = {
          IndexSumOf<Tile, S, false>::template of<T>(i / G::pixels, i % G::pixels / G::width, i % G::width, load)};
      ride<S, G::first_rider>(tile, row, Element<G>(i), v);
    });
  }

  /// dx = A^T dy, by the transposed map: nothing is added atomically.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, i = item % G::inputs;
      const auto record = tile.record(row);
      const auto load = [&](int channel, int line, int column) {
        return T(record[gradient + channel * G::plane + line * G::width + column]);
      };
      const T dx = IndexSumOf<Tile, S, true>::template of<T>(i / G::in_pixels, i % G::in_pixels / G::in_width,
                                                             i % G::in_width, load);
      give_input_gradient<S>(tile, row, i, dx);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
