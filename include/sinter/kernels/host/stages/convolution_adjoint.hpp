// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <type_traits>

#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A block of the image: `channels` x `columns` pixels of a row, a stride apart. Where they begin, from 0 up to the
/// stride, is their phase, and says which taps of a window meet them.
template <class P, int S>
struct PhaseBlocks {
  using B = ConvolutionBlocks<P, S>;
  static constexpr Window w = B::w;
  static constexpr int width = B::image.width, stride = w.stride_width, taps = w.taps();

  /// Pixels of a row in a phase.
  static constexpr int count(int phase) { return divide_up(std::max(width - phase, 0), stride); }
  static constexpr Block block = best_block(B::inputs, count(0), P::ISA::registers, [](Block b) {
    long all = 0;
    for (int phase = 0; phase < stride; ++phase)
      if (const int n = std::min(count(phase), b.n); n > 0)
        all += divide_up(count(phase), n) * divide_up(B::inputs, b.m) * Block{b.m, n}.cost();
    return all;
  });
  static constexpr int channels = block.m, most_columns = block.n;
  static constexpr bool meets(int phase, int kx) {
    return (phase + w.padding_width - kx * w.dilation_width) % stride == 0;
  }
  /// The column of results that such a tap takes to the first pixel of the phase. It may be in their border of zeros.
  static constexpr int column(int phase, int kx) { return (phase + w.padding_width - kx * w.dilation_width) / stride; }
};

/// The rows of results that reach a row of the image: their numbers, and the first tap of those that take them there.
template <class B>
struct ReachingRows {
  int count = 0, row[B::w.height] = {}, tap[B::w.height] = {};

  explicit constexpr ReachingRows(int y) {
    for (int ky = 0; ky < B::w.height; ++ky) {
      const int down = y + B::w.padding_height - ky * B::w.dilation_height;
      if (down < 0 || down % B::w.stride_height != 0 || down / B::w.stride_height >= B::results.height) continue;
      row[count] = down / B::w.stride_height;
      tap[count++] = ky * B::w.width;
    }
  }
};

/// f(kx) for the taps of a row that meet a phase, the one that reads the first column first. They are constants if the
/// phase is one.
template <class Blocks, class Phase, class F>
SINTER_INLINE void for_each_meeting(Phase phase, F&& f) {
  if constexpr (std::is_same_v<Phase, int>) {
    for (int kx = Blocks::w.width - 1; kx >= 0; --kx)
      if (Blocks::meets(phase, kx)) f(kx);
  } else {
    unroll<Blocks::w.width>([&](auto k) SINTER_LAMBDA {
      constexpr int kx = Blocks::w.width - 1 - decltype(k)::value;
      if constexpr (Blocks::meets(Phase::value, kx)) f(std::integral_constant<int, kx>{});
    });
  }
}

/// `N` pixels of row y from number `first` of a phase on, of the channels from `i` on of a group.
template <class Tile, int S, bool Back, int N, class Phase, class Rows>
SINTER_INLINE void adjoint_block(const Tile tile, Phase phase, const Rows& rows, int group, int i, int y, int first) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using B = ConvolutionBlocks<P, S>;
  using Blocks = PhaseBlocks<P, S>;
  using Ends = ProductEnds<Tile, S, Back>;
  constexpr Place results = Ends::from;
  constexpr int C = Blocks::channels;

  V sum[C][N];
  unroll<C>([&](int c) SINTER_LAMBDA {
    const V start = Ends::start(tile, group * B::inputs + i + c);
    unroll<N>([&](int n) SINTER_LAMBDA { sum[c][n] = start; });
  });
  const T* from = tile.at(results.at(group * B::outputs, 0, first));
  const T* weight = tile.parameter(B::op.weight) + (group * B::outputs * B::inputs + i) * Blocks::taps;
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int o = 0; o < B::outputs; ++o) {
          for (int r = 0; r < rows.count; ++r)
            for_each_meeting<Blocks>(phase, [&](int kx) SINTER_LAMBDA {
              f(from + rows.row[r] * results.stride_y() * P::lanes, weight + rows.tap[r], kx);
            });
          from += results.stride_channel() * P::lanes;
          weight += B::inputs * Blocks::taps;
        }
      },
      [&](int c, const T*, const T* row_weight, int kx) SINTER_LAMBDA { return V(row_weight[c * Blocks::taps + kx]); },
      [&](int n, const T* row, const T*, int kx)
          SINTER_LAMBDA { return V::load(row + (Blocks::column(phase, kx) + n) * P::lanes); });
  unroll<C>([&](int c) SINTER_LAMBDA {
    unroll<N>([&](int n) SINTER_LAMBDA {
      V one[1] = {sum[c][n]};
      Ends::give(tile, Position{group * B::inputs + i + c, y, phase + (first + n) * Blocks::stride}, one);
    });
  });
}

/// The image from results, the adjoint of `convolve`: the dx of a convolution, or a transposed one forward. Rows come
/// before channels: the rows of results that are read stay in the second cache while all channels use them.
template <class Tile, int S, bool Back>
void convolve_adjoint(const Tile& tile) {
  using B = ConvolutionBlocks<typename Tile::Plan, S>;
  using Blocks = PhaseBlocks<typename Tile::Plan, S>;
  for (int group = 0; group < B::w.groups; ++group)
    for (int y = 0; y < B::image.height; ++y) {
      const ReachingRows<B> rows(y);
      overlapping_blocks<Blocks::channels>(B::inputs, [&](int i) {
        if constexpr (B::w.width <= most_unrolled_taps) {
          unroll<Blocks::stride>([&](auto phase) SINTER_LAMBDA {
            constexpr int count = Blocks::count(decltype(phase)::value), N = std::min(count, Blocks::most_columns);
            if constexpr (count > 0)
              overlapping_blocks<N>(
                  count, [&](int first) { adjoint_block<Tile, S, Back, N>(tile, phase, rows, group, i, y, first); });
          });
        } else {
          constexpr int N = std::min(std::max(Blocks::width / Blocks::stride, 1), Blocks::most_columns);
          for (int phase = 0; phase < std::min(Blocks::stride, Blocks::width); ++phase)
            overlapping_blocks<N>(Blocks::count(phase), [&](int first) {
              adjoint_block<Tile, S, Back, N>(tile, phase, rows, group, i, y, first);
            });
        }
      });
    }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
