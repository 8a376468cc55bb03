// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/cuda/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// y = W x + b. An item is `block` outputs of one row, so that x is read once for all of them.
template <int S, class X, class Tile>
SINTER_FN void matmul_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int block = block_of(G::channels, 4, Tile::expected_rows), blocks = G::channels / block;
  constexpr int input = Tile::Place::template input<S>;
  // Neighbouring threads take neighbouring rows: their weights are one broadcast.
  x.items(tile.rows * blocks, [&](int item) {
    const int row = item % tile.rows, first = item / tile.rows * block;
    const auto in = tile.record(row) + input;
    T sum[block];
    SINTER_UNROLL
    for (int k = 0; k < block; ++k) sum[k] = G::with_bias ? T(tile.parameters[G::bias + first + k]) : T(0);
    SINTER_UNROLL_BY(8)
    for (int i = 0; i < G::inputs; ++i) {
      const T value = in[i];
      SINTER_UNROLL
      for (int k = 0; k < block; ++k) {
        const T w = tile.parameters[G::weight + (first + k) * G::inputs + i];
        sum[k] = fma(w, value, sum[k]);
      }
    }
    SINTER_UNROLL
    for (int k = 0; k < block; ++k) {
      T v[1] = {sum[k]};
      ride<S, G::first_rider>(tile, row, Element<G>(first + k), v);
    }
  });
}

/// y = W * x + b. An item is a window of the pool that rides, in `block` channels.
template <int S, class X, class Tile>
SINTER_FN void convolution_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int block = block_of(G::group_outputs, G::positions > 1 ? 5 : 8,
                                 static_cast<long>(Tile::expected_rows) * G::groups * G::pooled_pixels),
                blocks = G::channels / block;
  constexpr int input = Tile::Place::template input<S>;
  x.items(tile.rows * blocks * G::pooled_pixels, [&](int item) {
    const int pixel = item % G::pooled_pixels, first = item / G::pooled_pixels % blocks * block,
              row = item / (G::pooled_pixels * blocks);
    const int top = pixel / G::pooled_width * G::pool_height, left = pixel % G::pooled_width * G::pool_width;
    const auto image = tile.record(row) + (input + first / G::group_outputs * G::group_inputs * G::in_pixels);
    T sum[block][G::positions];
    SINTER_UNROLL
    for (int k = 0; k < block; ++k) {
      SINTER_UNROLL
      for (int p = 0; p < G::positions; ++p) sum[k][p] = G::with_bias ? T(tile.parameters[G::bias + first + k]) : T(0);
    }
    for (int c = 0; c < G::group_inputs; ++c)
      for (int ky = 0; ky < G::kernel_height; ++ky)
        for (int kx = 0; kx < G::kernel_width; ++kx) {
          T value[G::positions];
          SINTER_UNROLL
          for (int p = 0; p < G::positions; ++p) {
            const int iy = (top + p / G::pool_width) * G::stride_height + ky * G::dilation_height - G::padding_height;
            const int ix = (left + p % G::pool_width) * G::stride_width + kx * G::dilation_width - G::padding_width;
            const bool inside = !G::padded || (iy >= 0 && iy < G::in_height && ix >= 0 && ix < G::in_width);
            value[p] = inside ? T(image[(c * G::in_height + iy) * G::in_width + ix]) : T(0);
          }
          SINTER_UNROLL
          for (int k = 0; k < block; ++k) {
            const T w =
                tile.parameters[G::weight + ((first + k) * G::group_inputs + c) * G::taps + ky * G::kernel_width + kx];
            SINTER_UNROLL
            for (int p = 0; p < G::positions; ++p) sum[k][p] = fma(w, value[p], sum[k][p]);
          }
        }
    SINTER_UNROLL
    for (int k = 0; k < block; ++k)
      ride<S, G::first_rider>(tile, row, Element<G>((first + k) * G::pooled_pixels + pixel), sum[k]);
  });
}

/// Calls visit(tap, input) for what the window of output e of a pool covers, in row-major order.
template <class G, class Visit>
SINTER_FN void each_covered(const Element<G>& e, Visit&& visit) {
  for (int ky = 0; ky < G::kernel_height; ++ky)
    for (int kx = 0; kx < G::kernel_width; ++kx) {
      const int iy = e.y * G::stride_height + ky * G::dilation_height - G::padding_height;
      const int ix = e.x * G::stride_width + kx * G::dilation_width - G::padding_width;
      if (iy >= 0 && iy < G::in_height && ix >= 0 && ix < G::in_width)
        visit(ky * G::kernel_width + kx, (e.channel * G::in_height + iy) * G::in_width + ix);
    }
}

/// The largest number of each window, or their mean, in which what lies around the image counts as 0.
template <int S, class X, class Tile>
SINTER_FN void pool_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int input = Tile::Place::template input<S>;
  x.items(tile.rows * G::outputs, [&](int item) {
    const int row = item / G::outputs;
    const Element<G> e(item % G::outputs);
    const auto record = tile.record(row);
    T v[1] = {T(0)};
    if constexpr (G::source.average) {
      each_covered(e, [&](int, int i) { v[0] += T(record[input + i]); });
      v[0] = product(v[0], static_cast<T>(1.0 / G::taps));
    } else {
      int winner = -1;
      each_covered(e, [&](int tap, int i) {
        const T value = record[input + i];
        if (winner < 0 || value > v[0] || (value != value && v[0] == v[0])) {
          v[0] = value;
          winner = tap;
        }
      });
      if constexpr (Tile::training) {
        constexpr int at = Tile::Place::template winner<S>;
        record[at + e.number] = static_cast<T>(winner);
      }
    }
    ride<S, G::first_rider>(tile, row, e, v);
  });
}

/// A function of all numbers of a sample: one thread each.
template <int S, class X, class Tile>
SINTER_FN void row_forward(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  using F = typename Program<typename Tile::Model>::template OpType<G::stage.first>::Functor;
  constexpr int input = Tile::Place::template input<S>, output = Tile::Place::template output<S>;
  x.items(tile.rows, [&](int row) {
    const auto record = tile.record(row);
    using executor::in, executor::out;
    F::forward(in(record + input, G::inputs), out(record + output, G::inputs), G::inputs);
  });
}

/// Riders with nothing before them.
template <int S, class X, class Tile>
SINTER_FN void map_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int input = Tile::Place::template input<S>;
  x.items(tile.rows * G::outputs, [&](int item) {
    const int row = item / G::outputs;
    const Element<G> e(item % G::outputs);
    T v[1] = {tile.record(row)[input + e.number]};
    ride<S, G::first_rider>(tile, row, e, v);
  });
}

template <int S, class X, class Tile>
SINTER_FN void forward_stage(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  constexpr OpKind kind = G::stage.source;
  if constexpr (kind == OpKind::product && G::whole)
    matmul_forward<S>(x, tile);
  else if constexpr (kind == OpKind::product)
    convolution_forward<S>(x, tile);
  else if constexpr (kind == OpKind::pool)
    pool_forward<S>(x, tile);
  else if constexpr (kind == OpKind::row)
    row_forward<S>(x, tile);
  else
    map_forward<S>(x, tile);
}

}  // namespace gpu

SINTER_NAMESPACE_END
