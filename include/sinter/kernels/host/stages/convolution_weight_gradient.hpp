// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <type_traits>

#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The sums of dW that are in registers together: `taps` taps of `rows` rows of windows for each of `channels` channels
/// of results. The rows of a window, of one input channel after another, are counted through.
template <class P, int S>
struct WeightBlocks {
  using B = ConvolutionBlocks<P, S>;
  static constexpr Window w = B::w;
  static constexpr int all_rows = B::inputs * w.height, outputs = B::outputs;
  static constexpr int taps = w.width <= most_unrolled_taps ? w.width : P::ISA::registers / 2;

  /// Half cycles that `m` rows of windows and `n` channels take for a pixel: those of their sums, or the second cache's
  /// 16 bytes a cycle of what they read anew: these channels of results, and a row of the image for each of its
  /// channels.
  static constexpr int cost(int m, int n) {
    return std::max(Block{m * taps, n}.cost(), 4 * (n + divide_up(m, w.height)));
  }
  static constexpr Block best = best_block(std::min(all_rows, 4), std::min(outputs, 5), [](Block b) {
    if (b.m * b.n > 1 && b.m * b.n * taps > B::budget) return impossible;
    const int tall = all_rows / b.m, wide = outputs / b.n;
    return tall * wide * cost(b.m, b.n) + tall * (outputs % b.n) * cost(b.m, 1) +
           all_rows % b.m * (wide * cost(1, b.n) + outputs % b.n * cost(1, 1));
  });
  static constexpr int rows = best.m, channels = best.n;
};

/// dW of `Rows` rows of windows from `row` on, their `Taps` taps from `tap` on, and `Channels` channels of results from
/// `channel` on: each a sum over their pixels in their order, then over the samples. The results' gradient is dy, and
/// the image is x; of a transposed convolution dy is an image, and x results.
template <class Tile, int S, int Rows, int Taps, int Channels>
SINTER_INLINE void weight_gradient_block(const Tile& tile, int row, int tap, int channel) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using B = ConvolutionBlocks<P, S>;
  // Not `w`: g++ 12 copies a local constexpr struct into nested lambdas, uninitialised.
  using W = WeightBlocks<P, S>;
  constexpr bool transposed = B::op.transposed;
  constexpr Place image = transposed ? Tile::gradient_of(S) : Tile::input(S);
  constexpr Place results = transposed ? Tile::input(S) : Tile::gradient_of(S);
  constexpr int next_channel = results.stride_channel(), down = W::w.stride_height * image.stride_y() * P::lanes;
  const int first_input = channel / B::outputs * B::inputs;

  V sum[Rows * Taps][Channels];
  unroll<Rows * Taps>([&](int t) SINTER_LAMBDA { unroll<Channels>([&](int c) SINTER_LAMBDA { sum[t][c] = V(0); }); });
  const T* x[Rows];
  for (int r = 0; r < Rows; ++r) {
    const int i = (row + r) / W::w.height, ky = (row + r) % W::w.height;
    x[r] = tile.at(image.at(first_input + i, ky * W::w.dilation_height - W::w.padding_height,
                            tap * W::w.dilation_width - W::w.padding_width));
  }
  const T* from = tile.at(results.at(channel, 0, 0));
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int y = 0; y < B::results.height; ++y) {
          for (int column = 0; column < B::results.width; ++column) f(column);
          unroll<Rows>([&](int r) SINTER_LAMBDA { x[r] += down; });
          from += results.stride_y() * P::lanes;
        }
      },
      [&](int t, int column) SINTER_LAMBDA {
        const int r = t / Taps, k = t % Taps;
        V value = V::load(x[r] + (column * W::w.stride_width + k * W::w.dilation_width) * P::lanes);
        keep(value);
        return value;
      },
      [&](int c, int column) SINTER_LAMBDA { return V::load(from + (c * next_channel + column) * P::lanes); });
  T* const to = tile.parameter_gradient(B::op.weight) + (channel * B::inputs * W::w.height + row) * W::w.width + tap;
  unroll<Channels>([&](int c) SINTER_LAMBDA {
    unroll<Rows * Taps>([&](int t) SINTER_LAMBDA {
      const int r = t / Taps, k = t % Taps;
      to[c * B::inputs * W::w.taps() + r * W::w.width + k] += fn::sum(sum[t][c]);
    });
  });
}

/// dW += sum over samples and pixels of dy x, db += sum of dy, from the gradient of the source at full resolution.
template <class Tile, int S>
void convolution_weight_gradient(const Tile& tile) {
  using V = typename Tile::V;
  using B = ConvolutionBlocks<typename Tile::Plan, S>;
  using W = WeightBlocks<typename Tile::Plan, S>;
  constexpr int rows = W::rows, channels = W::channels;

  // Blocks do not overlap: sums must not count twice.
  const auto all_taps = [&](auto together, auto count, int row, int channel) SINTER_LAMBDA {
    constexpr int m = decltype(together)::value, n = decltype(count)::value, rest = W::w.width % W::taps;
    int tap = 0;
    for (; tap + W::taps <= W::w.width; tap += W::taps)
      weight_gradient_block<Tile, S, m, W::taps, n>(tile, row, tap, channel);
    if constexpr (rest != 0) weight_gradient_block<Tile, S, m, rest, n>(tile, row, tap, channel);
  };
  const auto all_rows = [&](auto count, int channel) SINTER_LAMBDA {
    int row = 0;
    for (; row + rows <= W::all_rows; row += rows) all_taps(std::integral_constant<int, rows>{}, count, row, channel);
    if constexpr (W::all_rows % rows != 0)
      for (; row < W::all_rows; ++row) all_taps(std::integral_constant<int, 1>{}, count, row, channel);
  };
  for (int group = 0; group < B::w.groups; ++group) {
    int channel = group * B::outputs;
    const int end = channel + B::outputs;
    for (; channel + channels <= end; channel += channels) all_rows(std::integral_constant<int, channels>{}, channel);
    if constexpr (B::outputs % channels != 0)
      for (; channel < end; ++channel) all_rows(std::integral_constant<int, 1>{}, channel);
  }
  if constexpr (B::op.with_bias) {
    constexpr Place dy = Tile::gradient_of(S);
    for (int c = 0; c < B::op.out.channels; ++c) {
      V total(0);
      for (int y = 0; y < dy.dims.height; ++y)
        for (int x = 0; x < dy.dims.width; ++x) total += tile.load(dy.at(c, y, x));
      tile.parameter_gradient(B::op.bias)[c] += fn::sum(total);
    }
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
