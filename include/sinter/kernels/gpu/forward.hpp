// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/batch_norm.hpp"
#include "sinter/kernels/gpu/index_map.hpp"
#include "sinter/kernels/gpu/lookup.hpp"
#include "sinter/kernels/gpu/matrix_product.hpp"
#include "sinter/kernels/gpu/recurrence.hpp"
#include "sinter/kernels/gpu/staged.hpp"
#include "sinter/kernels/gpu/transposed_convolution.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where part `part` of the sums of a row begins, of `n` sums for each row: neighbours, which have the same sum of
/// other parts or rows, find it in different banks.
template <class Tile>
SINTER_FN int sums_at(const Tile& tile, int part, int row, int n) {
  if constexpr (Tile::expected_rows <= Expected::few)
    return part * (tile.rows * n | 1) + row * n;
  else
    return part * (tile.rows * (n | 1) + between_parts) + row * (n | 1);
}

/// Output e of a product, the numbers of a pool's window or one: its riders run, or it waits for the other parts.
template <int S, class Tile, int N>
SINTER_FN void take_sums(const Tile& tile, int part, int row, int e, typename Tile::T (&v)[N]) {
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  if constexpr (W::parts > 1) {
    SINTER_UNROLL
    for (int p = 0; p < N; ++p) tile.partials[sums_at(tile, part, row, W::outputs) + p * G::outputs + e] = v[p];
  } else {
    ride<S, G::first_rider>(tile, row, Element<G>(e), v);
  }
}

/// y = W x + b.
template <int S, class X, class Tile>
SINTER_FN void matmul_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  constexpr int input = Tile::Place::template input<S>;
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

/// y = W * x + b. An item is a window of the pool that rides, in `block` channels.
template <int S, class X, class Tile>
SINTER_FN void convolution_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  constexpr int blocks = G::channels / W::block, part_inputs = G::group_inputs / W::parts;
  constexpr int input = Tile::Place::template input<S>;
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
        for (int t = 0; t < taps; ++t) {
          SINTER_UNROLL
          for (int k = 0; k < W::block; ++k) {
            const T w = weights[weight_place<G, Tile>(first + k, c * G::taps + ky * G::kernel_width + kx + t)];
            SINTER_UNROLL
            for (int p = 0; p < G::positions; ++p)
              sum[k][p] = fma(w, value[p / G::pool_width][p % G::pool_width * G::stride_width + t * G::dilation_width],
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

/// Adds the parts of the sums of a product up, in their order.
template <int S, class X, class Tile>
SINTER_FN void sum_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  x.items(tile.rows * G::outputs, [&](int item) {
    const int row = item / G::outputs, e = item % G::outputs;
    T v[G::positions];
    SINTER_UNROLL
    for (int p = 0; p < G::positions; ++p) {
      v[p] = tile.partials[sums_at(tile, 0, row, W::outputs) + p * G::outputs + e];
      SINTER_UNROLL_BY(8)
      for (int part = 1; part < W::parts; ++part)
        v[p] += T(tile.partials[sums_at(tile, part, row, W::outputs) + p * G::outputs + e]);
    }
    ride<S, G::first_rider>(tile, row, Element<G>(e), v);
  });
}

/// The share of the image that window (y, x) of a pool is.
template <class G>
SINTER_FN CoveredPixels share_of_image(int y, int x) {
  using Side = CoveredPixels::Side;
  return {Side::share(y, G::height, G::in_height), Side::share(x, G::width, G::in_width), G::kernel_width};
}

/// Calls visit(tap, input) for what the window of output e of a pool covers, in row-major order. Windows
/// are not CoveredPixels: loops of constant lengths are unrolled.
template <class G, class Visit>
SINTER_FN void each_covered(const Element<G>& e, Visit&& visit) {
  if constexpr (G::shares) {
    share_of_image<G>(e.y, e.x).each(
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
  if constexpr (G::shares)
    return share_of_image<G>(y, x).divisor;
  else
    return G::taps;
}

/// The largest number of each window, or their mean, in which pixels outside the image count as 0.
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
      v[0] = product(v[0], weight_in_mean<T>(divisor_of<G>(e.y, e.x)));
    } else {
      LargestElement<T, int> largest;
      each_covered(e, [&](int tap, int i) { largest.take(T(record[input + i]), tap); });
      v[0] = largest.value;
      if constexpr (Tile::training) {
        constexpr int at = Tile::Place::template winner<S>;
        record[at + e.in_planes()] = static_cast<T>(largest.number);
      }
    }
    ride<S, G::first_rider>(tile, row, e, v);
  });
}

