// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/products/winograd.hpp"
#include "sinter/kernels/host/stages/image_convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A convolution of one image by Winograd's F(2, 3), some pairs of rows at a time. `memory` holds the transformed rows,
/// [4][pairs][channels][pixels], with room for a pack after them, and then the transformed weights.
template <class P, int S>
struct WinogradImage {
  using T = typename P::Scalar;
  using V = typename P::V;
  using Blocks = ImageBlocks<P, S>;
  using B = typename Blocks::B;
  static constexpr int L = P::lanes, pairs = Blocks::pairs, inputs = B::inputs;
  static constexpr WinogradLayout layout = WinogradLayout::forward(P::source(S));
  static constexpr int row = round_up(Blocks::width + layout.taps - 1, L), pair = inputs * row, quarter = pairs * pair;
  static constexpr int rows_size = round_up(4 * quarter + L * Blocks::packs + layout.taps, 16);
  static constexpr int size = rows_size + 4 * layout.weight();
  T* memory;

  template <class Weight>
  SINTER_INLINE void transform_weights_of(Weight weight) const {
    constexpr int window = layout.taps * 3;
    const auto at = [&](int o, int i) SINTER_LAMBDA {
      const auto taps = row_of(weight, o, inputs * window);
      if constexpr (std::is_pointer_v<std::remove_const_t<decltype(taps)>>)
        return taps + i * window;
      else
        return [taps, i](int k) SINTER_LAMBDA { return taps[i * WinogradImage::layout.taps * 3 + k]; };
    };
    transform_weights<layout, false, T>(at, memory + rows_size);
  }

  /// The rows that the pairs from row y of the product on read.
  template <class One>
  SINTER_INLINE void transform_rows(const One& single, Place in, int y) const {
    for (int p = 0; p < pairs; ++p)
      for (int i = 0; i < inputs; ++i) {
        const T* from = single.at(in.at(i, y + 2 * p - B::w.padding_height, -B::w.padding_width));
        T* to = memory + p * pair + i * row;
        for (int x = 0; x < row; x += L)
          host_kernels::transform_rows<V>([&](int r) SINTER_LAMBDA { return V::load(from + r * in.stride_y() + x); },
                                          to + x, quarter);
      }
  }

  /// sum[c][r N + n]: of output `output` + c, row r of the pairs, and n packs after pixel x.
  template <int C, int M>
  SINTER_INLINE void sums(const T* bias, int output, int x, V (&sum)[C][M]) const {
    constexpr int N = M / Blocks::rows;
    winograd_sums<layout, 1, C, pairs * N, V>(
        memory + x, quarter, row, memory + rows_size + output * inputs * layout.taps,
        [&](int c) SINTER_LAMBDA {
          if constexpr (B::op.with_bias) return bias[output + c];
          return T(0);
        },
        [](int n) SINTER_LAMBDA { return n / N * pair + n % N * L; },
        [&](int c, int n, V upper, V lower) SINTER_LAMBDA {
          sum[c][n / N * 2 * N + n % N] = upper;
          sum[c][(n / N * 2 + 1) * N + n % N] = lower;
        });
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
