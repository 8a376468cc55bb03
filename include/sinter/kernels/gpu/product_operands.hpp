// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/forward.hpp"
#include "sinter/kernels/gpu/input_gradient.hpp"
#include "sinter/kernels/gpu/shared_product.hpp"
#include "sinter/kernels/gpu/weight_gradient.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The columns of a product: outputs of all rows before the pool, those of a window together. Of a whole product each
/// row has one.
template <class G>
struct ProductColumns {
  static constexpr int of_row = G::whole ? 1 : G::pooled_pixels * G::positions;

  int row, pixel, position;  // of the pooled image, and of its window
  SINTER_FN explicit ProductColumns(int column)
      : row(column / of_row), pixel(column % of_row / G::positions), position(column % G::positions) {}
  SINTER_FN int y() const { return pixel / G::pooled_width * G::pool_height + position / G::pool_width; }
  SINTER_FN int x() const { return pixel % G::pooled_width * G::pool_width + position % G::pool_width; }
};

/// How a sum over the channels and the taps of a window is ordered: taps outside, where a slice of it then has one tap,
/// whose place in the image is computed once for the slice.
template <class G, int Channels, int Depth>
struct WindowOrder {
  static constexpr bool by_taps = Channels % Depth == 0;
  SINTER_FN static int channel(int k) { return by_taps ? k % Channels : k / G::taps; }
  SINTER_FN static int tap(int k) { return by_taps ? k / Channels : k % G::taps; }
};

/// What tap `tap` of the window of a column reads in the image of its row: where, and whether it is inside.
template <class G>
struct WindowTap {
  int pixel;
  bool inside;
  SINTER_FN WindowTap(int tap, const ProductColumns<G>& at) {
    const int iy = at.y() * G::stride_height + tap / G::kernel_width * G::dilation_height - G::padding_height,
              ix = at.x() * G::stride_width + tap % G::kernel_width * G::dilation_width - G::padding_width;
    inside = !G::padded || (iy >= 0 && iy < G::in_height && ix >= 0 && ix < G::in_width);
    pixel = inside ? iy * G::in_width + ix : 0;
  }
};

/// The gradient of channel o before the pool: that of its window where it won.
template <int S, class Tile>
SINTER_FN typename Tile::T slope(const Tile& tile, int o, const ProductColumns<typename Tile::template At<S>>& at) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  constexpr int gradient = Tile::Place::template gradient<S>;
  const auto record = tile.record(at.row);
  const int e = G::whole ? o : o * G::plane + at.pixel;
  if constexpr (G::positions > 1) {
    constexpr int winner = Tile::Place::template winner<S>;
    if (static_cast<int>(T(record[winner + e])) != at.position) return T(0);
  }
  return record[gradient + e];
}

/// y = W x + b: channels, and columns of all rows.
template <int S, class Tile>
struct ForwardOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  using Columns = ProductColumns<G>;
  static constexpr int m = G::channels, parts = W::parts;
  static constexpr bool a_along_k = true, b_along_k = G::whole;
  using Order = WindowOrder<G, G::in_channels, PieceShape::depth<T, m>>;

  const Tile& tile;

  SINTER_FN int n() const { return tile.rows * Columns::of_row; }
  SINTER_FN static constexpr int k() { return G::fan_in; }
  SINTER_FN T a(int o, int k) const {
    const int i = G::whole ? k : Order::channel(k) * G::taps + Order::tap(k);
    return tile.parameters[G::weight + o * G::fan_in + i];
  }
  SINTER_FN auto b(int k, int column) const {
    constexpr int input = Tile::Place::template input<S>;
    const Columns at(column);
    const auto image = tile.record(at.row) + input;
    if constexpr (G::whole) {
      return [image, k](int i) SINTER_LAMBDA { return T(image[k + i]); };
    } else if constexpr (Order::by_taps) {
      const WindowTap<G> from(Order::tap(k), at);
      const auto first = image + (Order::channel(k) * G::in_plane + from.pixel);
      return [first, inside = from.inside](int i) SINTER_LAMBDA { return inside ? T(first[i * G::in_plane]) : T(0); };
    } else {
      return [image, k, at](int i) SINTER_LAMBDA {
        const WindowTap<G> from(Order::tap(k + i), at);
        return from.inside ? T(image[Order::channel(k + i) * G::in_plane + from.pixel]) : T(0);
      };
    }
  }
  SINTER_FN void take(int part, int o, int first, T (&v)[4]) const {
    const T bias = G::with_bias && part == 0 ? T(tile.parameters[G::bias + o]) : T(0);
    SINTER_UNROLL
    for (int j = 0; j < 4; j += G::positions) {
      if (first + j >= n()) break;
      T window[G::positions];
      SINTER_UNROLL
      for (int p = 0; p < G::positions; ++p) window[p] = v[j + p] + bias;
      const Columns at(first + j);
      take_sums<S>(tile, part, at.row, G::whole ? o : o * G::pooled_pixels + at.pixel, window);
    }
  }
};

