// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Some columns of a matrix of `rows` rows that are `blocks` blocks of `length` numbers: in each block the numbers
/// [first, first + count). On their own they are [rows][blocks][count].
struct ColumnBlocks {
  std::size_t blocks = 0, length = 0, first = 0, count = 0;

  /// f(in the columns, in the matrix, count) for each block.
  template <class F>
  constexpr void for_each(std::size_t rows, F&& f) const {
    for (std::size_t b = 0; b < rows * blocks; ++b) f(b * count, b * length + first, count);
  }
  template <class T>
  void take(const T* matrix, std::size_t rows, T* columns) const {
    for_each(rows,
             [&](std::size_t own, std::size_t all, std::size_t n) { std::copy_n(matrix + all, n, columns + own); });
  }
  template <class T>
  void put(const T* columns, std::size_t rows, T* matrix) const {
    for_each(rows,
             [&](std::size_t own, std::size_t all, std::size_t n) { std::copy_n(columns + own, n, matrix + all); });
  }
  constexpr std::size_t size() const { return blocks * count; }
};

}  // namespace detail

SINTER_NAMESPACE_END
