// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/forward.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where part `part` of a gradient is written: to the gradient itself if there is only one part.
template <class G, class Tile>
SINTER_FN void put(const Tile& tile, int part, int offset, int number, typename Tile::T sum) {
  using W = WeightWork<G, Tile::expected_rows>;
  if constexpr (W::parts == 1) {
    tile.add_gradient(offset + number, sum);
  } else {
    const int begin = offset == G::weight ? 0 : W::weights;
    tile.partials[part * (W::weights + W::biases) + begin + number] = sum;
  }
}

/// A block of dW: of outputs o + k * lines and inputs i + l * columns, over the rows of a part.
template <int S, class Tile>
SINTER_FN void weight_block(const Tile& tile, int part, int which) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int input = Tile::Place::template input<S>, gradient = Tile::Place::template gradient<S>;
  // Neighbouring threads take neighbouring inputs, then neighbouring channels.
  constexpr int columns = G::inputs / W::line, lines = G::channels / W::block;
  const int o = which / columns, i = which % columns;
  T sum[W::block][W::line] = {};
  for (int row = part; row < tile.rows; row += W::parts) {
    const auto record = tile.record(row);
    T value[W::line];
    SINTER_UNROLL
    for (int l = 0; l < W::line; ++l) value[l] = record[input + i + l * columns];
    SINTER_UNROLL
    for (int k = 0; k < W::block; ++k) {
      const T g = record[gradient + o + k * lines];
      SINTER_UNROLL
      for (int l = 0; l < W::line; ++l) sum[k][l] = fma(g, value[l], sum[k][l]);
    }
  }
  SINTER_UNROLL
  for (int k = 0; k < W::block; ++k) {
    SINTER_UNROLL
    for (int l = 0; l < W::line; ++l)
      put<G>(tile, part, G::weight, (o + k * lines) * G::inputs + i + l * columns, sum[k][l]);
  }
}
/// The same for neighbouring outputs and inputs, which are read and written together.
template <int S, class Tile>
SINTER_FN void weight_block_by_fours(const Tile& tile, int which) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int input = Tile::Place::template input<S>, gradient = Tile::Place::template gradient<S>;
  constexpr int columns = G::inputs / W::line;
  const int o = which / columns * W::block, i = which % columns * W::line;
  T sum[W::block][W::line] = {};
  for (int row = 0; row < tile.rows; ++row) {
    const auto record = tile.record(row);
    T value[W::line], g[W::block];
    executor::read_together(record + (input + i), value);
    executor::read_together(record + (gradient + o), g);
    SINTER_UNROLL
    for (int k = 0; k < W::block; ++k) {
      SINTER_UNROLL
      for (int l = 0; l < W::line; ++l) sum[k][l] = fma(g[k], value[l], sum[k][l]);
    }
  }
  SINTER_UNROLL
  for (int k = 0; k < W::block; ++k) {
    const auto to = tile.gradient + (G::weight + (o + k) * G::inputs + i);
    if (tile.adds) {
      T before[W::line];
      executor::read_together(to, before);
      SINTER_UNROLL
      for (int l = 0; l < W::line; ++l) sum[k][l] = before[l] + sum[k][l];
    }
    SINTER_UNROLL
    for (int l = 0; l < W::line; ++l) tile.look_at(sum[k][l]);
    executor::write_together(to, sum[k]);
  }
}

/// dW += dy x^T, db += dy, over the rows of a part: rows part, part + parts, ..
template <int S, class X, class Tile>
SINTER_FN void matmul_weight(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int gradient = Tile::Place::template gradient<S>;
  x.items(W::parts * (W::items + W::biases), [&](int item) {
    const int part = item / (W::items + W::biases), which = item % (W::items + W::biases);
    if (which < W::items) {
      if constexpr (W::by_fours)
        weight_block_by_fours<S>(tile, which);
      else
        weight_block<S>(tile, part, which);
    } else {
      const int o = which - W::items;
      T sum = T(0);
      for (int row = part; row < tile.rows; row += W::parts) sum += T(tile.record(row)[gradient + o]);
      put<G>(tile, part, G::bias, o, sum);
    }
  });
}

/// dW, db of a convolution. Each window of the pool has one number with a gradient; where that is exactly 0, as after a
/// dropped channel or a ReLU, its taps are left out. A part has the rows of windows part, part + parts, .. of all
/// samples.
template <int S, class X, class Tile>
SINTER_FN void convolution_weight(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int input = Tile::Place::template input<S>, gradient = Tile::Place::template gradient<S>;
  [[maybe_unused]] constexpr int winner = Tile::Place::template winner<S>;
  constexpr int taps = G::kernel_width / W::line_taps, inputs = G::group_inputs / W::line_channels;
  x.items(W::parts * (W::items + W::biases), [&](int item) {
    const int part = item / (W::items + W::biases), which = item % (W::items + W::biases);
    const int o = which < W::items ? which / (W::items / G::channels) : which - W::items;
    const int c = which / (taps * G::kernel_height) % inputs * W::line_channels, ky = which / taps % G::kernel_height,
              kx = which % taps * W::line_taps;
    T sum[W::line] = {};
    for (int windows = part; windows < tile.rows * G::pooled_height; windows += W::parts) {
      const int row = windows / G::pooled_height, y = windows % G::pooled_height;
      if (is_dropped<S>(tile, row, o)) continue;
      const auto record = tile.record(row);
      const auto image = record + (input + (o / G::group_outputs * G::group_inputs + c) * G::in_plane);
      for (int px = 0; px < G::pooled_width; ++px) {
        const int e = o * G::plane + y * G::pooled_width + px;
        const T g = record[gradient + e];
        if (which >= W::items) {
          sum[0] += g;
          continue;
        }
        if (g == T(0)) continue;
        int won = 0;
        if constexpr (G::positions > 1) won = static_cast<int>(T(record[winner + e]));
        const int iy =
            (y * G::pool_height + won / G::pool_width) * G::stride_height + ky * G::dilation_height - G::padding_height;
        const int left = (px * G::pool_width + won % G::pool_width) * G::stride_width - G::padding_width;
        if (G::padded && (iy < 0 || iy >= G::in_height)) continue;
        SINTER_UNROLL
        for (int l = 0; l < W::line; ++l) {
          const int ix = left + (kx + l % W::line_taps) * G::dilation_width;
          const bool inside = !G::padded || (ix >= 0 && ix < G::in_width);
          const T value = inside ? T(image[l / W::line_taps * G::in_plane + iy * G::in_width + ix]) : T(0);
          sum[l] = fma(g, value, sum[l]);
        }
      }
    }
    if (which >= W::items) {
      put<G>(tile, part, G::bias, o, sum[0]);
    } else {
      const int first = (o * G::group_inputs + c) * G::taps + ky * G::kernel_width + kx;
      SINTER_UNROLL
      for (int l = 0; l < W::line; ++l)
        put<G>(tile, part, G::weight, first + l / W::line_taps * G::taps + l % W::line_taps, sum[l]);
    }
  });
}

/// Adds the parts of a weight gradient up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_weight(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int all = W::weights + W::biases;
  x.items(all, [&](int i) {
    T sum = tile.partials[i];
    [[maybe_unused]] constexpr int ahead = W::grid ? 32 : 8;  // reads that overlap
    SINTER_UNROLL_BY(ahead)
    for (int part = 1; part < W::parts; ++part) sum += T(tile.partials[part * all + i]);
    tile.add_gradient(i < W::weights ? G::weight + i : G::bias + i - W::weights, sum);
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
