// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <numeric>

#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The rows of results that reach a row of the image. The rows of a window that take them there are every `step`-th one
/// from the first on, and each reads `rows` rows of results before the one before.
template <class B>
struct ReachingRows {
  static constexpr Window w = B::w;
  static constexpr int step = w.stride_height / std::gcd(w.stride_height, w.dilation_height),
                       rows = step * w.dilation_height / w.stride_height;
  int count = 0, first_row = 0, first_tap = 0;

  explicit constexpr ReachingRows(int y) {
    for (int ky = w.height - 1; ky >= 0; --ky) {
      const int down = y + w.padding_height - ky * w.dilation_height;
      if (down < 0 || down % w.stride_height != 0 || down / w.stride_height >= B::results.height) continue;
      first_row = down / w.stride_height;
      first_tap = ky * w.width;
      ++count;
    }
  }
};

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

  /// The taps of a row that meet a phase are every `step`-th one. Taken from the last one on, each reads `columns`
  /// columns of results after the one before.
  static constexpr int step = stride / std::gcd(stride, w.dilation_width), columns = step * w.dilation_width / stride;
  static constexpr bool meets(int phase, int kx) {
    return (phase + w.padding_width - kx * w.dilation_width) % stride == 0;
  }
  static constexpr int last_tap(int phase) {
    int kx = w.width - 1;
    while (kx >= 0 && !meets(phase, kx)) --kx;
    return kx;
  }
  /// How many taps meet a phase, and what a block of its pixels reads.
  static constexpr int meeting(int phase) { return (last_tap(phase) + step) / step; }
  template <int Taps, int Lanes>
  using BlockShape =
      WindowShape<B::outputs, Taps, taps, B::inputs * taps, -step, columns == 1 ? Lanes : 0, 1, B::lanes>;
  static constexpr WindowStrides strides(Place place, int numbers, int phase) {
    using Rows = ReachingRows<B>;
    return {.channel = place.stride_channel() * numbers,
            .row = -Rows::rows * place.stride_y() * numbers,
            .tap = columns * numbers,
            .down = place.stride_y() * numbers,
            .weight_row = Rows::step * w.width,
            .taps = meeting(phase)};
  }
  /// The column of results that the last tap takes to the first pixel of the phase. It may be in their border of zeros.
  static constexpr int first_column(int phase) {
    return (phase + w.padding_width - std::max(last_tap(phase), 0) * w.dilation_width) / stride;
  }
};

/// The results that pixels of a phase read: `results` is the first row and channel of these, with Numbers for each
/// pixel.
template <class Blocks, int Numbers, class T>
SINTER_INLINE Windows<T> windows_of_results(const T* results, Place place, int phase,
                                            const ReachingRows<typename Blocks::B>& reaching) {
  return {results + (reaching.first_row * place.stride_y() + Blocks::first_column(phase)) * Numbers, reaching.count,
          reaching.first_tap + Blocks::last_tap(phase)};
}

/// `N` pixels of row y from number `first` of a phase on, of the channels from `i` on of a group.
template <class Tile, int S, bool Back, int N, int Taps>
SINTER_INLINE void adjoint_block(const Tile tile, int phase, const WindowStrides& strides,
                                 const ReachingRows<ConvolutionBlocks<typename Tile::Plan, S>>& rows, int group, int i,
                                 int y, int first) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using B = ConvolutionBlocks<P, S>;
  using Blocks = PhaseBlocks<P, S>;
  using Ends = ProductEnds<Tile, S, Back>;
  constexpr Place results = Ends::from;
  constexpr int C = Blocks::channels, L = P::lanes;
  constexpr int taps = Taps == any_taps ? divide_up(B::w.width, Blocks::step) : Taps;
  constexpr int terms = B::outputs * B::w.height * taps / ReachingRows<B>::step;  // on average
  const auto windows =
      windows_of_results<Blocks, L>(tile.at(results.at(group * B::outputs, 0, first)), results, phase, rows);
  const auto* weight = tile.parameter(B::op.weight) + (group * B::outputs * B::inputs + i) * Blocks::taps;
  V sum[C][N];
  window_sums<typename P::ISA, typename Blocks::template BlockShape<Taps, L>, terms, 1>(
      windows, strides, weight, Ends::start(tile, group * B::inputs + i), sum);
  constexpr bool in_memory = shares_windows(C * N, terms);
  for_each_sum<in_memory, C>([&](int c) SINTER_LAMBDA {
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
  constexpr Place results = ProductEnds<Tile, S, Back>::from;
  for (int group = 0; group < B::w.groups; ++group)
    for (int y = 0; y < B::image.height; ++y) {
      const ReachingRows<B> rows(y);
      overlapping_blocks<Blocks::channels>(B::inputs, [&](int i) {
        if constexpr (B::w.width <= most_unrolled_taps) {
          unroll<Blocks::stride>([&](auto phase) SINTER_LAMBDA {
            constexpr int count = Blocks::count(decltype(phase)::value), N = std::min(count, Blocks::most_columns);
            constexpr int taps = Blocks::meeting(decltype(phase)::value);
            static constexpr WindowStrides strides = Blocks::strides(results, Blocks::B::lanes, decltype(phase)::value);
            if constexpr (count > 0)
              overlapping_blocks<N>(count, [&](int first) {
                adjoint_block<Tile, S, Back, N, taps>(tile, phase, strides, rows, group, i, y, first);
              });
          });
        } else {
          constexpr int N = std::min(std::max(Blocks::width / Blocks::stride, 1), Blocks::most_columns);
          for (int phase = 0; phase < std::min(Blocks::stride, Blocks::width); ++phase) {
            const WindowStrides strides = Blocks::strides(results, B::lanes, phase);
            overlapping_blocks<N>(Blocks::count(phase), [&](int first) {
              adjoint_block<Tile, S, Back, N, any_taps>(tile, phase, strides, rows, group, i, y, first);
            });
          }
        }
      });
    }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
