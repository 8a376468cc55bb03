// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>

#include "sinter/kernels/gpu/product_sums.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/kernels/gpu/staged.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The largest number of windows of a pool, in one direction, in which a product reaches one position of its input.
SINTER_HOST_DEVICE constexpr int most_windows(int reach, int stride, int pool) {
  return (divide_up(reach, stride) + pool - 2) / pool + 1;
}

/// The place of a tap for each of the positions of a pool's window, of which there are at most 4.
template <class G, class At>
struct PackedTaps {
  static constexpr int bits = At::plane < 255 ? 8 : 16, none = (1 << bits) - 1;
  static_assert(At::plane < none && G::positions <= 4);
  using Type = std::conditional_t<bits == 8, std::uint32_t, std::uint64_t>;
  SINTER_FN static Type with(Type taps, int position, int tap) {
    return taps | static_cast<Type>(tap) << (bits * position);
  }
  SINTER_FN static int at(Type taps, int position) { return static_cast<int>(taps >> (bits * position)) & none; }
};

template <>
struct StageKernel<Source::convolution> {
  /// y = W * x + b. An item is a window of the pool that rides, in `block` channels.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = ForwardWork<G, Tile::expected_rows>;
    using At = Taps<G, Tile>;
    constexpr int blocks = G::channels / W::block, part_inputs = G::group_inputs / W::parts;
    constexpr int input = Tile::Record::template input<S>;
    // Neighbouring windows overlap: the lines of the image that some taps of a row reach are read once.
    constexpr int taps = divisor(G::kernel_width, 8);
    constexpr int line = (G::pool_width - 1) * G::stride_width + (taps - 1) * G::dilation_width + 1;
    const auto weights = weights_of<S>(tile);
    x.items(tile.rows * blocks * W::parts * G::pooled_pixels, [&](int item) {
      const int pixel = item % G::pooled_pixels, part = item / G::pooled_pixels % W::parts,
                first = item / (G::pooled_pixels * W::parts) % blocks * W::block,
                row = item / (G::pooled_pixels * W::parts * blocks);
      const int top = pixel / G::pooled_width * G::pool_height * G::stride_height - G::padding_height,
                left = pixel % G::pooled_width * G::pool_width * G::stride_width - G::padding_width;
      const auto image = tile.record(row) + (input + first / G::group_outputs * G::group_inputs * G::in_plane);
      T sum[W::block][G::positions];
      SINTER_UNROLL
      for (int k = 0; k < W::block; ++k) {
        const T bias = G::with_bias && part == 0 ? T(tile.parameters[G::bias + first + k]) : T(0);
        SINTER_UNROLL
        for (int p = 0; p < G::positions; ++p) sum[k][p] = bias;
      }
      const auto add_row = [&](int c, int ky) {
        for (int kx = 0; kx < G::kernel_width; kx += taps) {
          T value[G::pool_height][line];
          SINTER_UNROLL
          for (int p = 0; p < G::pool_height; ++p) {
            const int iy = top + p * G::stride_height + ky * G::dilation_height;
            SINTER_UNROLL
            for (int l = 0; l < line; ++l) {
              const int ix = left + kx * G::dilation_width + l;
              const bool inside = !G::padded || (iy >= 0 && iy < G::in_height && ix >= 0 && ix < G::in_width);
              value[p][l] = inside ? T(image[c * G::in_plane + iy * G::in_width + ix]) : T(0);
            }
          }
          SINTER_UNROLL
          for (int k = 0; k < W::block; ++k) {
            T w[taps];
            At::read(weights, At::place(first + k, c, At::place(ky, kx)), w);
            SINTER_UNROLL
            for (int t = 0; t < taps; ++t) {
              SINTER_UNROLL
              for (int p = 0; p < G::positions; ++p)
                sum[k][p] =
                    fma(w[t], value[p / G::pool_width][p % G::pool_width * G::stride_width + t * G::dilation_width],
                        sum[k][p]);
            }
          }
        }
      };
      for (int c = part * part_inputs; c < (part + 1) * part_inputs; ++c) {
        if constexpr (G::padded) {  // with the tests of several rows under way registers are too few
          SINTER_UNROLL_BY(1)
          for (int ky = 0; ky < G::kernel_height; ++ky) add_row(c, ky);
        } else {
          for (int ky = 0; ky < G::kernel_height; ++ky) add_row(c, ky);
        }
      }
      SINTER_UNROLL
      for (int k = 0; k < W::block; ++k) take_sums<S>(tile, part, row, (first + k) * G::pooled_pixels + pixel, sum[k]);
    });
  }

  /// dW, db. Each window of the pool has one number with a gradient; where that is exactly 0, as after a dropped
  /// channel or a ReLU, its taps are left out. A part has the rows of windows part, part + parts, .. of all samples.
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = WeightWork<G, Tile::expected_rows>;
    constexpr int input = Tile::Record::template input<S>, gradient = Tile::Record::template gradient<S>;
    [[maybe_unused]] constexpr int winner = Tile::Record::template winner<S>;
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
        const int line = o * G::plane + y * G::pooled_width;
        if (which >= W::items) {
          for (int px = 0; px < G::pooled_width; ++px) sum[0] += T(record[gradient + line + px]);
          continue;
        }
        for (int px = 0; px < G::pooled_width; ++px) {
          const T g = record[gradient + line + px];
          if (g == T(0)) continue;
          unsigned won = 0;  // division of a signed number takes more instructions
          if constexpr (G::positions > 1) won = static_cast<unsigned>(winner_in(T(record[winner + line + px])));
          const int down = static_cast<int>(won / G::pool_width), right = static_cast<int>(won % G::pool_width);
          const int iy = (y * G::pool_height + down) * G::stride_height + ky * G::dilation_height - G::padding_height;
          const int left = (px * G::pool_width + right) * G::stride_width - G::padding_width;
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

  /// dx of a convolution, gathered: each number of the input reads from the windows that reach it, and from a pool's
  /// windows the winners. An item is `block` channels of the input.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int block =
                      block_of(G::group_inputs, 10, static_cast<long>(Tile::expected_rows) * G::groups * G::in_pixels),
                  blocks = G::in_channels / block;
    constexpr int gradient = Tile::Record::template gradient<S>;
    [[maybe_unused]] constexpr int winner = Tile::Record::template winner<S>;
    using At = Taps<G, Tile>;
    using Packed = PackedTaps<G, At>;
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
        typename Packed::Type taps[batch];
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
            taps[b] = Packed::with(taps[b], p, reaches ? At::place(ky, kx) : Packed::none);
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
            if constexpr (G::positions > 1) won = winner_in(T(record[winner + o * G::plane + at[b]]));
            tap[b] = Packed::at(taps[b], won);
            if (tap[b] == Packed::none) {
              g[b] = T(0);
              tap[b] = 0;
            }
          }
          SINTER_UNROLL
          for (int b = 0; b < batch; ++b) {
            SINTER_UNROLL
            for (int k = 0; k < block; ++k) sum[k] = fma(T(weights[At::place(o, inner + k, tap[b])]), g[b], sum[k]);
          }
        }
      }
      SINTER_UNROLL
      for (int k = 0; k < block; ++k) give_input_gradient<S>(tile, row, (first + k) * G::in_pixels + pixel, sum[k]);
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
