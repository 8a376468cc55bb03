// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/matrix_product.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A matrix [columns][terms] as [terms][padded]: what follows the last column of a row is not read.
template <class Isa, class V, class T>
SINTER_SHARED void columns_side_by_side(const T* from, int columns, int terms, int padded, T* to) {
  constexpr int L = V::lanes;
  for (int n = 0; n < columns; n += L) {
    int k = 0;
    for (; n + L <= columns && k + L <= terms; k += L)
      transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(from + (n + i) * terms + k); },
                         [&](int i, V row) SINTER_LAMBDA { row.store(to + (k + i) * padded + n); });
    for (; k < terms; ++k)
      for (int i = n; i < std::min(n + L, columns); ++i) to[k * padded + i] = from[i * terms + k];
  }
}

/// A product of two values of one sample, with the columns in the lanes.
template <class P, int S, class One>
struct SingleMatrixProductStage {
  using T = typename P::Scalar;
  using V = typename P::V;
  static constexpr Op op = P::source(S);
  static constexpr SingleMatrixProduct at{op, P::lanes};
  static constexpr MatrixTerms t = MatrixTerms::forward(op);

  const One& single;

  void forward() const {
    const T *const a = operand<0>(), *const b = operand<1>();
    T *const y = scratch(0), *const side_by_side = scratch(at.right);
    constexpr bool copied = t.right_column != 1;
    const MatrixSteps steps{
        t.rows, at.padded / P::lanes, t.terms, t.left_row, t.left_term, copied ? at.padded : t.right_term, P::lanes};
    for (int matrix = 0; matrix < MatrixTerms::count(op); ++matrix) {
      const T* right = b + matrix * MatrixTerms::size(op, MatrixTerms::second);
      if constexpr (copied) {
        columns_side_by_side<typename P::ISA, V>(right, t.columns, t.terms, at.padded, side_by_side);
        right = side_by_side;
      }
      product_of_matrices<typename P::ISA, true, V>(steps, a + matrix * MatrixTerms::size(op, MatrixTerms::first),
                                                    right, static_cast<T>(op.factor), y);
      for (int m = 0; m < t.rows; ++m) finish_row(matrix, m, y + m * at.padded);
    }
  }

 private:
  SINTER_INLINE T* scratch(int offset) const { return single.memory + SinglePlan<P>::scratch + offset; }
  /// Input K as numbers in row-major order.
  template <int K>
  SINTER_INLINE const T* operand() const {
    static constexpr Place place = One::value(op.inputs[K]);
    if constexpr (!place.bordered()) {
      return single.at(place.begin());
    } else {
      T* to = scratch(at.operand[K]);
      for (int c = 0; c < place.dims.channels; ++c)
        for (int y = 0; y < place.dims.height; ++y)
          to = std::copy_n(single.at(place.at(c, y, 0)), place.dims.width, to);
      return scratch(at.operand[K]);
    }
  }
  SINTER_INLINE void finish_row(int matrix, int m, T* y) const {
    if constexpr (op.causal)
      for (int n = MatrixTerms::first_masked(m); n < t.columns; ++n) y[n] = -std::numeric_limits<T>::infinity();
    const auto finish = [&](int n, int count) SINTER_LAMBDA {
      single.template finish<S>(Position::of((matrix * t.rows + m) * t.columns + n, op.out), V::load(y + n), count);
    };
    constexpr int rest = t.columns % P::lanes;
    for (int n = 0; n < t.columns - rest; n += P::lanes) finish(n, P::lanes);
    if constexpr (rest > 0) finish(t.columns - rest, rest);
  }
};

template <>
struct SingleKernel<Source::matrix_product> {
  template <class P, int S, class One>
  SINTER_INLINE static void forward(const One& single) {
    SingleMatrixProductStage<P, S, One>{single}.forward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
