// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/kernels/host/products/blocks.hpp"
#include "sinter/kernels/host/products/load_every.hpp"
#include "sinter/kernels/host/products/window_sums.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Numbers of weights that a convolution may read again for each part of an image, and from how many of an image on it
/// pays to copy its parts.
inline constexpr int most_read_again = 1 << 20, least_copied = 8192;

/// A convolution of one image at a time, with the pixels of a row in the lanes: for too few images to fill the lanes.
/// Every output is the same chain of fma as in the tile, so the results are the same to the bit.
///
/// Images are planar, as Place says, with room for a few packs after the last pixel.
template <class P, int S>
struct ImageBlocks {
  using B = ConvolutionBlocks<P, S>;
  static constexpr Window w = B::w;
  static constexpr bool winograd = P::by_winograd(S);
  /// Whether all rows are computed as one, because a pack has several: by windows of one pixel, where rows follow one
  /// another in memory.
  static constexpr bool in_one_row = [] {
    const int row = B::computed.width, pixels = B::computed.pixels();
    if (winograd || B::pooled || w.taps() > 1 || w.stride_width > 1 || w.stride_height > 1) return false;
    if (B::image.pixels() != pixels || row >= P::lanes || row == pixels || P::lanes % row != 0) return false;
    if (pixels > P::lanes && pixels % P::lanes != 0) return false;
    const Stage& stage = P::stage(S);
    bool contiguous = !P::has_edge(stage.input);
    for (int i = stage.first_rider(); i < stage.last; ++i)
      if (P::op(i).kind == OpKind::add && P::has_edge(P::op(i).inputs[1 - P::Cut::main_input(i)])) contiguous = false;
    return contiguous;
  }();
  static constexpr Dims computed = in_one_row ? image(B::computed.channels, 1, B::computed.pixels()) : B::computed;
  /// Pixels of the product in a row, and their packs.
  static constexpr int width = computed.width * B::unit.width, all_packs = divide_up(width, P::lanes);
  /// Whether a block is chosen by its work: of channels and packs of one row.
  static constexpr bool of_row = !winograd && !B::pooled && all_packs > 1;
  /// Packs in one direction: along a row, or of several rows if each is one pack.
  static constexpr int columns = of_row ? all_packs : computed.height;
  /// Of two loads of pixels one crosses the end of a cache line, and takes twice as long.
  static constexpr int cost(Block b) {
    if (b.m * b.n > image_row_sums(P::ISA::registers)) return impossible;
    return divide_up(B::outputs, b.m) * divide_up(columns, b.n) * std::max({2 * b.m * b.n, 16, 2 * b.m + 3 * b.n});
  }
  static constexpr Block best =
      best_block(B::at_most(B::outputs, columns == 1 ? 14 : image_row_channels(P::ISA::registers)),
                 B::at_most(columns, 7), P::ISA::registers + 1, cost);
  /// Whether several blocks of channels read the same pixels, and weights may be read again for each part of an image.
  static constexpr bool copies_pay = divide_up(B::outputs, best.m) >= 4 &&
                                     static_cast<long long>(B::outputs) * B::inputs * w.taps() <= most_read_again;
  /// Whether pixels are copied first (packed_rows.hpp). The windows of several rows, if each is one pack of pixels a
  /// stride apart:
  static constexpr bool of_windows = !winograd && !B::pooled && all_packs == 1 && w.taps() > 9 && w.stride_width > 1 &&
                                     w.dilation_height == 1 && copies_pay;
  /// or those of a row, a stride apart, or many of an image that the first cache does not hold.
  static constexpr bool packed =
      of_windows ||
      (of_row && copies_pay &&
       (w.stride_width > 1 || (B::outputs * w.width >= 256 && B::inputs * B::image.pixels() >= least_copied)));
  /// Packs of a row that are computed at once.
  static constexpr int packs = of_row ? best.n : B::divide(all_packs, B::unit.height > 1 && !winograd ? 3 : 5);
  static constexpr int chunk = packs * P::lanes / B::unit.width * B::unit.width;  // whole windows of a pool
  /// Pairs of rows that are computed at once: several if a row is one pack, so that a weight is loaded once for all of
  /// them.
  static constexpr int pairs = packs == 1 ? B::divide(B::op.out.height / 2, 4) : 1;
  /// Rows of a pool's window; without a pool, more where a row is one pack.
  static constexpr int rows = winograd     ? 2 * pairs
                              : B::pooled  ? B::unit.height
                              : of_row     ? 1
                              : of_windows ? best.n
                              : packs == 1 ? B::at_most(computed.height, w.stride_width == 1 ? 4 : 2)
                                           : 1;
  static constexpr int step = rows / B::unit.height;  // of computed pixels
  static constexpr int sums = (winograd ? pairs : rows) * packs;
  static constexpr int channels =
      of_row || of_windows ? best.m
                           : B::divide(B::outputs, B::at_most(B::budget / sums > 0 ? B::budget / sums : 1, 10));
  /// Where the chunk that should begin at a pixel does: the last one reaches back.
  static constexpr int chunk_from(int begin) { return begin + chunk <= width || width < chunk ? begin : width - chunk; }
};

