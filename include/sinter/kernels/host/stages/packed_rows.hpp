// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/stages/image_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Windows of copied pixels, whose taps load(pixel, tap) finds.
template <class B>
using PackedShape = WindowShape<B::inputs, B::w.width, 0, 0, 1, 0, 1, B::lanes>;
template <class B>
constexpr WindowStrides packed_strides(int channel, int row) {
  return {.channel = channel,
          .row = B::w.dilation_height * row,
          .tap = 0,
          .down = 0,
          .weight_row = B::w.width,
          .taps = B::w.width};
}

/// The pixels that a block of image_sums reads, side by side, for the blocks of all channels: [inputs][rows][phases of
/// the stride][pixels], so that they follow one another in memory and pixels a stride apart are neighbours.
template <class P, int S>
struct PackedRows {
  using T = typename P::Scalar;
  using V = typename P::V;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  static constexpr Window w = B::w;
  static constexpr int L = P::lanes, stride = w.stride_width;
  static constexpr int pixels = round_up(Blocks::packs * L + (w.width - 1) * w.dilation_width / stride, L);
  static constexpr int row = stride * pixels;
  static constexpr int rows = (w.height - 1) * w.dilation_height + 1;
  static constexpr int channel = rows * row;
  static constexpr int size = B::inputs * channel;
  static constexpr WindowStrides strides = packed_strides<B>(channel, row);

  /// `from` is the first pixel.
  static void copy(const T* from, Place in, T* to) {
    for (int i = 0; i < B::inputs; ++i)
      for (int r = 0; r < rows; ++r, to += row) {
        const T* const row_from = from + i * in.stride_channel() + r * in.stride_y();
        for (int phase = 0; phase < stride; ++phase)
          for (int x = 0; x < pixels; x += L)
            load_every<stride, V>(row_from + phase + x * stride).store(to + phase * pixels + x);
      }
  }
  /// A pack from a copied pixel on, `kx` taps further.
  SINTER_INLINE static V load(const T* pixel, int kx) {
    const int at = kx * w.dilation_width;
    return V::load(pixel + at % stride * pixels + at / stride);
  }
};

/// The windows of a block of image_sums: [inputs][taps][rows] packs, the pixels of a row in the lanes.
template <class P, int S>
struct PackedWindows {
  using T = typename P::Scalar;
  using V = typename P::V;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  static constexpr Window w = B::w;
  static constexpr int L = P::lanes, tap = Blocks::rows * L;
  static constexpr int row = w.width * tap;
  static constexpr int channel = w.height * row;
  static constexpr int size = B::inputs * channel;
  static constexpr WindowStrides strides = packed_strides<B>(channel, row);

  /// `from` is the first pixel.
  static void copy(const T* from, Place in, T* to) {
    for (int i = 0; i < B::inputs; ++i)
      for (int ky = 0; ky < w.height; ++ky, to += row)
        for (int r = 0; r < Blocks::rows; ++r)
          copy_row(from + i * in.stride_channel() + (ky + r * w.stride_height) * in.stride_y(), to + r * L);
  }
  SINTER_INLINE static V load(const T* pixel, int kx) { return V::load(pixel + kx * tap); }

 private:
  /// Taps of the windows of a row, in squares of a whole pack or of 8 numbers, where there are as many taps.
  static void copy_row(const T* from, T* to) {
    constexpr int side = L < 8 || w.width >= L ? L : 8;
    constexpr int squares = L > 1 && w.dilation_width == 1 ? w.width / side : 0;
    using Side = Pack<T, side>;
    for (int kx = 0; kx < squares * side; kx += side)
      for (int x = 0; x < L; x += side)
        transposed_copy<Side>([&](int i) SINTER_LAMBDA { return Side::load(from + (x + i) * w.stride_width + kx); },
                              [&](int k, Side v) SINTER_LAMBDA { v.store(to + (kx + k) * tap + x); });
    for (int kx = squares * side; kx < w.width; ++kx)
      load_every<w.stride_width, V>(from + kx * w.dilation_width).store(to + kx * tap);
  }
};

/// What a convolution copies before it computes a block.
template <class P, int S>
using PackedPixels = std::conditional_t<ImageBlocks<P, S>::of_windows, PackedWindows<P, S>, PackedRows<P, S>>;

}  // namespace host_kernels

SINTER_NAMESPACE_END
