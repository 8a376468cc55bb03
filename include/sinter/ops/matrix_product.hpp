// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// A value as matrices, one after another and each row by row: [T, F] is one, [C, H, W] are C of them.
struct Matrices {
  int count = 1, rows = 1, columns = 1;
  static constexpr Matrices of(Dims d) {
    return d.rank == 2 ? Matrices{1, d.channels, d.width} : Matrices{d.channels, d.height, d.width};
  }
  constexpr Matrices transposed(bool yes) const { return yes ? Matrices{count, columns, rows} : *this; }
  constexpr int size() const { return rows * columns; }
};

/// What a product of matrices multiplies, and how far apart their numbers are: for all devices,
/// result[m][n] = sum over k of left[m left_row + k left_term] right[k right_term + n right_column], which is
/// contiguous.
struct MatrixTerms {
  enum Operand : unsigned char { first, second, gradient };
  Operand left = first, right = second;
  int rows = 0, columns = 0, terms = 0;
  int left_row = 0, left_term = 0, right_term = 0, right_column = 0;

  /// How many matrices there are of each, and how many numbers one has. (The output may have any shape.)
  static constexpr int count(const Op& op) { return Matrices::of(op.in).count; }
  static constexpr int size(const Op& op, Operand which) {
    const int numbers = which == first ? op.in.size() : which == second ? op.second.size() : op.out.size();
    return numbers / count(op);
  }

  /// Where op.causal, the columns of y from here on are -infinity in row m: those right of the diagonal.
  SINTER_HOST_DEVICE static constexpr int first_masked(int m) { return m + 1; }

  /// y = A B.
  static constexpr MatrixTerms forward(const Op& op) {
    const Strides s(op);
    return {first, second, s.m, s.n, s.k, s.a_row, s.a_term, s.b_term, s.b_column};
  }
  /// dA = dy B^T, and dB = A^T dy, in the order in which A and B are stored.
  static constexpr MatrixTerms first_gradient(const Op& op) {
    const Strides s(op);
    if (op.first_transposed) return {second, gradient, s.k, s.m, s.n, s.b_term, s.b_column, 1, s.n};
    return {gradient, second, s.m, s.k, s.n, s.n, 1, s.b_column, s.b_term};
  }
  static constexpr MatrixTerms second_gradient(const Op& op) {
    const Strides s(op);
    if (op.second_transposed) return {gradient, first, s.n, s.k, s.m, 1, s.n, s.a_row, s.a_term};
    return {first, gradient, s.k, s.n, s.m, s.a_term, s.a_row, s.n, 1};
  }

 private:
  /// A has m x k, B k x n numbers.
  struct Strides {
    int m, n, k, a_row, a_term, b_term, b_column;
    constexpr explicit Strides(const Op& op)
        : m(Matrices::of(op.in).transposed(op.first_transposed).rows),
          n(Matrices::of(op.second).transposed(op.second_transposed).columns),
          k(Matrices::of(op.in).size() / m),
          a_row(op.first_transposed ? 1 : k),
          a_term(op.first_transposed ? m : 1),
          b_term(op.second_transposed ? 1 : n),
          b_column(op.second_transposed ? k : 1) {}
  };
};

/// y = factor A B for each pair of matrices of two values; either is transposed before. Causal: numbers right of the
/// diagonal become -infinity, so that after a softmax row t has nothing of the columns after t. A factor of 0 means 1 /
/// sqrt(k), where k numbers are summed, as attention scales its scores. Adjoint: dA = factor dy B^T, dB = factor A^T
/// dy.
template <bool FirstTransposed, bool SecondTransposed, double Factor = 1.0, bool Causal = false>
struct MultiplyMatrices {
  static constexpr Op describe(Dims a, Dims b) {
    Op op;
    op.kind = OpKind::matrix_product;
    op.name = "matrix product";
    op.in = a;
    op.second = b;
    op.out =
        a.rank == 2 ? series(first(a).rows, second(b).columns) : image(a.channels, first(a).rows, second(b).columns);
    op.first_transposed = FirstTransposed;
    op.second_transposed = SecondTransposed;
    op.factor = Factor != 0 ? Factor : 1 / root(first(a).columns);
    op.causal = Causal;
    return op;
  }
  static constexpr bool accepts(Dims a, Dims b) {
    return a.rank == b.rank && a.rank >= 2 && first(a).count == second(b).count && first(a).columns == second(b).rows;
  }

 private:
  /// sqrt(n) for n >= 1, by Newton's method from above.
  static constexpr double root(double n) {
    double x = n;
    for (double next = (x + 1) / 2; next < x; next = (x + n / x) / 2) x = next;
    return x;
  }
  static constexpr Matrices first(Dims a) { return Matrices::of(a).transposed(FirstTransposed); }
  static constexpr Matrices second(Dims b) { return Matrices::of(b).transposed(SecondTransposed); }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::MultiplyMatrices;
}  // namespace sinter::ops