/// Where the window of pixel (y, x) of an output begins, from the begin of the image on.
template <class B>
constexpr std::ptrdiff_t first_pixel(Place in, int output, int y, int x) {
  constexpr Window w = B::w;
  const int first_input = w.groups == 1 ? 0 : output / B::outputs * B::inputs;
  return in.at(first_input, y * w.stride_height - w.padding_height, x * w.stride_width - w.padding_width).offset -
         in.offset;
}

/// sum[c][r N + n] for channel[c] of the output, row r of R and pack n of a row. load(pixels, tap) is a pack.
template <class P, int S, class Shape, int R, int C, int M, class T, class Weight, class Load>
SINTER_INLINE void image_sums_of(const T* pixels, const WindowStrides& strides, Weight weight, const T* bias,
                                 const int (&channel)[C], typename P::V (&sum)[C][M], Load&& load) {
  using B = ConvolutionBlocks<P, S>;
  constexpr int taps = B::w.taps();
  decltype(row_of(weight, 0, 0)) row[C];
  unroll<C>([&](int c) SINTER_LAMBDA {
    row[c] = row_of(weight, channel[c], B::terms);
    typename P::V start(0);
    if constexpr (B::op.with_bias) start = typename P::V(bias[channel[c]]);
    unroll<M>([&](int m) SINTER_LAMBDA { sum[c][m] = start; });
  });
  add_windows<Shape, R>(
      Windows<T>{pixels, B::w.height, 0}, strides, sum,
      [&](int c, int i, int at) SINTER_LAMBDA { return row[c][i * taps + at]; }, load);
}

/// The same from `pixels` of an image on.
template <class P, int S, int R, int C, int M, class T, class Weight>
SINTER_INLINE void image_sums(const T* pixels, const WindowStrides& strides, Weight weight, const T* bias,
                              const int (&channel)[C], typename P::V (&sum)[C][M]) {
  using B = ConvolutionBlocks<P, S>;
  image_sums_of<P, S, typename B::template BlockShape<true>, R>(
      pixels, strides, weight, bias, channel, sum,
      [](const T* pixel, int) SINTER_LAMBDA { return load_every<B::w.stride_width, typename P::V>(pixel); });
}
/// Whether the sums of C channels, M of each, are those of a shared kernel: with weights that are numbers.
template <class P, int S, class Weight>
constexpr bool shares_image_sums(int C, int M) {
  return std::is_pointer_v<std::remove_const_t<Weight>> && shares_windows(C * M, ConvolutionBlocks<P, S>::terms);
}
/// The same of neighbouring channels from `channel` on.
template <class P, int S, int R, int C, int M, class T, class Weight>
SINTER_INLINE void image_sums(const T* pixels, const WindowStrides& strides, Weight weight, const T* bias, int channel,
                              typename P::V (&sum)[C][M]) {
  using B = ConvolutionBlocks<P, S>;
  if constexpr (std::is_pointer_v<Weight>) {
    window_sums<typename P::ISA, typename B::template BlockShape<true>, B::terms, R>(
        Windows<T>{pixels, B::w.height, 0}, strides, weight + channel * B::terms,
        B::op.with_bias ? bias + channel : nullptr, sum);
  } else {
    int channels[C];
    unroll<C>([&](int c) SINTER_LAMBDA { channels[c] = channel + c; });
    image_sums<P, S, R>(pixels, strides, weight, bias, channels, sum);
  }
}

