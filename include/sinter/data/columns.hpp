// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <type_traits>

#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/data/check.hpp"
#include "sinter/data/fits_in.hpp"

SINTER_NAMESPACE_BEGIN

/// Labels as rows of `Classes` numbers: 1 in the place of the label, else 0. Fails at a label outside 0 .. Classes - 1.
///
///     const auto town = one_hot<2>(table.classes("town").labels);  // Tensor<float, Shape<2>>
template <int Classes, class T = float, class Numbers>
  requires Labels<detail::ViewOf<Numbers>>
Tensor<T, Shape<Classes>> one_hot(const Numbers& numbers) {
  const auto labels = detail::view_of(numbers);
  check_labels(labels, Classes);
  Tensor<T, Shape<Classes>> rows(labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) rows(i, static_cast<int>(labels[i])) = 1;
  return rows;
}

namespace detail {
/// The number of columns of rows of numbers, or of labels, which are one column.
template <class View>
inline constexpr int column_count = 1;
template <class T, int Count>
inline constexpr int column_count<TensorView<T, Shape<Count>>> = Count;
template <class View>
concept Columns = Labels<View> || requires {
  requires is_rows<View>;
  requires View::Shape::rank == 1;
};
template <class T, class S>
T column_of(const TensorView<const T, S>& rows, std::size_t row, int column) {
  return rows(row, column);
}
template <class Label>
Label column_of(std::span<const Label> labels, std::size_t row, int) {
  return labels[row];
}

/// Whether a number is the same as a T: fractions may be rounded, integers may not.
template <class T, class From>
bool keeps(const From& number) {
  if constexpr (std::is_floating_point_v<T> && std::is_integral_v<From>) {
    const T to = static_cast<T>(number);
    return fits_in<From>(to) && static_cast<From>(to) == number;
  } else {
    return fits_in<T>(number);
  }
}
template <class T, class From>
[[noreturn]] SINTER_COLD void fail_column(std::size_t row, int column, const From& number) {
  std::string given, expected;
  if constexpr (std::is_floating_point_v<From>)
    given = exact_text(number);
  else
    given = std::to_string(number);
  if constexpr (std::is_floating_point_v<T>)
    expected = joined({"a number that a ", sizeof(T) == 4 ? "float" : "double", " can hold",
                       std::is_integral_v<From> ? " exactly" : ""});
  else
    expected = joined({"a whole number from ", std::to_string(std::numeric_limits<T>::min()), " to ",
                       std::to_string(std::numeric_limits<T>::max())});
  fail(joined({"hstack was given ", given, " in row ", row, " of column ", static_cast<std::size_t>(column),
               ", expected ", expected, "; ask for a type that holds it, or correct it"}));
}
}  // namespace detail

/// The columns of several arrays side by side, as one array of T: rows of numbers (tensors or views of Shape<N>), and
/// labels (a vector or span of integers), which are one column, such as the numbers that Embedding takes. A copy. Fails
/// unless all have as many rows, and at a number that T does not hold: one that is too large, an integer that would be
/// rounded, or a fraction where T is an integer type.
///
///     const auto x = hstack(table.numbers({"rooms", "age"}), town.labels);  // Tensor<float, Shape<3>>
template <class T = float, class First, class... More>
  requires detail::Columns<detail::ViewOf<First>> && (detail::Columns<detail::ViewOf<More>> && ...)
auto hstack(const First& first, const More&... more) {
  constexpr int columns =
      (detail::column_count<detail::ViewOf<First>> + ... + detail::column_count<detail::ViewOf<More>>);
  const std::size_t rows = rows_in(detail::view_of(first));
  Tensor<T, Shape<columns>> all(rows);
  int place = 0;
  const auto add = [&](const auto& part) {
    if (rows_in(part) != rows)
      fail("columns of " + std::to_string(rows) + " and of " + std::to_string(rows_in(part)) +
           " rows were to be put side by side; give all of them as many rows");
    constexpr int count = detail::column_count<std::remove_cvref_t<decltype(part)>>;
    for (std::size_t row = 0; row < rows; ++row)
      for (int c = 0; c < count; ++c) {
        const auto number = detail::column_of(part, row, c);
        if (!detail::keeps<T>(number)) detail::fail_column<T>(row, place + c, number);
        all(row, place + c) = static_cast<T>(number);
      }
    place += count;
  };
  add(detail::view_of(first));
  (add(detail::view_of(more)), ...);
  return all;
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::hstack;
using internal::one_hot;
}  // namespace sinter
