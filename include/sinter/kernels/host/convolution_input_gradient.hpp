// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/kernels/host/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A block of dx: `channels` x `columns` pixels of a row, a stride apart. Where they begin, from 0 up to the stride, is
/// their phase, and says which taps of a window meet them.
template <class P, int S>
struct InputBlocks {
  using B = ConvolutionBlocks<P, S>;
  static constexpr Window w = B::w;
  static constexpr int width = B::op.in.width, stride = w.stride_width, taps = w.taps();
  static constexpr int most_columns = std::min(divide_up(width, stride), 4);
  static constexpr int channels = B::divide(B::inputs, B::budget / most_columns);

  /// Pixels of a row in a phase.
  static constexpr int count(int phase) { return divide_up(std::max(width - phase, 0), stride); }
  static constexpr bool meets(int phase, int kx) {
    return (phase + w.padding_width - kx * w.dilation_width) % stride == 0;
  }
  /// The column of dy that such a tap takes to the first pixel of the phase. It may be in the border of zeros of dy.
  static constexpr int column(int phase, int kx) { return (phase + w.padding_width - kx * w.dilation_width) / stride; }
};

/// The rows of dy that reach a row of dx: where they begin in a channel of dy, and the row of taps that takes them
/// there.
template <class Tile, int S>
struct RowsOfGradient {
  using B = ConvolutionBlocks<typename Tile::Plan, S>;
  int count = 0, from[B::w.height], tap[B::w.height];

  explicit RowsOfGradient(int y) {
    constexpr Place dy = Tile::gradient_of(S);
    for (int ky = 0; ky < B::w.height; ++ky) {
      const int down = y + B::w.padding_height - ky * B::w.dilation_height, row = down / B::w.stride_height;
      if (down < 0 || down % B::w.stride_height != 0 || row >= B::op.out.height) continue;
      from[count] = row * dy.stride_y() * Tile::lanes;
      tap[count++] = ky * B::w.width;
    }
  }
};

/// dx of `N` pixels from number `first` of a phase on, of the channels from `i` on of a group.
template <class Tile, int S, int Phase, int N>
SINTER_INLINE void input_gradient_block(const Tile& tile, const RowsOfGradient<Tile, S>& rows, int group, int i, int y,
                                        int first) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using B = ConvolutionBlocks<P, S>;
  using Blocks = InputBlocks<P, S>;
  constexpr Place dy = Tile::gradient_of(S);
  constexpr int C = Blocks::channels;

  V sum[C][N];
  unroll<C>([&](auto c) SINTER_LAMBDA { unroll<N>([&](auto n) SINTER_LAMBDA { sum[c][n] = V(0); }); });
  const T* from = tile.at(dy.at(group * B::outputs, 0, first));
  const T* weight = tile.parameter(B::op.weight) + (group * B::outputs * B::inputs + i) * Blocks::taps;
  for (int o = 0; o < B::outputs; ++o) {
    for (int r = 0; r < rows.count; ++r) {
      const T *const g_row = from + rows.from[r], *const w_row = weight + rows.tap[r];
      unroll<Blocks::w.width>([&](auto k) SINTER_LAMBDA {
        constexpr int kx = Blocks::w.width - 1 - decltype(k)::value;
        if constexpr (Blocks::meets(Phase, kx)) {
          V g[N];
          unroll<N>([&](auto n) SINTER_LAMBDA {
            g[n] = V::load(g_row + (Blocks::column(Phase, kx) + decltype(n)::value) * P::lanes);
            keep(g[n]);
          });
          unroll<C>([&](auto c) SINTER_LAMBDA {
            const V wv(w_row[decltype(c)::value * Blocks::taps + kx]);
            unroll<N>([&](auto n) SINTER_LAMBDA { sum[c][n] = fma(wv, g[n], sum[c][n]); });
          });
        }
      });
    }
    from += dy.stride_channel() * P::lanes;
    weight += B::inputs * Blocks::taps;
  }
  unroll<C>([&](auto c) SINTER_LAMBDA {
    unroll<N>([&](auto n) SINTER_LAMBDA {
      give_input_gradient<Tile, S>(tile,
                                   Position{group * B::inputs + i + decltype(c)::value, y,
                                            Phase + (first + decltype(n)::value) * Blocks::stride},
                                   sum[c][n]);
    });
  });
}

/// dx = the transposed convolution of dy with W, given to the riders of the stage before. Rows come before channels:
/// the rows of dy that are read stay in the second cache while all channels use them.
template <class Tile, int S>
void convolution_input_gradient(const Tile& tile) {
  using B = ConvolutionBlocks<typename Tile::Plan, S>;
  using Blocks = InputBlocks<typename Tile::Plan, S>;
  for (int group = 0; group < B::w.groups; ++group)
    for (int y = 0; y < B::op.in.height; ++y) {
      const RowsOfGradient<Tile, S> rows(y);
      overlapping_blocks<Blocks::channels>(B::inputs, [&](int i) {
        unroll<Blocks::stride>([&](auto phase) SINTER_LAMBDA {
          constexpr int count = Blocks::count(decltype(phase)::value), N = std::min(count, Blocks::most_columns);
          if constexpr (count > 0)
            overlapping_blocks<N>(count, [&](int first) {
              input_gradient_block<Tile, S, decltype(phase)::value, N>(tile, rows, group, i, y, first);
            });
        });
      });
    }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
