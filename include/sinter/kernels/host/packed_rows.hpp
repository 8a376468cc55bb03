// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/image_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

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
  static constexpr int size = Blocks::packed ? B::inputs * channel : 0;

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
  template <class Tap>
  SINTER_INLINE static V load(const T* pixel, Tap kx) {
    const int at = kx * w.dilation_width;
    return V::load(pixel + at % stride * pixels + at / stride);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
