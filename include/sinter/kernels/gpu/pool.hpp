// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The region of the image that window (y, x) of a pool is.
template <class G>
SINTER_FN CoveredPixels region_of_image(int y, int x) {
  using Side = CoveredPixels::Side;
  return {Side::region(y, G::height, G::in_height), Side::region(x, G::width, G::in_width), G::kernel_width};
}

/// Calls visit(tap, input) for what the window of output e of a pool covers, in row-major order. Windows
/// are not CoveredPixels: loops of constant lengths are unrolled.
template <class G, class Visit>
SINTER_FN void each_covered(const Element<G>& e, Visit&& visit) {
  if constexpr (G::uneven) {
    region_of_image<G>(e.y, e.x).each(
        [&](int iy, int ix, int tap) { visit(tap, e.channel * G::in_plane + iy * G::in_width + ix); });
  } else {
    for (int ky = 0; ky < G::kernel_height; ++ky)
      for (int kx = 0; kx < G::kernel_width; ++kx) {
        const int iy = e.y * G::stride_height + ky * G::dilation_height - G::padding_height;
        const int ix = e.x * G::stride_width + kx * G::dilation_width - G::padding_width;
        if (iy >= 0 && iy < G::in_height && ix >= 0 && ix < G::in_width)
          visit(ky * G::kernel_width + kx, e.channel * G::in_plane + iy * G::in_width + ix);
      }
  }
}

/// The divisor of the mean of window (y, x).
template <class G>
SINTER_FN int divisor_of(int y, int x) {
  if constexpr (G::uneven)
    return region_of_image<G>(y, x).divisor;
  else
    return G::taps;
}

template <>
struct StageKernel<Source::pool> {
  /// The largest number of each window, or their mean, in which pixels outside the image count as 0.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int input = Tile::Record::template input<S>;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs;
      const Element<G> e(item % G::outputs);
      const auto record = tile.record(row);
      T v[1] = {T(0)};
      if constexpr (G::source.average) {
        each_covered(e, [&](int, int i) { v[0] += T(record[input + i]); });
        v[0] = product(v[0], weight_in_mean<T>(divisor_of<G>(e.y, e.x)));
      } else {
        LargestElement<T, int> largest;
        each_covered(e, [&](int tap, int i) { largest.take(T(record[input + i]), tap); });
        v[0] = largest.value;
        if constexpr (Tile::training) {
          constexpr int at = Tile::Record::template winner<S>;
          record[at + e.in_planes()] = kept_winner<T>(largest.number);
        }
      }
      ride<S, G::first_rider>(tile, row, e, v);
    });
  }

  /// dx of a pool: of each window that reaches a number all of dy where it won, or an equal part.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    constexpr int gradient = Tile::Record::template gradient<S>;
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
          constexpr int winner = Tile::Record::template winner<S>;
          sum += winner_in(T(record[winner + e])) == tap ? g : T(0);
        } else if constexpr (G::uneven) {
          sum = fma(g, weight_in_mean<T>(divisor_of<G>(y, column)), sum);
        } else {
          sum += g;
        }
      };
      if constexpr (G::uneven) {
        // The windows that a pixel is in are its region of all windows.
        using Side = CoveredPixels::Side;
        const CoveredPixels windows{Side::region(iy, G::in_height, G::height), Side::region(ix, G::in_width, G::width),
                                    0};
        windows.each([&](int y, int column, int) {
          const CoveredPixels covered = region_of_image<G>(y, column);
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
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
