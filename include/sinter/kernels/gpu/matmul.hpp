// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/product_sums.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A block of dW: of outputs o + k * lines and inputs i + l * columns, over the rows of a part.
template <int S, class Tile>
SINTER_FN void weight_block(const Tile& tile, int part, int which) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  constexpr int input = Tile::Record::template input<S>, gradient = Tile::Record::template gradient<S>;
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
  constexpr int input = Tile::Record::template input<S>, gradient = Tile::Record::template gradient<S>;
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

template <>
struct StageKernel<Source::matmul> {
  /// y = W x + b.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = ForwardWork<G, Tile::expected_rows>;
    constexpr int input = Tile::Record::template input<S>;
    const int row_blocks = divide_up(tile.rows, W::rows);
    // With many rows neighbouring threads take neighbouring rows: their weights are one broadcast.
    x.items(row_blocks * (G::channels / W::block) * W::parts, [&](int item) {
      const int part = item % W::parts, row = item / W::parts % row_blocks,
                first = item / (W::parts * row_blocks) * W::block;
      T sum[W::block][W::rows];
      SINTER_UNROLL
      for (int k = 0; k < W::block; ++k) {
        SINTER_UNROLL
        for (int r = 0; r < W::rows; ++r)
          sum[k][r] = G::with_bias && part == 0 ? T(tile.parameters[G::bias + first + k]) : T(0);
      }
      constexpr int n = W::together;
      [[maybe_unused]] constexpr int ahead = (sizeof(T) > 4 ? 4 : 8) / n;  // more would not fit the registers
      SINTER_UNROLL_BY(ahead)
      for (int i = part * n; i < G::inputs; i += W::parts * n) {
        T value[W::rows][n];
        SINTER_UNROLL
        for (int r = 0; r < W::rows; ++r)
          executor::read_together(tile.record(smaller(row + r * row_blocks, tile.rows - 1)) + (input + i), value[r]);
        SINTER_UNROLL
        for (int k = 0; k < W::block; ++k) {
          T w[n];
          executor::read_together(tile.parameters + (G::weight + (first + k) * G::inputs + i), w);
          SINTER_UNROLL
          for (int l = 0; l < n; ++l) {
            SINTER_UNROLL
            for (int r = 0; r < W::rows; ++r) sum[k][r] = fma(w[l], value[r][l], sum[k][r]);
          }
        }
      }
      SINTER_UNROLL
      for (int r = 0; r < W::rows; ++r) {
        const int at = row + r * row_blocks;
        if (at >= tile.rows) break;
        SINTER_UNROLL
        for (int k = 0; k < W::block; ++k) {
          T v[1] = {sum[k][r]};
          take_sums<S>(tile, part, at, first + k, v);
        }
      }
    });
  }

  /// dW += dy x^T, db += dy, over the rows of a part: rows part, part + parts, ..
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = WeightWork<G, Tile::expected_rows>;
    constexpr int gradient = Tile::Record::template gradient<S>;
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

  /// dx = W^T dy, passed on.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = InputWork<G, Tile::expected_rows>;
    constexpr int blocks = G::inputs / W::block, gradient = Tile::Record::template gradient<S>;
    const int row_blocks = divide_up(tile.rows, W::rows);
    x.items(row_blocks * blocks * W::parts, [&](int item) {
      // With few rows neighbouring threads take neighbouring inputs: the weights they read are in one cache line.
      const int row = W::few ? item / (blocks * W::parts) : item % row_blocks, rest = W::few ? item : item / row_blocks,
                first = rest % blocks * W::block, part = rest / blocks % W::parts;
      T sum[W::block][W::rows] = {};
      constexpr int n = W::together;
      [[maybe_unused]] constexpr int ahead = (sizeof(T) > 4 ? 4 : 8) / n;  // more would not fit the registers
      SINTER_UNROLL_BY(ahead)
      for (int o = part * n; o < G::channels; o += W::parts * n) {
        T g[W::rows][n];
        SINTER_UNROLL
        for (int r = 0; r < W::rows; ++r)
          executor::read_together(tile.record(smaller(row + r * row_blocks, tile.rows - 1)) + (gradient + o), g[r]);
        SINTER_UNROLL
        for (int l = 0; l < n; ++l) {
          T w[W::block];
          const auto weights = tile.parameters + (G::weight + (o + l) * G::inputs + first);
          if constexpr (W::some) {
            executor::read_together(weights, w);
          } else {
            SINTER_UNROLL
            for (int k = 0; k < W::block; ++k) w[k] = weights[k];
          }
          SINTER_UNROLL
          for (int k = 0; k < W::block; ++k) {
            SINTER_UNROLL
            for (int r = 0; r < W::rows; ++r) sum[k][r] = fma(w[k], g[r][l], sum[k][r]);
          }
        }
      }
      SINTER_UNROLL
      for (int r = 0; r < W::rows; ++r) {
        const int at = row + r * row_blocks;
        if (at >= tile.rows) break;
        SINTER_UNROLL
        for (int k = 0; k < W::block; ++k) {
          if constexpr (W::parts > 1)
            tile.partials[sums_at(tile, part, at, G::inputs) + first + k] = sum[k][r];
          else
            give_input_gradient<S>(tile, at, first + k, sum[k][r]);
        }
      }
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
