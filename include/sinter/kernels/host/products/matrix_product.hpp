// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/core/pack.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/products/tile_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The sizes of a product of matrices, and how many numbers are between what it reads. A column is a pack: a number of
/// each sample of a tile, or neighbouring columns of one sample, whose left numbers are then `Broadcast`.
struct MatrixSteps {
  int rows, columns, terms;
  std::ptrdiff_t left_row, left_term, right_term, right_column;
};

/// y[m][n] = factor times the sum over k of left[m][k] right[k][n], for M rows and N packs of columns.
template <class Isa, bool Broadcast, int M, int N, class V, class T>
SINTER_SHARED void block_of_matrices(const MatrixSteps& n, const T* left, const T* right, T factor, T* y,
                                     std::ptrdiff_t y_row) {
  V sum[M][N];
  unroll<M>([&](int i) SINTER_LAMBDA { unroll<N>([&](int j) SINTER_LAMBDA { sum[i][j] = V(0); }); });
  const std::ptrdiff_t left_row = n.left_row, right_column = n.right_column;
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        const std::ptrdiff_t left_term = n.left_term, right_term = n.right_term;
        for (int k = n.terms; k > 0; --k, left += left_term, right += right_term) f(k);
      },
      [&](int i, int) SINTER_LAMBDA {
        const T* const at = left + i * left_row;
        if constexpr (Broadcast)
          return V(*at);
        else
          return V::load(at);
      },
      [&](int j, int) SINTER_LAMBDA { return V::load(right + j * right_column); });
  unroll<M>([&](int i) SINTER_LAMBDA {
    unroll<N>([&](int j) SINTER_LAMBDA { fn::product(sum[i][j], V(factor)).store(y + i * y_row + j * V::lanes); });
  });
}

/// All of y, `columns` packs in each row. The last block of rows and of columns reaches back, and computes some numbers
/// again. Each sum is one chain of fma in the order of k. Sizes are known at run time: one instance serves every layer.
template <class Isa, bool Broadcast, class V, class T>
SINTER_SHARED void product_of_matrices(const MatrixSteps& n, const T* left, const T* right, T factor, T* y) {
  constexpr int M = 4, N = most_tiles<Isa>;
  const std::ptrdiff_t y_row = std::ptrdiff_t{n.columns} * V::lanes;
  const auto along_columns = [&](auto rows, int m) SINTER_LAMBDA {
    constexpr int R = decltype(rows)::value;
    const T* const from = left + m * n.left_row;
    T* const to = y + m * y_row;
    if (n.columns < N)
      for (int j = 0; j < n.columns; ++j)
        block_of_matrices<Isa, Broadcast, R, 1, V>(n, from, right + j * n.right_column, factor, to + j * V::lanes,
                                                   y_row);
    else
      for (int j = 0; j < n.columns; j += N) {
        const int first = j + N <= n.columns ? j : n.columns - N;
        block_of_matrices<Isa, Broadcast, R, N, V>(n, from, right + first * n.right_column, factor,
                                                   to + first * V::lanes, y_row);
      }
  };
  if (n.rows < M)
    for (int m = 0; m < n.rows; ++m) along_columns(std::integral_constant<int, 1>{}, m);
  else
    for (int m = 0; m < n.rows; m += M)
      along_columns(std::integral_constant<int, M>{}, m + M <= n.rows ? m : n.rows - M);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
