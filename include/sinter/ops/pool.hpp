// SPDX-License-Identifier: MIT
#pragma once

#include <numeric>

#include "sinter/core/pack.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// The largest of the elements that a max pool takes, and its number: the first of equal ones, but of several NaN the
/// last, as in PyTorch.
template <class V, class Number = V>
struct LargestElement {
  V value{};
  Number number{};
  bool any = false;

  SINTER_FN void take(V v, Number n) {
    const auto larger = (v > value) | (v != v);
    if constexpr (is_pack<V>) {
      value = any ? fn::select(larger, v, value) : v;
      number = any ? fn::select(larger, n, number) : n;
    } else if (larger || !any) {
      value = v;
      number = n;
    }
    any = true;
  }
};

/// What each element counts in a mean of n.
template <class T>
SINTER_FN constexpr T weight_in_mean(int n) {
  return T(1) / static_cast<T>(n);
}

/// What the window of output (y, x) of a pool covers of the image.
struct CoveredPixels {
  /// Rows, or columns: begin, begin + step, .. before end. The window begins at `first`, which may be in the padding.
  struct Side {
    int first, step, begin, end;
    SINTER_FN static constexpr Side region(int i, int n, int length) {
      const int first = region_begin(i, n, length);
      return {first, 1, first, region_end(i, n, length)};
    }
    SINTER_INLINE static constexpr Side window(int first, int size, int step, int length) {
      const int end = first + (size - 1) * step + 1;
      return {first, step, first < 0 ? first + divide_up(-first, step) * step : first, end < length ? end : length};
    }
    SINTER_FN constexpr int count() const { return begin < end ? divide_up(end - begin, step) : 0; }
  };
  Side rows, columns;
  int width;    // of the window
  int divisor;  // of a mean: pixels outside the image count as zeros

  /// A region of the image.
  SINTER_FN constexpr CoveredPixels(Side of_rows, Side of_columns, int widest)
      : rows(of_rows), columns(of_columns), width(widest), divisor(count()) {}
  SINTER_INLINE constexpr CoveredPixels(const Op& op, int y, int x)
      : rows(op.uneven() ? Side::region(y, op.out.height, op.in.height)
                         : Side::window(y * op.window.stride_height - op.window.padding_height, op.window.height,
                                        op.window.dilation_height, op.in.height)),
        columns(op.uneven() ? Side::region(x, op.out.width, op.in.width)
                            : Side::window(x * op.window.stride_width - op.window.padding_width, op.window.width,
                                           op.window.dilation_width, op.in.width)),
        width(op.window.width),
        divisor(op.uneven() ? count() : op.window.taps()) {}
  SINTER_FN constexpr int count() const { return rows.count() * columns.count(); }
  /// Calls visit(row, column, number in the window), in row-major order.
  SINTER_ANY_CALLEE
  template <class Visit>
  SINTER_FN constexpr void each(Visit&& visit) const {
    for (int row = rows.begin; row < rows.end; row += rows.step) {
      SINTER_UNROLL_BY(4)
      for (int column = columns.begin; column < columns.end; column += columns.step)
        visit(row, column, (row - rows.first) / rows.step * width + (column - columns.first) / columns.step);
    }
  }
};

/// y = the largest element, or the mean, of each window. Padding counts as -infinity for the largest and as 0 in the
/// mean, as in PyTorch. Adjoint: dy goes to the largest element, or in equal parts to all.
template <Window W, bool Average>
struct Pool {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::pool;
    op.name = Average ? "average pool" : "max pool";
    op.in = in;
    op.out = {in.rank, in.channels, W.output_height(in.height), W.output_width(in.width)};
    op.window = W;
    op.average = Average;
    op.zeros = Average ? 0 : 1 - 1.0 / W.taps();
    return op;
  }
};

/// y = the mean, or the largest element, of each of Height x Width regions of the image. Where they do not divide it
/// they overlap. Adjoint: dy in equal parts to all of its region, or to the largest element.
template <int Height, int Width, bool Average = true>
struct AdaptivePool {
  /// Whether two bytes, in which the winner of a window is kept, can number its elements.
  static constexpr bool countable(Dims in) { return describe(in).window.taps() <= 65536; }
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::pool;
    op.name = Average ? "average pool" : "max pool";
    op.in = in;
    op.out = {in.rank, in.channels, Height, Width};
    op.average = Average;
    op.adaptive = true;
    const bool equal = in.height % Height == 0 && in.width % Width == 0;
    op.window.height = largest(Height, in.height);
    op.window.width = largest(Width, in.width);
    op.window.stride_height = equal ? op.window.height : 0;
    op.window.stride_width = equal ? op.window.width : 0;
    const int losers = in.pixels() - op.out.pixels();  // at least this many
    op.zeros = Average || losers < 0 ? 0 : static_cast<double>(losers) / in.pixels();
    return op;
  }

 private:
  /// The most numbers of a region: i length, modulo n, has multiples of their common divisor up to n minus it.
  static constexpr int largest(int n, int length) { return 1 + divide_up(length - std::gcd(n, length), n); }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::AdaptivePool;
using internal::Pool;
}  // namespace sinter::ops
