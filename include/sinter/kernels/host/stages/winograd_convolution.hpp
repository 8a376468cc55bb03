// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/products/winograd.hpp"
#include "sinter/kernels/host/stages/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A convolution of a tile by Winograd's F(2, 3), forward or to dx. Transformed rows are in the scratch memory.
template <class Tile, WinogradLayout Layout>
struct WinogradTile {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  static constexpr int L = P::lanes;
  T* rows;
  const T* weights;

  /// Four rows of each channel: load(channel, row, x) is a pack of them.
  template <class Load>
  SINTER_INLINE void transform(Load&& load) const {
    T* to = rows;
    for (int i = 0; i < Layout.inputs; ++i)
      for (int x = 0; x < Layout.row(); ++x, to += L)
        transform_rows<V>([&](int r) SINTER_LAMBDA { return load(i, r, x); }, to, Layout.rows() * L);
  }

  /// Two rows of C outputs from `output` on, N pixels from x on: y[c][row][n]. start(c) is the initial value of each
  /// sum.
  template <int C, int N, class Start>
  SINTER_INLINE void block(int output, int x, V (&y)[C][2][N], Start&& start) const {
    winograd_sums<Layout, L, C, N, V>(
        rows + x * L, Layout.rows() * L, Layout.row() * L, weights + output * Layout.inputs * Layout.taps, start,
        [](int n) SINTER_LAMBDA { return n * L; },
        [&](int c, int n, V upper, V lower) SINTER_LAMBDA {
          y[c][0][n] = upper;
          y[c][1][n] = lower;
        });
  }
};

/// y = W * x + b and its riders, two rows at a time.
template <class Tile, int S>
void winograd_forward(const Tile tile) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using B = ConvolutionBlocks<P, S>;
  constexpr WinogradLayout layout = WinogradLayout::forward(P::source(S));
  constexpr Place in = Tile::input(S);
  constexpr Window unit = B::unit;
  constexpr int columns = B::computed.width * unit.width;
  constexpr int N = unit.width > 1 ? B::at_most(columns, 4) / unit.width * unit.width : B::at_most(columns, 4);
  constexpr int C = B::divide(B::outputs, B::budget / N);

  const WinogradTile<Tile, layout> winograd{tile.scratch(), tile.packed_weight(S, false)};
  for (int y = 0; y < B::computed.height * unit.height; y += 2) {
    const T* from = tile.at(in.at(0, y - B::w.padding_height, -B::w.padding_width));
    winograd.transform([&](int i, int row, int x) SINTER_LAMBDA {
      return V::load(from + (i * in.stride_channel() + row * in.stride_y() + x) * P::lanes);
    });
    overlapping_blocks<C>(B::outputs, [&](int channel) {
      overlapping_blocks<N>(columns, [&](int x) {
        V sum[C][2][N];
        winograd.block(channel, x, sum, [&](int c) SINTER_LAMBDA {
          if constexpr (B::op.with_bias) return tile.parameter(B::op.bias)[channel + c];
          return T(0);
        });
        unroll<C>([&](int c) SINTER_LAMBDA {
          unroll<2 / unit.height>([&](int r) SINTER_LAMBDA {
            unroll<N / unit.width>([&](int n) SINTER_LAMBDA {
              constexpr int across = B::unit.width;
              V window[B::unit.taps()];
              unroll<B::unit.taps()>([&](int k) SINTER_LAMBDA {
                window[k] = sum[c][r * B::unit.height + k / across][n * across + k % across];
              });
              ride<Tile, S, P::stage(S).first + 1>(tile, Position{channel + c, y + r * B::unit.height, x + n * across},
                                                   window);
            });
          });
        });
      });
    });
  }
}

/// dx = the convolution of dy with W reversed, given to the riders of the stage before, two rows at a time.
template <class Tile, int S>
void winograd_input_gradient(const Tile tile) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using T = typename Tile::T;
  using B = ConvolutionBlocks<P, S>;
  constexpr WinogradLayout layout = WinogradLayout::backward(P::source(S));
  constexpr Place dy = Tile::gradient_of(S);
  constexpr int N = B::at_most(layout.columns, 4), C = B::divide(B::inputs, B::budget / N);

  const WinogradTile<Tile, layout> winograd{tile.scratch(), tile.packed_weight(S, true)};
  for (int y = 0; y < B::op.in.height; y += 2) {
    const int above = y + B::w.padding_height - 2;  // the first row of dy that reaches row y
    const T* from = tile.at(dy.at(0, above, B::w.padding_width - B::w.width + 1));
    winograd.transform([&](int o, int row, int x) SINTER_LAMBDA {
      if (above + row < 0 || above + row >= B::op.out.height) return V(0);
      return V::load(from + (o * dy.stride_channel() + row * dy.stride_y() + x) * P::lanes);
    });
    overlapping_blocks<C>(B::inputs, [&](int i) {
      overlapping_blocks<N>(layout.columns, [&](int x) {
        V sum[C][2][N];
        winograd.block(i, x, sum, [](int) SINTER_LAMBDA { return T(0); });
        unroll<C>([&](int c) SINTER_LAMBDA {
          unroll<2>([&](int r) SINTER_LAMBDA {
            unroll<N>([&](int n) SINTER_LAMBDA {
              give_input_gradient<Tile, S>(tile, Position{i + c, y + r, x + n}, sum[c][r][n]);
            });
          });
        });
      });
    });
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
