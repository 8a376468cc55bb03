// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// Convolutions whose windows have three rows by Winograd's F(2, 3) along the height: two rows of outputs y from four
/// rows of inputs d and the rows w of the window, with two thirds of the multiplications.
///
///     m0 = (d0 - d2) w0    m1 = (d1 + d2) (w0 + w1 + w2) / 2    m2 = (d2 - d1) (w0 - w1 + w2) / 2    m3 = (d1 - d3) w2
///     y0 = m0 + m1 + m2    y1 = m1 - m2 - m3
///
/// Each m is a convolution of one row, added up over the channels. Along the height only, it is the same for each pixel
/// of a row, so a tile, with samples in the lanes, and a single image, with pixels, give the same bits.
/// Source: A. Lavin, S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2016.
namespace host_kernels {

/// The transformed operands of Winograd's F(2, 3): four rows of each channel of the input, and a weight four times.
struct WinogradLayout {
  int inputs, outputs, columns, taps;  // channels; pixels of a row of the output; of a row of the window
  constexpr int row() const { return columns + taps - 1; }
  constexpr int rows() const { return inputs * row(); }  // of one of four
  /// Numbers of one of the four weights, [outputs][inputs][taps], with room for a store that is one tap too long.
  constexpr int weight() const { return round_up(outputs * inputs * taps + 1, 16); }

  static constexpr WinogradLayout forward(const Op& o) {
    return {o.in.channels, o.out.channels, o.out.width, o.window.width};
  }
  /// dx is a convolution of dy.
  static constexpr WinogradLayout backward(const Op& o) {
    return {o.out.channels, o.in.channels, o.in.width, o.window.width};
  }
};

/// The four rows that replace rows d of the input.
template <class V>
SINTER_INLINE void winograd_rows(const V (&d)[4], V (&transformed)[4]) {
  transformed[0] = d[0] - d[2];
  transformed[1] = fn::add(d[1], d[2]);
  transformed[2] = d[2] - d[1];
  transformed[3] = d[1] - d[3];
}

/// The same of packs: load(r) is one of row r. The rows are stored `quarter` numbers apart.
template <class V, class T, class Load>
SINTER_INLINE void transform_rows(Load&& load, T* to, std::ptrdiff_t quarter) {
  V d[4], transformed[4];
  unroll<4>([&](int r) SINTER_LAMBDA { d[r] = load(r); });
  winograd_rows(d, transformed);
  unroll<4>([&](int j) SINTER_LAMBDA { transformed[j].store(to + j * quarter); });
}

/// The four weights that replace rows w of a window.
template <class V>
SINTER_INLINE void winograd_weights(const V (&w)[3], V (&transformed)[4]) {
  const V outer = fn::add(w[0], w[2]);
  transformed[0] = w[0];
  transformed[1] = fn::product(fn::add(outer, w[1]), V(.5f));
  transformed[2] = fn::product(outer - w[1], V(.5f));
  transformed[3] = w[2];
}

/// Two rows of outputs.
template <class V>
SINTER_INLINE void winograd_outputs(V m0, V m1, V m2, V m3, V& y0, V& y1) {
  y0 = fn::add(fn::add(m0, m1), m2);
  y1 = (m1 - m2) - m3;
}

/// The weights of a convolution, [4][outputs][inputs][taps]. `window(o, i)` is that of an output and an input: three
/// rows of Layout.taps, contiguous; Flipped reverses the taps.
template <WinogradLayout Layout, bool Flipped, class T, class Window>
void transform_weights(Window&& window, T* to) {
  constexpr int taps = Layout.taps;
  for (int o = 0; o < Layout.outputs; ++o)
    for (int i = 0; i < Layout.inputs; ++i, to += taps) {
      const auto from = window(o, i);
      if constexpr (taps == 3 && std::is_pointer_v<std::remove_const_t<decltype(from)>>) {
        // A row of taps in a pack; the next one's first is stored with it, and overwritten.
        using V = Pack<T, 4>;
        const V first = V::load(from), second = V::load(from + 3), last = V::load(from + 5);
        V w[3] = {first, second, fn::shuffle<1, 2, 3, 3>(last, last)}, transformed[4];
        if constexpr (Flipped) {
          const V swapped = fn::shuffle<2, 1, 0, 0>(first, first);
          w[0] = fn::shuffle<3, 2, 1, 1>(last, last);
          w[1] = fn::shuffle<2, 1, 0, 0>(second, second);
          w[2] = swapped;
        }
        winograd_weights(w, transformed);
        unroll<4>([&](int j) SINTER_LAMBDA { transformed[j].store(to + j * Layout.weight()); });
      } else {
        for (int k = 0; k < taps; ++k) {
          Pack<T, 1> w[3], transformed[4];
          for (int r = 0; r < 3; ++r) {
            const int tap = Flipped ? 3 * taps - 1 - (r * taps + k) : r * taps + k;
            if constexpr (std::is_pointer_v<std::remove_const_t<decltype(from)>>)
              w[r] = Pack<T, 1>(from[tap]);
            else
              w[r] = Pack<T, 1>(from(tap));
          }
          winograd_weights(w, transformed);
          for (int j = 0; j < 4; ++j) to[j * Layout.weight() + k] = transformed[j][0];
        }
      }
    }
}

/// The same of W [outputs][inputs][three rows of taps], or, flipped, of W [inputs][outputs][three rows of taps].
template <WinogradLayout Layout, bool Flipped, class T>
void pack_winograd_weights(const T* weight, T* to) {
  transform_weights<Layout, Flipped>(
      [&](int o, int i) {
        return weight + (Flipped ? i * Layout.outputs + o : o * Layout.inputs + i) * 3 * Layout.taps;
      },
      to);
}

/// Sums of products of a row of `Taps` weights with rows, over `inputs` channels whose rows are `stride` numbers apart.
/// sum[c][n] is of output c and of the pixels from offset(n) on; a pixel is Step numbers after the previous one.
template <int Taps, int Step, int C, int N, class V, class T, class Offset>
SINTER_INLINE void row_sums(const T* rows, int inputs, std::ptrdiff_t stride, const T* weight, V (&sum)[C][N],
                            Offset&& offset) {
  const std::ptrdiff_t next = static_cast<std::ptrdiff_t>(inputs) * Taps;
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int i = 0; i < inputs; ++i, rows += stride, weight += Taps)
          unroll<Taps>([&](int k) SINTER_LAMBDA { f(k); });
      },
      [&](int c, int k) SINTER_LAMBDA { return V(weight[c * next + k]); },
      [&](int n, int k) SINTER_LAMBDA { return V::load(rows + k * Step + offset(n)); });
}

