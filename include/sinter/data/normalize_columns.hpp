// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <concepts>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/selected_rows.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// Calls take(row, column, y, x, number) for each number.
template <class T, class S, class Take>
void each_number(const TensorView<T, S>& rows, Take&& take) {
  for (std::size_t row = 0; row < rows.rows; ++row)
    for (int c = 0; c < S::dims.channels; ++c)
      for (int y = 0; y < S::dims.height; ++y)
        for (int x = 0; x < S::dims.width; ++x)
          take(row, static_cast<std::size_t>(c), y, x,
               rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride]);
}
}  // namespace detail

/// x' = (x - mean) / deviation for each column of a table, or each channel of pictures and series. A missing number,
/// NaN, becomes 0, the mean. Save it with the weights of the network: save(net, path, {.columns = ..}).
struct NormalizeColumns {
  std::vector<double> mean, deviation;  ///< a number for each column

  /// Scales rows in place. Fails if they have another number of columns, or if T cannot hold their scale.
  template <std::floating_point T, class S>
  void apply(TensorView<T, S> rows) const {
    check<T>(static_cast<std::size_t>(S::dims.channels));
    detail::each_number(rows, [&](std::size_t, std::size_t column, int, int, T& x) {
      x = is_nan(x) ? T(0) : static_cast<T>((static_cast<double>(x) - mean[column]) / deviation[column]);
    });
  }
  template <class T, class S>
  void apply(Tensor<T, S>& rows) const {
    apply(rows.view());
  }
  template <class D>
  void apply(SelectedRows<D>& rows) const {
    apply(rows.mutable_inputs());
  }

  /// Fails if it is for another number of columns.
  void check(std::size_t columns) const { check(columns, 0, std::numeric_limits<double>::max()); }
  /// The same, and fails if T cannot hold a mean or the inverse of a deviation.
  template <std::floating_point T>
  void check(std::size_t columns) const {
    using Limits = std::numeric_limits<T>;
    check(columns, static_cast<double>(Limits::min()), static_cast<double>(Limits::max()));
  }
  friend bool operator==(const NormalizeColumns&, const NormalizeColumns&) = default;

 private:
  SINTER_COLD void check(std::size_t columns, double least, double most) const;
};

/// The scale that gives each column of these rows mean 0 and deviation 1. Gaps (NaN) do not count; a constant column is
/// only shifted. Compute it from the training rows alone, and apply it to all. Fails if a number is infinite, if a
/// column has only gaps, or if T cannot hold its scale.
template <class T, class S>
  requires std::floating_point<std::remove_const_t<T>>
NormalizeColumns standardise(const TensorView<T, S>& rows) {
  constexpr std::size_t columns = static_cast<std::size_t>(S::dims.channels);
  detail::check_pointer(rows.data, rows.rows, "the inputs");
  std::vector<double> sums(columns), squares(columns), lowest(columns), highest(columns);
  std::vector<std::size_t> counts(columns);
  detail::each_number(rows, [&](std::size_t row, std::size_t column, int y, int x, T& value) {
    if (is_nan(value)) return;
    const double number = static_cast<double>(value);
    if (!is_finite(value))
      detail::fail_number(row, detail::place_text(S::dims, static_cast<int>(column), y, x), "the inputs", number);
    sums[column] += number;
    if (counts[column]++ == 0) lowest[column] = highest[column] = number;
    if (number < lowest[column]) lowest[column] = number;
    if (number > highest[column]) highest[column] = number;
  });
  NormalizeColumns result{sums, std::vector<double>(columns, 1)};
  for (std::size_t i = 0; i < columns; ++i) {
    if (counts[i] == 0)
      fail("column " + std::to_string(i) + " of " + std::to_string(rows.rows) +
           " rows has no number to take a mean of; leave the column out, or give more rows");
    result.mean[i] = lowest[i] == highest[i] ? lowest[i] : sums[i] / static_cast<double>(counts[i]);
  }
  detail::each_number(rows, [&](std::size_t, std::size_t column, int, int, T& value) {
    const double apart = static_cast<double>(value) - result.mean[column];
    if (!is_nan(value)) squares[column] += apart * apart;
  });
  for (std::size_t i = 0; i < columns; ++i)
    if (lowest[i] < highest[i]) {
      if (!is_finite(squares[i]) || squares[i] == 0)
        fail("column " + std::to_string(i) + " has numbers from " + exact_text(lowest[i]) + " to " +
             exact_text(highest[i]) + ", whose squares a double cannot hold; give numbers of another unit");
      result.deviation[i] = std::sqrt(squares[i] / static_cast<double>(counts[i]));
    }
  result.check<std::remove_const_t<T>>(columns);
  return result;
}
/// The same of a tensor.
template <std::floating_point T, class S>
NormalizeColumns standardise(const Tensor<T, S>& rows) {
  return standardise(rows.view());
}
/// The same of a dataset's inputs.
template <Dataset D>
  requires std::floating_point<std::remove_const_t<typename inputs_of<D>::Value>>
NormalizeColumns standardise(const D& data) {
  return standardise(data.inputs());
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::NormalizeColumns;
using internal::standardise;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/data/normalize_columns.ipp"
#endif
