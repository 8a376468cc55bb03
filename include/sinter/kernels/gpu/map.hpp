// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

struct PassesGradientOn {
  /// The gradient is already that of the input: of a stage of riders only, or after the phase `row`.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using G = typename Tile::template At<S>;
    constexpr int gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, i = item % G::inputs;
      give_input_gradient<S>(tile, row, i, tile.record(row)[gradient + i]);
    });
  }
};

template <>
struct StageKernel<Source::map> : PassesGradientOn {
  /// Riders with nothing before them.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int input = Tile::Record::template input<S>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs;
      const Element<G> e(item % G::outputs);
      T v[1] = {tile.record(row)[input + e.number]};
      ride<S, G::first_rider>(tile, row, e, v);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