/// Two rows of C outputs, from transformed rows that are `quarter` numbers apart, and their weights: give(c, n, upper,
/// lower) takes packs of outputs c; start(c) is the initial value of their sums. Otherwise as row_sums.
template <WinogradLayout Layout, int Step, int C, int N, class V, class T, class Start, class Offset, class Give>
SINTER_INLINE void winograd_sums(const T* rows, std::ptrdiff_t quarter, std::ptrdiff_t stride, const T* weight,
                                 Start&& start, Offset&& offset, Give&& give) {
  V m[4][C][N];
  for (int j = 0; j < 4; ++j) {
    V sum[C][N];
    unroll<C>([&](int c) SINTER_LAMBDA {
      const V first(j == 1 ? start(c) : T(0));  // m1 is part of both rows
      unroll<N>([&](int n) SINTER_LAMBDA { sum[c][n] = first; });
    });
    row_sums<Layout.taps, Step>(rows + j * quarter, Layout.inputs, stride, weight + j * Layout.weight(), sum, offset);
    unroll<C>([&](int c) SINTER_LAMBDA { unroll<N>([&](int n) SINTER_LAMBDA { m[j][c][n] = sum[c][n]; }); });
  }
  unroll<C>([&](int c) SINTER_LAMBDA {
    unroll<N>([&](int n) SINTER_LAMBDA {
      V upper, lower;
      winograd_outputs(m[0][c][n], m[1][c][n], m[2][c][n], m[3][c][n], upper, lower);
      give(c, n, upper, lower);
    });
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
