// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/convolution.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A transposed convolution at work on a tile: y[o, Y, X] = b[o] + sum of W[i, o, ky, kx] x[i, y, x] over all inputs
/// and taps with Y = y stride + ky dilation - padding, X likewise. `in` and `out` are channels of one group.
template <class Tile, int S>
struct TransposedStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  static constexpr Op op = P::source(S);
  static constexpr Window w = op.window;
  static constexpr int in = op.in.channels / w.groups, out = op.out.channels / w.groups, taps = w.taps();
  static constexpr int most = accumulators(P::ISA::registers) / 2;
  static constexpr int out_channels = ConvolutionBlocks<P, S>::divide(out, most),
                       in_channels = ConvolutionBlocks<P, S>::divide(in, most);

  const Tile& tile;

  SINTER_INLINE static int weight_at(int i, int o, int ky, int kx) {  // o within its group
    return (i * out + o) * taps + ky * w.width + kx;
  }
  /// Where tap k takes a place of the input to.
  SINTER_INLINE static int down(int y, int ky) {
    return y * w.stride_height + ky * w.dilation_height - w.padding_height;
  }
  SINTER_INLINE static int across(int x, int kx) {
    return x * w.stride_width + kx * w.dilation_width - w.padding_width;
  }

  /// Each number of the output adds the input that each tap reads for it, if any.
  void forward() const {
    constexpr int C = out_channels;
    constexpr Place from = Tile::input(S);
    const T* weight = tile.parameter(op.weight);
    for (int group = 0; group < w.groups; ++group)
      overlapping_blocks<C>(out, [&](int o) SINTER_LAMBDA {
        for_each_pixel(op.out, [&](int Y, int X) SINTER_LAMBDA {
          V sum[C];
          unroll<C>([&](auto c) SINTER_LAMBDA {
            sum[c] = V(0);
            if constexpr (op.with_bias) sum[c] = V(tile.parameter(op.bias)[group * out + o + decltype(c)::value]);
          });
          for (int ky = 0; ky < w.height; ++ky) {
            const int y = Y - down(0, ky);
            if (y < 0 || y % w.stride_height != 0 || y / w.stride_height >= op.in.height) continue;
            for (int kx = 0; kx < w.width; ++kx) {
              const int x = X - across(0, kx);
              if (x < 0 || x % w.stride_width != 0 || x / w.stride_width >= op.in.width) continue;
              for (int i = group * in; i < (group + 1) * in; ++i) {
                const V value = tile.load(from.at(i, y / w.stride_height, x / w.stride_width));
                unroll<C>([&](auto c) SINTER_LAMBDA {
                  sum[c] = fma(V(weight[weight_at(i, o + decltype(c)::value, ky, kx)]), value, sum[c]);
                });
              }
            }
          }
          unroll<C>([&](auto c) SINTER_LAMBDA {
            V one[1] = {sum[c]};
            ride<Tile, S, P::stage(S).first + 1>(tile, Position{group * out + o + decltype(c)::value, Y, X}, one);
          });
        });
      });
  }

  /// dW[i, o, ky, kx] += sum over samples and places of x dy, db[o] += sum of dy.
  void weight_gradient() const {
    constexpr Place from = Tile::input(S), dy = Tile::gradient_of(S);
    for (int i = 0; i < op.in.channels; ++i)
      for (int o = 0; o < out; ++o)
        for (int ky = 0; ky < w.height; ++ky) {
          V sum[w.width];
          unroll<w.width>([&](auto kx) SINTER_LAMBDA { sum[kx] = V(0); });
          for_each_pixel(op.in, [&](int y, int x) SINTER_LAMBDA {
            const int Y = down(y, ky);
            if (Y < 0 || Y >= op.out.height) return;
            const V value = tile.load(from.at(i, y, x));
            unroll<w.width>([&](auto kx) SINTER_LAMBDA {
              const int X = across(x, decltype(kx)::value);
              if (X >= 0 && X < op.out.width) sum[kx] = fma(value, tile.load(dy.at(i / in * out + o, Y, X)), sum[kx]);
            });
          });
          unroll<w.width>([&](auto kx) SINTER_LAMBDA {
            tile.parameter_gradient(op.weight)[weight_at(i, o, ky, decltype(kx)::value)] += fn::sum(sum[kx]);
          });
        }
    if constexpr (op.with_bias)
      for (int o = 0; o < op.out.channels; ++o) {
        V total(0);
        for_each_pixel(op.out, [&](int y, int x) SINTER_LAMBDA { total += tile.load(dy.at(o, y, x)); });
        tile.parameter_gradient(op.bias)[o] += fn::sum(total);
      }
  }

  /// dx[i, y, x] = sum of W[i, o, ky, kx] dy[o, Y, X]: a convolution.
  void input_gradient() const {
    constexpr int C = in_channels;
    constexpr Place dy = Tile::gradient_of(S);
    const T* weight = tile.parameter(op.weight);
    for (int group = 0; group < w.groups; ++group)
      overlapping_blocks<C>(in, [&](int first) SINTER_LAMBDA {
        const int i = group * in + first;
        for_each_pixel(op.in, [&](int y, int x) SINTER_LAMBDA {
          V sum[C];
          unroll<C>([&](auto c) SINTER_LAMBDA { sum[c] = V(0); });
          for (int o = 0; o < out; ++o)
            for (int ky = 0; ky < w.height; ++ky)
              for (int kx = 0; kx < w.width; ++kx) {
                const int Y = down(y, ky), X = across(x, kx);
                if (Y < 0 || X < 0 || Y >= op.out.height || X >= op.out.width) continue;
                const V g = tile.load(dy.at(group * out + o, Y, X));
                unroll<C>([&](auto c) SINTER_LAMBDA {
                  sum[c] = fma(V(weight[weight_at(i + decltype(c)::value, o, ky, kx)]), g, sum[c]);
                });
              }
          unroll<C>([&](auto c) SINTER_LAMBDA {
            give_input_gradient<Tile, S>(tile, Position{i + decltype(c)::value, y, x}, sum[c]);
          });
        });
      });
  }

 private:
  template <class F>
  SINTER_INLINE static void for_each_pixel(Dims dims, F&& f) {
    for (int y = 0; y < dims.height; ++y)
      for (int x = 0; x < dims.width; ++x) f(y, x);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
