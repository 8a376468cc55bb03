// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/kernels/gpu/forward.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// dx = W^T dy, passed on.
template <int S, class X, class Tile>
SINTER_FN void matmul_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = InputWork<G, Tile::expected_rows>;
  constexpr int blocks = G::inputs / W::block, gradient = Tile::Place::template gradient<S>;
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

/// Adds the parts of dx up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = InputWork<G, Tile::expected_rows>;
  x.items(tile.rows * G::inputs, [&](int item) {
    const int row = item / G::inputs, i = item % G::inputs;
    T sum = tile.partials[sums_at(tile, 0, row, G::inputs) + i];
    SINTER_UNROLL
    for (int part = 1; part < W::parts; ++part) sum += T(tile.partials[sums_at(tile, part, row, G::inputs) + i]);
    give_input_gradient<S>(tile, row, i, sum);
  });
}

/// The first and the last window of a product or a pool, in one direction, that reach a position of the input; of
/// `outputs` windows.
struct Reach {
  int begin, end;
  SINTER_FN Reach(int place, int padding, int reach, int stride, int outputs)
      : begin(place + padding - reach + stride), end((place + padding) / stride + 1) {
    begin = begin > 0 ? begin / stride : 0;
    end = end < outputs ? end : outputs;
  }
};

/// The largest number of windows of a pool, in one direction, in which a product reaches one position of its input.
SINTER_HOST_DEVICE constexpr int most_windows(int reach, int stride, int pool) {
  return (divide_up(reach, stride) + pool - 2) / pool + 1;
}

/// A tap for each of the positions of a pool's window, of which there are at most 4.
template <class G>
struct PackedTaps {
  static constexpr int bits = G::taps < 255 ? 8 : 16, none = (1 << bits) - 1;
  static_assert(G::taps < none && G::positions <= 4);
  using Type = std::conditional_t<bits == 8, std::uint32_t, std::uint64_t>;
  SINTER_FN static Type with(Type taps, int position, int tap) {
    return taps | static_cast<Type>(tap) << (bits * position);
  }
  SINTER_FN static int at(Type taps, int position) { return static_cast<int>(taps >> (bits * position)) & none; }
};

/// dx of a convolution, gathered: each number of the input reads from the windows that reach it, and from a pool's
/// windows the winners. An item is `block` channels of the input.
template <int S, class X, class Tile>
SINTER_FN void convolution_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int block =
                    block_of(G::group_inputs, 10, static_cast<long>(Tile::expected_rows) * G::groups * G::in_pixels),
                blocks = G::in_channels / block;
  constexpr int gradient = Tile::Place::template gradient<S>;
  [[maybe_unused]] constexpr int winner = Tile::Place::template winner<S>;
  constexpr int reach_height = G::reach_height, reach_width = G::reach_width;
  constexpr int high = most_windows(reach_height, G::stride_height, G::pool_height),
                wide = most_windows(reach_width, G::stride_width, G::pool_width), batch = divisor(high * wide, 9);
  const auto weights = weights_of<S>(tile);
  x.items(tile.rows * blocks * G::in_pixels, [&](int item) {
    const int pixel = item % G::in_pixels, first = item / G::in_pixels % blocks * block,
              row = item / (G::in_pixels * blocks);
    const int iy = pixel / G::in_width, ix = pixel % G::in_width;
    const int group = first / G::group_inputs, inner = first % G::group_inputs;
    const auto record = tile.record(row);
    const Reach rows(iy, G::padding_height, reach_height, G::stride_height, G::pooled_height * G::pool_height);
    const Reach columns(ix, G::padding_width, reach_width, G::stride_width, G::pooled_width * G::pool_width);
    T sum[block] = {};
    for (int w = 0; w < high * wide; w += batch) {
      // Of each window the tap by which each of its positions would reach, packed, or `none`.
      int at[batch];
      typename PackedTaps<G>::Type taps[batch];
      SINTER_UNROLL
      for (int b = 0; b < batch; ++b) {
        const int py = rows.begin / G::pool_height + (w + b) / wide,
                  px = columns.begin / G::pool_width + (w + b) % wide;
        const bool there = py * G::pool_height < rows.end && px * G::pool_width < columns.end;
        at[b] = there ? py * G::pooled_width + px : 0;
        taps[b] = 0;
        SINTER_UNROLL
        for (int p = 0; p < G::positions; ++p) {
          const int down = iy + G::padding_height - (py * G::pool_height + p / G::pool_width) * G::stride_height,
                    right = ix + G::padding_width - (px * G::pool_width + p % G::pool_width) * G::stride_width;
          const int ky = down / G::dilation_height, kx = right / G::dilation_width;
          const bool reaches = there && down >= 0 && right >= 0 && ky < G::kernel_height && kx < G::kernel_width &&
                               ky * G::dilation_height == down && kx * G::dilation_width == right;
          taps[b] = PackedTaps<G>::with(taps[b], p, reaches ? ky * G::kernel_width + kx : PackedTaps<G>::none);
        }
      }
      for (int o = group * G::group_outputs; o < (group + 1) * G::group_outputs; ++o) {
        if (is_dropped<S>(tile, row, o)) continue;
        // Reads that are issued together are waited for once. What does not reach counts 0: a branch would cost more
        // than the products that it leaves out.
        T g[batch];
        int tap[batch];
        SINTER_UNROLL
        for (int b = 0; b < batch; ++b) {
          g[b] = record[gradient + o * G::plane + at[b]];
          int won = 0;
          if constexpr (G::positions > 1) won = static_cast<int>(T(record[winner + o * G::plane + at[b]]));
          tap[b] = PackedTaps<G>::at(taps[b], won);
          if (tap[b] == PackedTaps<G>::none) {
            g[b] = T(0);
            tap[b] = 0;
          }
        }
        SINTER_UNROLL
        for (int b = 0; b < batch; ++b) {
          SINTER_UNROLL
          for (int k = 0; k < block; ++k)
            sum[k] = fma(T(weights[weight_place<G, Tile>(o, (inner + k) * G::taps + tap[b])]), g[b], sum[k]);
        }
      }
    }
    SINTER_UNROLL
    for (int k = 0; k < block; ++k) give_input_gradient<S>(tile, row, (first + k) * G::in_pixels + pixel, sum[k]);
  });
}

