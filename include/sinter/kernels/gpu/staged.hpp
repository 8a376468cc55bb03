// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/gpu/tile.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The weights of the convolution of stage S.
template <int S, class Tile>
SINTER_FN auto weights_of(const Tile& tile) {
  if constexpr (Tile::stages_weights) {
    constexpr int at = Staged<typename Tile::Model, Tile::cut>::template at<S>;
    return tile.staged + at;
  } else {
    using G = typename Tile::template At<S>;
    return tile.parameters + G::weight;
  }
}

/// The address of the weight of channel o for `tap`, one of those of all its input channels.
template <class G, class Tile>
SINTER_FN int weight_place(int o, int tap) {
  return Tile::stages_weights ? tap * (G::channels | 1) + o : o * G::fan_in + tap;
}

/// Fills `tile.staged`, where weights are staged.
template <class X, class Tile>
SINTER_FN void stage_weights(X& x, const Tile& tile) {
  using T = typename Tile::T;
  unroll<Stages<typename Tile::Model, Tile::cut>::count>([&](auto s) SINTER_LAMBDA {
    constexpr int S = decltype(s)::value;
    using G = typename Tile::template At<S>;
    if constexpr (Tile::stages_weights && G::is_product && !G::whole) {
      constexpr int size = G::channels * G::fan_in, at_once = 8, items = divide_up(size, at_once);
      const auto to = weights_of<S>(tile);
      x.items(items, [&](int item) {
        SINTER_UNROLL
        for (int k = 0; k < at_once; ++k)
          if (const int i = item + k * items; i < size)
            to[weight_place<G, Tile>(i / G::fan_in, i % G::fan_in)] = T(tile.parameters[G::weight + i]);
      });
    }
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
