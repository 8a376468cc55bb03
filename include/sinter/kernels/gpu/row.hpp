// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/map.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

template <>
inline constexpr OwnPhases own_phases<Source::row>{.row = true};
template <>
struct StageKernel<Source::row> : PassesGradientOn {
  /// A function of all numbers of a sample, or of a row of them: one thread each.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using G = typename Tile::template At<S>;
    using F = typename Program<typename Tile::Model>::template OpType<G::stage.first>::Functor;
    constexpr int input = Tile::Record::template input<S>, output = Tile::Record::template output<S>;
    constexpr int parts = G::source.groups, size = G::inputs / parts;
    x.items(tile.rows * parts, [&](int item) {
      const auto record = tile.record(item / parts);
      const int first = item % parts * size;
      using executor::in, executor::out;
      F::forward(in(record + (input + first), size), out(record + (output + first), size), size);
    });
  }

  /// dx of a function of a whole sample, in place of dy.
  template <int S, class X, class Tile>
  SINTER_FN static void row(X& x, const Tile& tile) {
    using G = typename Tile::template At<S>;
    using F = typename Program<typename Tile::Model>::template OpType<G::stage.first>::Functor;
    constexpr int output = Tile::Record::template output<S>, gradient = Tile::Record::template gradient<S>;
    constexpr int parts = G::source.groups, size = G::inputs / parts;
    x.items(tile.rows * parts, [&](int item) {
      const auto record = tile.record(item / parts);
      const int first = item % parts * size;
      using executor::in, executor::out;
      in(record + (gradient + first), size);
      F::backward(in(record + (output + first), size), out(record + (gradient + first), size), size);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