/// Which output reads a pixel of the input by a tap, if there is one.
template <class G>
struct ReachedOutput {
  ProductColumns<G> at{0};
  bool inside = false;
  SINTER_FN ReachedOutput(int tap, int column) {
    const int iy = column % G::in_pixels / G::in_width, ix = column % G::in_pixels % G::in_width;
    const int down = iy + G::padding_height - tap / G::kernel_width * G::dilation_height,
              right = ix + G::padding_width - tap % G::kernel_width * G::dilation_width;
    if (down < 0 || right < 0 || down % G::stride_height != 0 || right % G::stride_width != 0) return;
    const int y = down / G::stride_height, x = right / G::stride_width;
    if (y >= G::pooled_height * G::pool_height || x >= G::pooled_width * G::pool_width) return;
    inside = true;
    at.row = column / G::in_pixels;
    at.pixel = y / G::pool_height * G::pooled_width + x / G::pool_width;
    at.position = y % G::pool_height * G::pool_width + x % G::pool_width;
  }
};

/// dx = W^T dy: channels of the input, and its pixels of all rows.
template <int S, class Tile>
struct InputOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = InputWork<G, Tile::expected_rows>;
  using Reached = ReachedOutput<G>;
  static constexpr int of_row = G::whole ? 1 : G::in_pixels, m = G::whole ? G::inputs : G::in_channels,
                       parts = W::parts;
  static constexpr bool a_along_k = !G::whole, b_along_k = G::whole;
  using Order = WindowOrder<G, G::channels, PieceShape::depth<T, m>>;

  const Tile& tile;

  SINTER_FN int n() const { return tile.rows * of_row; }
  SINTER_FN static constexpr int k() { return G::whole ? G::channels : G::channels * G::taps; }
  SINTER_FN T a(int c, int k) const {
    if constexpr (G::whole)
      return tile.parameters[G::weight + k * G::inputs + c];
    else
      return tile.parameters[G::weight + Order::channel(k) * G::fan_in + c * G::taps + Order::tap(k)];
  }
  SINTER_FN auto b(int k, int column) const {
    if constexpr (G::whole) {
      constexpr int gradient = Tile::Place::template gradient<S>;
      const auto dy = tile.record(column) + gradient;
      return [dy, k](int i) SINTER_LAMBDA { return T(dy[k + i]); };
    } else if constexpr (Order::by_taps) {
      const Tile& own = tile;
      const Reached from(Order::tap(k), column);
      return [&own, from, o = Order::channel(k)](int i)
                 SINTER_LAMBDA { return from.inside ? slope<S>(own, o + i, from.at) : T(0); };
    } else {
      const Tile& own = tile;
      return [&own, k, column](int i) SINTER_LAMBDA {
        const Reached from(Order::tap(k + i), column);
        return from.inside ? slope<S>(own, Order::channel(k + i), from.at) : T(0);
      };
    }
  }
  SINTER_FN void take(int part, int c, int first, T (&v)[4]) const {
    SINTER_UNROLL
    for (int j = 0; j < 4; ++j) {
      if (first + j >= n()) break;
      const int row = (first + j) / of_row, e = c * of_row + (first + j) % of_row;
      if constexpr (parts > 1)
        tile.partials[sums_at(tile, part, row, G::inputs) + e] = v[j];
      else
        give_input_gradient<S>(tile, row, e, v[j]);
    }
  }
};

/// dW = dy x^T: channels, and their weights with the bias as the last one, over the columns of all rows.
template <int S, class Tile>
struct WeightOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  using Columns = ProductColumns<G>;
  static constexpr int m = G::channels, parts = W::parts;
  static constexpr bool a_along_k = !G::whole, b_along_k = !G::whole;

  const Tile& tile;

  SINTER_FN static constexpr int n() { return G::fan_in + (G::with_bias ? 1 : 0); }
  SINTER_FN int k() const { return tile.rows * Columns::of_row; }
  SINTER_FN T a(int o, int column) const { return slope<S>(tile, o, Columns(column)); }
  SINTER_FN auto b(int column, int i) const {
    constexpr int input = Tile::Place::template input<S>;
    const Tile& own = tile;
    return [&own, column, i](int k) SINTER_LAMBDA {
      if (G::with_bias && i == G::fan_in) return T(1);
      const Columns at(column + k);
      if constexpr (G::whole) {
        return T(own.record(at.row)[input + i]);
      } else {
        const WindowTap<G> from(i % G::taps, at);
        return from.inside ? T(own.record(at.row)[input + i / G::taps * G::in_plane + from.pixel]) : T(0);
      }
    };
  }
  SINTER_FN void take(int part, int o, int first, T (&v)[4]) const {
    SINTER_UNROLL
    for (int j = 0; j < 4; ++j) {
      if (first + j < G::fan_in)
        put<G>(tile, part, G::weight, o * G::fan_in + first + j, v[j]);
      else if (first + j < n())
        put<G>(tile, part, G::bias, o, v[j]);
    }
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
