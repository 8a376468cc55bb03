// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Place (ky, kx) of W[c, o, ky, kx], o within its group.
template <class G>
SINTER_FN int transposed_weight(int c, int o, int ky, int kx) {
  return G::weight + (c * G::group_outputs + o) * G::taps + ky * G::kernel_width + kx;
}

template <>
struct StageKernel<Source::transposed> {
  /// y[o, Y, X] = b[o] + sum of W[c, o, ky, kx] x[c, y, x] with Y = y stride + ky dilation - padding, X likewise: each
  /// output adds the input that each tap reads for it, if any.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int input = Tile::Record::template input<S>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs;
      const Element<G> e(item % G::outputs);
      const int first = e.channel / G::group_outputs * G::group_inputs, o = e.channel % G::group_outputs;
      const auto image = tile.record(row) + input;
      T v[1] = {G::with_bias ? T(tile.parameters[G::bias + e.channel]) : T(0)};
      for (int ky = 0; ky < G::kernel_height; ++ky)
        for (int kx = 0; kx < G::kernel_width; ++kx) {
          const int down = e.y + G::padding_height - ky * G::dilation_height,
                    right = e.x + G::padding_width - kx * G::dilation_width;
          const int iy = down / G::stride_height, ix = right / G::stride_width;
          if (down < 0 || right < 0 || iy * G::stride_height != down || ix * G::stride_width != right ||
              iy >= G::in_height || ix >= G::in_width)
            continue;
          for (int c = first; c < first + G::group_inputs; ++c) {
            const T weight = tile.parameters[transposed_weight<G>(c, o, ky, kx)];
            v[0] = fma(weight, T(image[c * G::in_plane + iy * G::in_width + ix]), v[0]);
          }
        }
      ride<S, G::first_rider>(tile, row, e, v);
    });
  }

  /// dW[c, o, ky, kx] += sum of x dy over rows and positions, db[o] += sum of dy.
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int input = Tile::Record::template input<S>, gradient = Tile::Record::template gradient<S>;
    constexpr int weights = G::in_channels * G::group_outputs * G::taps, biases = G::with_bias ? G::channels : 0;
    x.items(weights + biases, [&](int i) {
      T sum = T(0);
      if (i >= weights) {
        const int o = i - weights;
        for (int row = 0; row < tile.rows; ++row)
          for (int k = 0; k < G::pixels; ++k) sum += T(tile.record(row)[gradient + o * G::plane + k]);
        tile.add_gradient(G::bias + o, sum);
        return;
      }
      const int c = i / (G::group_outputs * G::taps), ky = i / G::kernel_width % G::kernel_height,
                kx = i % G::kernel_width;
      const int o = c / G::group_inputs * G::group_outputs + i / G::taps % G::group_outputs;
      for (int row = 0; row < tile.rows; ++row) {
        const auto record = tile.record(row);
        for (int k = 0; k < G::in_pixels; ++k) {
          const int y = k / G::in_width * G::stride_height + ky * G::dilation_height - G::padding_height,
                    column = k % G::in_width * G::stride_width + kx * G::dilation_width - G::padding_width;
          if (y < 0 || column < 0 || y >= G::height || column >= G::width) continue;
          const T dy = record[gradient + o * G::plane + y * G::width + column];
          sum = fma(T(record[input + c * G::in_plane + k]), dy, sum);
        }
      }
      tile.add_gradient(G::weight + i, sum);
    });
  }

  /// dx[c, y, x] = sum of W[c, o, ky, kx] dy[o, Y, X]: a convolution.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, i = item % G::inputs;
      const int c = i / G::in_pixels, iy = i % G::in_pixels / G::in_width, ix = i % G::in_width;
      const int first = c / G::group_inputs * G::group_outputs;
      const auto record = tile.record(row);
      T sum = T(0);
      for (int ky = 0; ky < G::kernel_height; ++ky)
        for (int kx = 0; kx < G::kernel_width; ++kx) {
          const int y = iy * G::stride_height + ky * G::dilation_height - G::padding_height,
                    column = ix * G::stride_width + kx * G::dilation_width - G::padding_width;
          if (y < 0 || column < 0 || y >= G::height || column >= G::width) continue;
          for (int o = 0; o < G::group_outputs; ++o) {
            const T weight = tile.parameters[transposed_weight<G>(c, o, ky, kx)];
            sum = fma(weight, T(record[gradient + (first + o) * G::plane + y * G::width + column]), sum);
          }
        }
      give_input_gradient<S>(tile, row, i, sum);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
