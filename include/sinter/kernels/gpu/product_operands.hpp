// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "sinter/kernels/gpu/product_sums.hpp"
#include "sinter/kernels/gpu/shared_product.hpp"

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

/// The window of an output in the image of its row: where it begins, which may be outside, and which of its taps are
/// inside, a bit for each where 32 are enough.
template <class G>
struct WindowTaps {
  static constexpr bool has_bits = G::padded && G::taps <= 32;

  int y, x;
  std::uint32_t inside_bits;
  WindowTaps() = default;
  SINTER_FN explicit WindowTaps(const ProductColumns<G>& at)
      : y(at.y() * G::stride_height - G::padding_height),
        x(at.x() * G::stride_width - G::padding_width),
        inside_bits(0) {
    if constexpr (has_bits) {
      std::uint32_t line = 0;
      SINTER_UNROLL
      for (int kx = 0; kx < G::kernel_width; ++kx)
        line |= is_in(x + kx * G::dilation_width, G::in_width) ? 1u << kx : 0u;
      SINTER_UNROLL
      for (int ky = 0; ky < G::kernel_height; ++ky)
        inside_bits |= is_in(y + ky * G::dilation_height, G::in_height) ? line << ky * G::kernel_width : 0u;
    }
  }
  SINTER_FN int begin() const { return y * G::in_width + x; }
  SINTER_FN bool inside(int tap) const {
    if constexpr (!G::padded) return true;
    if constexpr (has_bits) return (inside_bits >> tap & 1u) != 0;
    return is_in(y + tap / G::kernel_width * G::dilation_height, G::in_height) &&
           is_in(x + tap % G::kernel_width * G::dilation_width, G::in_width);
  }
  /// From the beginning of a window to a tap, in any image.
  SINTER_FN static int to(int tap) {
    return tap / G::kernel_width * (G::dilation_height * G::in_width) + tap % G::kernel_width * G::dilation_width;
  }

 private:
  SINTER_FN static bool is_in(int place, int size) { return place >= 0 && place < size; }
};

/// The gradients of the channels at a pixel before the pool: of its window, where it won.
template <int S, class Tile>
struct Slopes {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  typename std::decay_t<decltype(std::declval<const Tile&>().record(0))> record;
  int pixel, position;

  /// Both are read at once: a branch between them takes longer. A position of -1 never won.
  SINTER_FN T operator()(int o) const {
    constexpr int gradient = Tile::Record::template gradient<S>;
    const auto at = record + (G::whole ? o : o * G::plane + pixel);
    const T dy = at[gradient];
    if constexpr (G::positions > 1) {
      constexpr int winner = Tile::Record::template winner<S>;
      const T won = at[winner];
      return winner_in(won) == position ? dy : T(0);
    } else {
      return G::whole || position == 0 ? dy : T(0);
    }
  }
};