/// Several values in one, channel by channel.
template <int S, class X, class Tile>
SINTER_FN void concat_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  unroll<G::parts>([&](auto k) SINTER_LAMBDA {
    using R = ReadConstants<typename Tile::Model, G::stage.first, decltype(k)::value>;
    constexpr int input = Tile::Place::template value<R::value>;
    x.items(tile.rows * R::size, [&](int item) {
      const int row = item / R::size, i = item % R::size;
      T v[1] = {tile.record(row)[input + i]};
      ride<S, G::first_rider>(tile, row, Element<G>(R::begin + i), v);
    });
  });
}

/// Two values, element by element.
template <int S, class X, class Tile>
SINTER_FN void multiply_forward(X& x, const Tile& tile) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int a = Tile::Place::template value<ReadConstants<typename Tile::Model, G::stage.first, 0>::value>,
                b = Tile::Place::template value<ReadConstants<typename Tile::Model, G::stage.first, 1>::value>;
  x.items(tile.rows * G::outputs, [&](int item) {
    const int row = item / G::outputs, i = item % G::outputs;
    const auto record = tile.record(row);
    T v[1] = {product(T(record[a + i]), T(record[b + i]))};
    ride<S, G::first_rider>(tile, row, Element<G>(i), v);
  });
}

/// A function of all numbers of a sample, or of a row of them: one thread each.
template <int S, class X, class Tile>
SINTER_FN void row_forward(X& x, const Tile& tile) {
  using G = typename Tile::template At<S>;
  using F = typename Program<typename Tile::Model>::template OpType<G::stage.first>::Functor;
  constexpr int input = Tile::Place::template input<S>, output = Tile::Place::template output<S>;
  constexpr int parts = G::source.groups, size = G::inputs / parts;
  x.items(tile.rows * parts, [&](int item) {
    const auto record = tile.record(item / parts);
    const int first = item % parts * size;
    using executor::in, executor::out;
    F::forward(in(record + (input + first), size), out(record + (output + first), size), size);
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
  constexpr Source source = G::stage.source;
  if constexpr (source == Source::matmul)
    matmul_forward<S>(x, tile);
  else if constexpr (source == Source::convolution)
    convolution_forward<S>(x, tile);
  else if constexpr (source == Source::pool)
    pool_forward<S>(x, tile);
  else if constexpr (source == Source::row)
    row_forward<S>(x, tile);
  else if constexpr (source == Source::concat)
    concat_forward<S>(x, tile);
  else if constexpr (source == Source::transposed)
    transposed_forward<S>(x, tile);
  else if constexpr (source == Source::lookup)
    lookup_forward<S>(x, tile);
  else if constexpr (source == Source::multiply)
    multiply_forward<S>(x, tile);
  else if constexpr (source == Source::index_map)
    index_map_forward<S>(x, tile);
  else if constexpr (source == Source::matrix_product)
    matrix_product_forward<S>(x, tile);
  else if constexpr (source == Source::recurrence)
    recurrence_forward<S>(x, tile);
  else if constexpr (source == Source::normalize)
    batch_norm_forward<S>(x, tile);
  else if constexpr (source == Source::group_normalize)
    group_norm_forward<S>(x, tile);
  else {
    static_assert(source == Source::map, "sinter: the Cuda device has no kernel for this kind of op");
    map_forward<S>(x, tile);
  }
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
