// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

template <>
struct StageKernel<Source::concat> {
  /// Several values in one, channel by channel.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    unroll<G::parts>([&](auto k) SINTER_LAMBDA {
      using R = ReadConstants<typename Tile::Model, G::stage.first, decltype(k)::value>;
      constexpr int input = Tile::Record::template value<R::value>;
      x.items(tile.rows * R::size, [&](int item) {
        const int row = item / R::size, i = item % R::size;
        T v[1] = {tile.record(row)[input + i]};
        ride<S, G::first_rider>(tile, row, Element<G>(R::begin + i), v);
      });
    });
  }

  /// Each input takes its part of dy. Element i of all inputs is one item: two of them may be the same value.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using G = typename Tile::template At<S>;
    constexpr int gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * G::largest_part, [&](int item) {
      const int row = item / G::largest_part, i = item % G::largest_part;
      unroll<G::parts>([&](auto k) SINTER_LAMBDA {
        constexpr int K = G::parts - 1 - decltype(k)::value;
        using R = ReadConstants<typename Tile::Model, G::stage.first, K>;
        if (i < R::size) {
          const typename Tile::T dy = tile.record(row)[gradient + Element<G>(R::begin + i).in_planes()];
          give_gradient<G::stage.first, K>(tile, row, i, dy);
        }
      });
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
