// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/tile/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Calls f(start) for blocks of N that cover [0, count); the last one begins earlier instead of being shorter, so some
/// elements are computed twice: for work that may be repeated.
template <int N, class F>
SINTER_INLINE void overlapping_blocks(int count, F&& f) {
  for (int i = 0; i < count; i += N) f(i + N <= count ? i : count - N);
}

inline constexpr int most_of_second_cache = 1 << 18;  // bytes

/// A convolution takes windows of an image to results; a transposed one has these ends exchanged. Weights are
/// [results][image / groups][taps] in both.
template <class P, int S>
struct ConvolutionBlocks {
  static constexpr Op op = P::source(S);
  static constexpr Window w = op.window;
  static constexpr Dims image = op.transposed ? op.out : op.in, results = op.transposed ? op.in : op.out;
  /// Channels of a group.
  static constexpr int inputs = image.channels / w.groups, outputs = results.channels / w.groups;
  static constexpr bool pooled = P::stage(S).pool >= 0;
  static constexpr Window unit = pooled ? P::op(P::stage(S).pool).window : Window{};
  /// The pixels that are computed: with a pool, only those it reads.
  static constexpr Dims computed = pooled ? P::op(P::stage(S).pool).out : results;

  static constexpr int budget = convolution_sums(P::ISA::registers);
  static constexpr int at_most(int n, int most) { return n < most ? n : most; }
  /// Of `most` or fewer, the number of channels that leaves the least work to the last block.
  static constexpr int divide(int count, int most) {
    return best_block(at_most(count, most), 1, [=](Block b) { return divide_up(count, b.m) * b.m; }).m;
  }
  // Results: channels x (a window of the pool, or a few pixels of a row).
  static constexpr Block block =
      best_block(outputs, pooled ? unit.taps() : results.width, P::ISA::registers, [](Block b) {
        if (pooled && b.n != unit.taps()) return impossible;
        return divide_up(outputs, b.m) * (pooled ? 1 : divide_up(results.width, b.n)) * b.cost();
      });
  static constexpr int channels = block.m, pixels = block.n;
  /// Results of a row that all channels compute before the next ones: 32 where the pixels that a row reads fill a
  /// second cache, so that each block of channels reads them from there, else all.
  static constexpr long long row_bytes =
      static_cast<long long>(inputs) * w.height * image.width * P::lanes * sizeof(typename P::Scalar);
  static constexpr int row_block =
      pooled || row_bytes < most_of_second_cache ? computed.width : divide_up(32, pixels) * pixels;
};

/// What the product of stage S reads and where its sums go. Forward: the input, the bias, and the riders of the stage.
/// Back: the gradient, zero, and the riders of the stage before.
template <class Tile, int S, bool Back>
struct ProductEnds {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  static constexpr Place from = Back ? Tile::gradient_of(S) : Tile::input(S);

  SINTER_INLINE static V start(const Tile& tile, int channel) {
    if constexpr (!Back && P::source(S).with_bias) return V(tile.parameter(P::source(S).bias)[channel]);
    return V(0);
  }
  /// A window of the stage's pool (N = 1 without one), whose first pixel is at `p`.
  template <int N>
  SINTER_INLINE static void give(const Tile& tile, Position p, V (&window)[N]) {
    if constexpr (Back)
      give_input_gradient<Tile, S>(tile, p, window[0]);
    else
      ride<Tile, S, P::stage(S).first + 1>(tile, p, window);
  }
};

/// One block: `C` channels from `channel` on, the pixels of one pool window (or of a piece of a row) at (y, x).
template <class Tile, int S, bool Back>
SINTER_INLINE void convolution_block(const Tile tile, int channel, int y, int x) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using B = ConvolutionBlocks<P, S>;
  using Ends = ProductEnds<Tile, S, Back>;
  constexpr Window w = B::w;
  constexpr Place in = Ends::from;
  constexpr int C = B::channels, N = B::pixels;
  constexpr int unit_width = B::pooled ? B::unit.width : N;
  constexpr int taps = w.taps();

  const T_of<Tile>* weight = tile.parameter(B::op.weight) + channel * B::inputs * taps;
  V sum[C][N];
  unroll<C>([&](int c) SINTER_LAMBDA {
    const V start = Ends::start(tile, channel + c);
    unroll<N>([&](int n) SINTER_LAMBDA { sum[c][n] = start; });
  });

  const int first_input = w.groups == 1 ? 0 : channel / B::outputs * B::inputs;
  const T_of<Tile>* from =
      tile.at(in.at(first_input, y * w.stride_height - w.padding_height, x * w.stride_width - w.padding_width));
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int i = 0; i < B::inputs; ++i)
          for (int ky = 0; ky < w.height; ++ky) {
            const T_of<Tile>* row =
                from + (i * in.stride_channel() + ky * w.dilation_height * in.stride_y()) * P::lanes;
            const T_of<Tile>* row_weight = weight + i * taps + ky * w.width;
            for_each_tap<w.width>([&](int kx) SINTER_LAMBDA { f(row, row_weight, kx); });
          }
      },
      [&](int c, const auto*, const auto* row_weight, int kx)
          SINTER_LAMBDA { return V(row_weight[c * B::inputs * taps + kx]); },
      [&](int n, const auto* row, const auto*, int kx) SINTER_LAMBDA {
        const int down = n / unit_width, across = n % unit_width;
        const int at = down * w.stride_height * in.stride_y() + across * w.stride_width;
        return V::load(row + (at + kx * w.dilation_width) * P::lanes);
      });

  unroll<C>([&](int c) SINTER_LAMBDA {
    if constexpr (B::pooled) {
      Ends::give(tile, Position{channel + c, y, x}, sum[c]);
    } else {
      unroll<N>([&](int n) SINTER_LAMBDA {
        V one[1] = {sum[c][n]};
        Ends::give(tile, Position{channel + c, y, x + n}, one);
      });
    }
  });
}

/// Results from an image: a convolution forward, or the dx of a transposed one. Blocked in registers: each pixel is
/// loaded once for C channels, each weight once for the pixels of a block.
template <class Tile, int S, bool Back>
void convolve(const Tile& tile) {
  using B = ConvolutionBlocks<typename Tile::Plan, S>;
  constexpr int width = B::computed.width;
  for (int group = 0; group < B::w.groups; ++group)
    for (int y = 0; y < B::computed.height; ++y)
      for (int begin = 0; begin < width; begin += B::row_block)
        overlapping_blocks<B::channels>(B::outputs, [&](int c) {
          const int channel = group * B::outputs + c, end = begin + B::row_block < width ? begin + B::row_block : width;
          if constexpr (B::pooled) {
            for (int x = begin; x < end; ++x)
              convolution_block<Tile, S, Back>(tile, channel, y * B::unit.height, x * B::unit.width);
          } else {
            for (int x = begin; x < end; x += B::pixels)
              convolution_block<Tile, S, Back>(tile, channel, y, x + B::pixels <= width ? x : width - B::pixels);
          }
        });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