/// dx of a pool: of each window that reaches a number all of dy where it won, or an equal part.
template <int S, class X, class Tile>
SINTER_FN void pool_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int gradient = Tile::Place::template gradient<S>;
  [[maybe_unused]] constexpr int reach_height = G::reach_height, reach_width = G::reach_width;
  x.items(tile.rows * G::inputs, [&](int item) {
    const int row = item / G::inputs, i = item % G::inputs;
    const int channel = i / G::in_pixels, iy = i % G::in_pixels / G::in_width, ix = i % G::in_width;
    const auto record = tile.record(row);
    T sum = T(0);
    // What number `tap` of window (y, column) gets.
    const auto take = [&](int y, int column, int tap) {
      const int e = channel * G::plane + y * G::width + column;
      const T g = record[gradient + e];
      if constexpr (!G::source.average) {
        constexpr int winner = Tile::Place::template winner<S>;
        sum += static_cast<int>(T(record[winner + e])) == tap ? g : T(0);
      } else if constexpr (G::shares) {
        sum = fma(g, weight_in_mean<T>(divisor_of<G>(y, column)), sum);
      } else {
        sum += g;
      }
    };
    if constexpr (G::shares) {
      // The windows that a pixel is in are its share of all windows.
      using Side = CoveredPixels::Side;
      const CoveredPixels windows{Side::share(iy, G::in_height, G::height), Side::share(ix, G::in_width, G::width), 0};
      windows.each([&](int y, int column, int) {
        const CoveredPixels covered = share_of_image<G>(y, column);
        take(y, column, (iy - covered.rows.first) * G::kernel_width + ix - covered.columns.first);
      });
    } else {
      const Reach rows(iy, G::padding_height, reach_height, G::stride_height, G::height);
      const Reach columns(ix, G::padding_width, reach_width, G::stride_width, G::width);
      for (int y = rows.begin; y < rows.end; ++y)
        for (int column = columns.begin; column < columns.end; ++column) {
          const int down = iy + G::padding_height - y * G::stride_height,
                    right = ix + G::padding_width - column * G::stride_width;
          if (down % G::dilation_height != 0 || right % G::dilation_width != 0) continue;
          take(y, column, down / G::dilation_height * G::kernel_width + right / G::dilation_width);
        }
      if constexpr (G::source.average) sum = product(sum, weight_in_mean<T>(G::taps));
    }
    give_input_gradient<S>(tile, row, i, sum);
  });
}

/// Each input of a concat takes its part of dy. Element i of all inputs is one item: two of them may be the same value.
template <int S, class X, class Tile>
SINTER_FN void concat_input(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  constexpr int gradient = Tile::Place::template gradient<S>;
  x.items(tile.rows * G::largest_part, [&](int item) {
    const int row = item / G::largest_part, i = item % G::largest_part;
    unroll<G::parts>([&](auto k) SINTER_LAMBDA {
      constexpr int K = G::parts - 1 - decltype(k)::value;
      using R = ReadConstants<typename Tile::Model, G::stage.first, K>;
      if (i < R::size) {
        const typename Tile::T dy = tile.record(row)[gradient + Element<G>(R::begin + i).in_planes()];
        give_gradient<G::stage.first, K>(tile, row, i, dy);
      }
    });
  });
}

/// Each of two factors takes dy times the other.
template <int S, class X, class Tile>
SINTER_FN void multiply_input(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int first = G::stage.first, gradient = Tile::Place::template gradient<S>;
  constexpr int a = Tile::Place::template value<ReadConstants<typename Tile::Model, first, 0>::value>,
                b = Tile::Place::template value<ReadConstants<typename Tile::Model, first, 1>::value>;
  x.items(tile.rows * G::inputs, [&](int item) {
    const int row = item / G::inputs, i = item % G::inputs;
    const auto record = tile.record(row);
    const T dy = record[gradient + Element<G>(i).in_planes()], one = record[a + i], other = record[b + i];
    give_gradient<first, 1>(tile, row, i, product(one, dy));
    give_gradient<first, 0>(tile, row, i, product(other, dy));
  });
}

/// dx of a function of a whole sample, in place of dy.
template <int S, class X, class Tile>
SINTER_FN void row_backward(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  using F = typename Program<typename Tile::Model>::template OpType<G::stage.first>::Functor;
  constexpr int output = Tile::Place::template output<S>, gradient = Tile::Place::template gradient<S>;
  constexpr int parts = G::source.groups, size = G::inputs / parts;
  x.items(tile.rows * parts, [&](int item) {
    const auto record = tile.record(item / parts);
    const int first = item % parts * size;
    using executor::in, executor::out;
    in(record + (gradient + first), size);
    F::backward(in(record + (output + first), size), out(record + (gradient + first), size), size);
  });
}

/// Passes on a gradient that is already that of the input: for a stage of riders only, or a row.
template <int S, class X, class Tile>
SINTER_FN void map_input(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  constexpr int gradient = Tile::Place::template gradient<S>;
  x.items(tile.rows * G::inputs, [&](int item) {
    const int row = item / G::inputs, i = item % G::inputs;
    give_input_gradient<S>(tile, row, i, tile.record(row)[gradient + i]);
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