/// Sums of a block of image_sums, from row y of the computed pixels and pixel x on, as windows: each(c, y, pooled x,
/// count, V (&window)[taps]) takes a pool's windows, or single values, with neighbouring pixels in the lanes; the first
/// `count` lanes are real.
template <class P, int S, bool InMemory = false, int C, int M, class Each>
SINTER_INLINE void for_each_window(typename P::V (&sum)[C][M], int y, int x, Each&& each) {
  using V = typename P::V;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  constexpr int L = P::lanes, R = Blocks::rows, N = M / R;
  for_each_sum<InMemory, C>([&](int c) SINTER_LAMBDA {
    if constexpr (B::unit.width == 1) {
      constexpr int together = ImageBlocks<P, S>::B::unit.height;  // rows of a window
      for_each_sum<InMemory, R / together * N>([&](int i) SINTER_LAMBDA {
        const int first = i / N, n = i % N;
        V window[together];
        unroll<together>([&](int r) SINTER_LAMBDA { window[r] = sum[c][(first * together + r) * N + n]; });
        each(c, y + first, x + n * L, Blocks::width - x - n * L, window);
      });
    } else if constexpr (B::unit.width > 2) {
      unroll<Blocks::step>([&](int i) SINTER_LAMBDA {
        constexpr int together = ImageBlocks<P, S>::B::unit.height, wide = ImageBlocks<P, S>::B::unit.width;
        alignas(64) typename P::Scalar pixels[together][(N + wide) * L] = {};
        unroll<together * N>([&](int k) SINTER_LAMBDA {
          const int r = k / N, n = k % N;
          sum[c][(i * together + r) * N + n].store(pixels[r] + n * L);
        });
        unroll<divide_up(N, wide)>([&](int m) SINTER_LAMBDA {
          const int first = m * L;
          V window[together * wide];
          unroll<together * wide>([&](int k) SINTER_LAMBDA {
            window[k] = load_every<wide, V>(pixels[k / wide] + first * wide + k % wide);
          });
          each(c, y + i, x / wide + first, std::min(Blocks::chunk, Blocks::width - x) / wide - first, window);
        });
      });
    } else {
      // Pairs of neighbours: the left ones and the right ones of two packs.
      constexpr auto lane = std::make_integer_sequence<int, L>{};
      for_each_sum<InMemory, divide_up(N, 2)>([&](int m) SINTER_LAMBDA {
        const int n = 2 * m;
        unroll<Blocks::step>([&](int i) SINTER_LAMBDA {
          const int together = ImageBlocks<P, S>::B::unit.height, first = i * together;
          V window[2 * together];
          unroll<together>([&](int r) SINTER_LAMBDA {
            const int at = (first + r) * N + n;
            const V left = sum[c][at], right = n + 1 < N ? sum[c][n + 1 < N ? at + 1 : at] : V(0);
            window[2 * r] = every_second<0>(left, right, lane);
            window[2 * r + 1] = every_second<1>(left, right, lane);
          });
          each(c, y + i, (x + n * L) / 2, (Blocks::width - x - n * L) / 2, window);
        });
      });
    }
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