/// y = W x + b: channels, and columns of all rows.
template <int S, class Tile>
struct ForwardOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = ForwardWork<G, Tile::expected_rows>;
  using Shape = typename W::template Shape<T, Tile::products>;
  using Columns = ProductColumns<G>;
  using Window = WindowTaps<G>;
  static constexpr int m = G::channels, parts = W::parts;
  static constexpr bool a_along_k = true, b_along_k = G::whole, whole_slices = G::fan_in % Shape::depth == 0,
                        sums_rows = false;
  using Order = WindowOrder<G, G::in_channels, Shape::depth>;
  struct Column {
    int row;
    Window window;
  };

  const Tile& tile;

  SINTER_FN int n() const { return tile.rows * Columns::of_row; }
  SINTER_FN static constexpr int k() { return G::fan_in; }
  SINTER_FN auto a(int k) const {
    const auto weights = tile.parameters + (G::weight + (G::whole ? k : Order::channel(k) * G::taps + Order::tap(k)));
    return [weights](int o) SINTER_LAMBDA { return T(weights[o * G::fan_in]); };
  }
  SINTER_FN Column column(int n) const {
    const Columns at(n);
    return {at.row, Window(at)};
  }
  SINTER_FN auto b(int k) const {
    const Tile& own = tile;
    return [&own, k](const Column& column) SINTER_LAMBDA { return T(image(own, column)[k]); };
  }
  SINTER_FN auto b(int k, const Column& column) const {
    const auto read = image(tile, column);
    if constexpr (Order::by_taps) {
      const int tap = Order::tap(k);
      const bool inside = column.window.inside(tap);
      const auto from =
          read + (Order::channel(k) * G::in_plane + (inside ? column.window.begin() + Window::to(tap) : 0));
      return [from, inside](int i) SINTER_LAMBDA { return inside ? T(from[i * G::in_plane]) : T(0); };
    } else {
      return [read, k, window = column.window](int i) SINTER_LAMBDA {
        const int tap = Order::tap(k + i), from = Order::channel(k + i) * G::in_plane + window.begin();
        return window.inside(tap) ? T(read[from + Window::to(tap)]) : T(0);
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

 private:
  SINTER_FN static auto image(const Tile& tile, const Column& column) {
    constexpr int input = Tile::Record::template input<S>;
    return tile.record(column.row) + input;
  }
};

/// dx = W^T dy: channels of the input, and its pixels of all rows.
template <int S, class Tile>
struct InputOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = InputWork<G, Tile::expected_rows>;
  using Shape = typename W::template Shape<T, Tile::products>;
  static constexpr int of_row = G::whole ? 1 : G::in_pixels, m = G::whole ? G::inputs : G::in_channels,
                       terms = G::whole ? G::channels : G::channels * G::taps, parts = W::parts;
  static constexpr bool a_along_k = !G::whole, b_along_k = G::whole, whole_slices = terms % Shape::depth == 0,
                        sums_rows = false;
  using Order = WindowOrder<G, G::channels, Shape::depth>;
  /// A pixel, with the padding before it.
  struct Column {
    int row, y, x;
  };

  const Tile& tile;

  SINTER_FN int n() const { return tile.rows * of_row; }
  SINTER_FN static constexpr int k() { return terms; }
  SINTER_FN auto a(int k) const {
    if constexpr (G::whole) {
      const auto weights = tile.parameters + (G::weight + k * G::inputs);
      return [weights](int c) SINTER_LAMBDA { return T(weights[c]); };
    } else {
      const auto weights = tile.parameters + (G::weight + Order::channel(k) * G::fan_in + Order::tap(k));
      return [weights](int c) SINTER_LAMBDA { return T(weights[c * G::taps]); };
    }
  }
  SINTER_FN static Column column(int n) {
    const int pixel = n % of_row;
    return {n / of_row, pixel / G::in_width + G::padding_height, pixel % G::in_width + G::padding_width};
  }
  SINTER_FN auto b(int k) const {
    const Tile& own = tile;
    return [&own, k](const Column& column) SINTER_LAMBDA { return Slopes<S, Tile>{own.record(column.row), 0, 0}(k); };
  }
  SINTER_FN auto b(int k, const Column& column) const {
    if constexpr (Order::by_taps) {
      const auto slopes = reached(tile, Order::tap(k), column);
      return [slopes, o = Order::channel(k)](int i) SINTER_LAMBDA { return slopes(o + i); };
    } else {
      const Tile& own = tile;
      return [&own, k, column](int i)
                 SINTER_LAMBDA { return reached(own, Order::tap(k + i), column)(Order::channel(k + i)); };
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

 private:
  /// Of the output that reads a pixel of the input by a tap; of none where there is no such output.
  SINTER_FN static Slopes<S, Tile> reached(const Tile& tile, int tap, const Column& column) {
    const int down = column.y - tap / G::kernel_width * G::dilation_height,
              right = column.x - tap % G::kernel_width * G::dilation_width;
    const int y = down / G::stride_height, x = right / G::stride_width;
    const bool inside = down >= 0 && right >= 0 && down % G::stride_height == 0 && right % G::stride_width == 0 &&
                        y < G::pooled_height * G::pool_height && x < G::pooled_width * G::pool_width;
    const int pixel = y / G::pool_height * G::pooled_width + x / G::pool_width,
              position = y % G::pool_height * G::pool_width + x % G::pool_width;
    return {tile.record(column.row), inside ? pixel : 0, inside ? position : -1};
  }
};

/// dW = dy x^T and db, the sums of dy: channels, and their weights, over the columns of all rows.
template <int S, class Tile>
struct WeightOperands {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = WeightWork<G, Tile::expected_rows>;
  using Shape = typename W::template Shape<T, Tile::products>;
  using Columns = ProductColumns<G>;
  using Window = WindowTaps<G>;
  static constexpr int m = G::channels, parts = W::parts;
  static constexpr bool a_along_k = !G::whole, b_along_k = !G::whole,
                        whole_slices = Columns::of_row % Shape::depth == 0, sums_rows = G::with_bias;
  /// A weight: of a tap, and where that is in the image, from where the window begins.
  struct Column {
    int tap, at;
  };

  const Tile& tile;

  SINTER_FN static constexpr int n() { return G::fan_in; }
  SINTER_FN int k() const { return tile.rows * Columns::of_row; }
  SINTER_FN auto a(int k) const {
    const Columns at(k);
    return Slopes<S, Tile>{tile.record(at.row), at.pixel, G::positions > 1 ? at.position : 0};
  }
  SINTER_FN static Column column(int i) {
    if constexpr (G::whole)
      return {0, i};
    else
      return {i % G::taps, i / G::taps * G::in_plane + Window::to(i % G::taps)};
  }
  SINTER_FN auto b(int k) const {
    constexpr int input = Tile::Record::template input<S>;
    const Columns at(k);
    const Window window(at);
    return [from = tile.record(at.row) + (input + window.begin()), window](const Column& column)
               SINTER_LAMBDA { return window.inside(column.tap) ? T(from[column.at]) : T(0); };
  }
  SINTER_FN auto b(int row, const Column& column) const {
    constexpr int input = Tile::Record::template input<S>;
    const auto first = tile.record(row) + input;
    return [first, i = column.at](int k) SINTER_LAMBDA {
      constexpr int size = Tile::Record::size;
      return T(first[k * size + i]);
    };
  }
  SINTER_FN void take(int part, int o, int first, T (&v)[4]) const {
    SINTER_UNROLL
    for (int j = 0; j < 4; ++j)
      if (G::fan_in % 4 == 0 || first + j < G::fan_in) put<G>(tile, part, G::weight, o * G::fan_in + first + j, v[j]);
  }
  SINTER_FN void take_row(int part, int o, T sum) const { put<G>(tile, part, G::bias, o, sum); }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
