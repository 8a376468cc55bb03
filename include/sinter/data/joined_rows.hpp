// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>

#include "sinter/core/pack.hpp"
#include "sinter/core/tensor.hpp"
#include "sinter/data/normalize.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows, and how they are scaled on loading.
template <class Rows>
struct ScaledRows {
  Rows view;
  Normalize normalize{};
};

/// Rows of `S` whose numbers are in several arrays: in each row those of the first one, then those of the next. A view.
template <class S, class... Views>
struct JoinedRows {
  using Shape = S;
  std::tuple<ScaledRows<Views>...> parts;
  std::size_t rows = 0;
  const void* data = nullptr;  // null if one of the arrays is

  explicit JoinedRows(const ScaledRows<Views>&... each)
      : parts(each...),
        rows(std::get<0>(parts).view.rows),
        data((... && (each.view.data != nullptr)) ? std::get<0>(parts).view.data : nullptr) {}

  /// visit(part, number of the first feature of it)
  template <class Visit>
  void each(Visit&& visit) const {
    [[maybe_unused]] int first = 0;
    std::apply([&](const auto&... part) { ((visit(part, first), first += part_size(part)), ...); }, parts);
  }
  /// Whether all arrays have as many rows.
  bool aligned() const {
    bool same = true;
    each([&](const auto& part, int) { same = same && part.view.rows == rows; });
    return same;
  }
  /// Which have another number of rows.
  SINTER_COLD std::string problem() const {
    std::string text = "inputs of different numbers of rows were given:", comma;
    each([&](const auto& part, int) {
      text += comma + " " + std::to_string(part.view.rows);
      comma = ",";
    });
    return text + "; give each as many";
  }

 private:
  template <class View>
  static constexpr int part_size(const ScaledRows<View>&) {
    return View::Shape::size;
  }
};

/// One row of all of them, scaled.
template <class S, class... Views, class To>
void copy_row(const JoinedRows<S, Views...>& joined, std::size_t row, To* to) {
  joined.each([&](const auto& part, int first) {
    copy_row(part.view, row, to + first);
    using View = std::remove_cvref_t<decltype(part.view)>;
    for (int i = first; i < first + View::Shape::size; ++i)
      to[i] = fn::fma(to[i], static_cast<To>(part.normalize.scale), static_cast<To>(part.normalize.shift));
  });
}

namespace detail {
template <class V>
inline constexpr bool is_joined = false;
template <class S, class... Views>
inline constexpr bool is_joined<JoinedRows<S, Views...>> = true;
}  // namespace detail

SINTER_NAMESPACE_END
