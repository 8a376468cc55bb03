// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "sinter/ops/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// Calls give(number of the result, sum) for each number of a product of matrices; `operands` are x, the other input
/// and dy.
template <class T, class Give>
void each_product_of_matrices(const MatrixTerms& t, const Op& op, const T* const (&operands)[3], Give give) {
  for (int matrix = 0; matrix < MatrixTerms::count(op); ++matrix) {
    const T *left = operands[t.left] + matrix * MatrixTerms::size(op, t.left),
            *right = operands[t.right] + matrix * MatrixTerms::size(op, t.right);
    for (int m = 0; m < t.rows; ++m)
      for (int n = 0; n < t.columns; ++n) {
        T sum(0);
        for (int k = 0; k < t.terms; ++k)
          sum += left[m * t.left_row + k * t.left_term] * right[k * t.right_term + n * t.right_column];
        give((matrix * t.rows + m) * t.columns + n, static_cast<T>(op.factor) * sum);
      }
  }
}

template <class T>
void matrix_product_forward(const Op& op, const T* x, const T* second, T* y) {
  const MatrixTerms t = MatrixTerms::forward(op);
  each_product_of_matrices<T>(t, op, {x, second, nullptr}, [&](int i, T sum) {
    const bool masked = op.causal && i % t.columns >= MatrixTerms::first_masked(i / t.columns % t.rows);
    y[i] = masked ? -std::numeric_limits<T>::infinity() : sum;
  });
}
/// A masked number has a gradient of 0, as after a softmax.
template <class T>
void matrix_product_backward(const Op& op, const T* x, const T* second, const T* dy, T* dx, T* dsecond) {
  each_product_of_matrices<T>(MatrixTerms::first_gradient(op), op, {x, second, dy},
                              [&](int i, T sum) { dx[i] += sum; });
  each_product_of_matrices<T>(MatrixTerms::second_gradient(op), op, {x, second, dy},
                              [&](int i, T sum) { dsecond[i] += sum; });
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
