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

/// Places of a convolution's weights in what weights_of gives.
template <class G, class Tile>
struct Taps {
  static constexpr WeightLayout layout{G::source, Tile::stages_weights};
  static constexpr int line = layout.line, plane = layout.plane, channel = layout.channel, at_once = layout.at_once;

  /// In the plane of an input channel.
  SINTER_FN static int place(int ky, int kx) { return ky * line + kx; }
  SINTER_FN static int place(int o, int input, int in_plane) { return o * channel + input * plane + in_plane; }
  /// N neighbouring taps of a line, from `at` on: all of it, or as many as fit.
  template <int N, class Weights, class T>
  SINTER_FN static void read(const Weights& weights, int at, T (&to)[N]) {
    constexpr int n = N == G::kernel_width ? at_once : 1;
    SINTER_UNROLL
    for (int first = 0; first < N; first += n) {
      T some[n];
      executor::read_together(weights + (at + first), some);
      SINTER_UNROLL
      for (int t = 0; t < n && first + t < N; ++t) to[first + t] = some[t];
    }
  }
};

/// Fills `tile.staged`, where weights are staged.
template <class X, class Tile>
SINTER_FN void stage_weights(X& x, const Tile& tile) {
  using T = typename Tile::T;
  unroll<Stages<typename Tile::Model, Tile::cut>::count>([&](auto s) SINTER_LAMBDA {
    constexpr int S = decltype(s)::value;
    using G = typename Tile::template At<S>;
    if constexpr (Tile::stages_weights && G::is_product && !G::whole) {
      using At = Taps<G, Tile>;
      constexpr int of_channel = G::group_inputs * G::kernel_height, width = G::kernel_width;
      const auto to = weights_of<S>(tile);
      x.items(G::channels * of_channel, [&](int line) {
        T taps[At::line] = {};
        SINTER_UNROLL
        for (int t = 0; t < width; ++t) taps[t] = tile.parameters[G::weight + line * width + t];
        const int at = line / of_channel * At::channel + line % of_channel * At::line;
        SINTER_UNROLL
        for (int first = 0; first < At::line; first += At::at_once) {
          T some[At::at_once];
          SINTER_UNROLL
          for (int t = 0; t < At::at_once; ++t) some[t] = taps[first + t];
          executor::write_together(to + (at + first), some);
        }
      });
    }
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
