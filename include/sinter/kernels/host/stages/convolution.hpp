// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/window_sums.hpp"
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
  static constexpr int lanes = P::lanes;
  static constexpr Dims image = op.transposed ? op.out : op.in, results = op.transposed ? op.in : op.out;
  /// Channels of a group.
  static constexpr int inputs = image.channels / w.groups, outputs = results.channels / w.groups;
  /// Of a result.
  static constexpr int terms = inputs * w.taps();
  /// What a block reads: with samples in the lanes, or pixels of a row.
  template <bool PixelsInLanes>
  using BlockShape =
      WindowShape<inputs, w.width, terms, w.taps(), 1, w.dilation_width == 1 ? (PixelsInLanes ? 1 : lanes) : 0,
                  PixelsInLanes ? w.stride_width : 1, w.stride_width * lanes>;
  /// And where, in an image with `numbers` for each pixel.
  static constexpr WindowStrides strides(Place in, int numbers) {
    return {.channel = in.stride_channel() * numbers,
            .row = w.dilation_height * in.stride_y() * numbers,
            .tap = w.dilation_width * numbers,
            .down = w.stride_height * in.stride_y() * numbers,
            .weight_row = w.width,
            .taps = w.width};
  }
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

  /// The initial sums from a channel on; null for zeros.
  SINTER_INLINE static const T_of<Tile>* start(const Tile& tile, int channel) {
    if constexpr (!Back && P::source(S).with_bias) return tile.parameter(P::source(S).bias) + channel;
    return nullptr;
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
  constexpr int rows = B::pooled ? B::unit.height : 1;
  static constexpr WindowStrides strides = B::strides(in, P::lanes);
  const int first_input = w.groups == 1 ? 0 : channel / B::outputs * B::inputs;
  const Spot first = in.at(first_input, y * w.stride_height - w.padding_height, x * w.stride_width - w.padding_width);
  V sum[C][N];
  window_sums<typename P::ISA, typename B::template BlockShape<false>, B::terms, rows>(
      Windows<T_of<Tile>>{tile.at(first), w.height, 0}, strides, tile.parameter(B::op.weight) + channel * B::terms,
      Ends::start(tile, channel), sum);

  constexpr bool in_memory = shares_windows(C * N, B::terms);
  for_each_sum<in_memory, C>([&](int c) SINTER_LAMBDA {
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
