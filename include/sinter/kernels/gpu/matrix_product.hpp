// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/ops/matrix_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A product of two values in the records of a tile.
template <int S, class Tile>
struct MatrixProductStage {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  static constexpr int first = G::stage.first;
  static constexpr Op op = G::source;
  static constexpr MatrixTerms forward = MatrixTerms::forward(op), first_gradient = MatrixTerms::first_gradient(op),
                               second_gradient = MatrixTerms::second_gradient(op);
  static constexpr int first_size = op.in.size(), second_size = op.second.size();
  static constexpr int largest = first_size > second_size ? first_size : second_size;
  template <int K>
  static constexpr int input = Tile::Record::template value<ReadConstants<typename Tile::Model, first, K>::value>;
  /// Where an operand is in a record, and how many numbers one matrix of it has.
  static constexpr int place(MatrixTerms::Operand which) {
    if constexpr (Tile::training)
      if (which == MatrixTerms::gradient) return Tile::Record::template gradient<S>;
    return which == MatrixTerms::first ? input<0> : input<1>;
  }

  static constexpr T factor = static_cast<T>(op.factor), none = -std::numeric_limits<T>::infinity();
  /// The sizes of one of these products, as plain constants, which device code may read.
  template <const MatrixTerms& t>
  struct Sizes {
    static constexpr int left = place(t.left), right = place(t.right), left_size = MatrixTerms::size(op, t.left),
                         right_size = MatrixTerms::size(op, t.right), size = t.rows * t.columns;
    static constexpr int rows = t.rows, columns = t.columns, terms = t.terms, left_row = t.left_row,
                         left_term = t.left_term, right_term = t.right_term, right_column = t.right_column;
  };

  /// Number i of a result.
  template <const MatrixTerms& t, class Record>
  SINTER_FN static T sum(const Record& record, int i) {
    using Z = Sizes<t>;
    const int matrix = i / Z::size, m = i / Z::columns % Z::rows, n = i % Z::columns;
    const int a = Z::left + matrix * Z::left_size + m * Z::left_row,
              b = Z::right + matrix * Z::right_size + n * Z::right_column;
    T sum(0);
    for (int k = 0; k < Z::terms; ++k)
      sum = fma(T(record[a + k * Z::left_term]), T(record[b + k * Z::right_term]), sum);
    constexpr T by = factor;
    return product(sum, by);
  }
};

template <>
struct StageKernel<Source::matrix_product> {
  /// y = factor A B. An item is a number of y.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using Product = MatrixProductStage<S, Tile>;
    using G = typename Product::G;
    using Z = typename Product::template Sizes<Product::forward>;
    constexpr bool causal = Product::op.causal;
    x.items(tile.rows * G::outputs, [&](int item) {
      const int row = item / G::outputs, i = item % G::outputs;
      T v[1] = {Product::template sum<Product::forward>(tile.record(row), i)};
      if constexpr (causal)
        if (i % Z::columns >= MatrixTerms::first_masked(i / Z::columns % Z::rows)) {
          constexpr T none = Product::none;
          v[0] = none;
        }
      ride<S, G::first_rider>(tile, row, Element<G>(i), v);
    });
  }

  /// dB, and then dA. Number i of both is one item: both may be the same value.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using Product = MatrixProductStage<S, Tile>;
    constexpr int largest = Product::largest, first_size = Product::first_size, second_size = Product::second_size,
                  first = Product::first;
    x.items(tile.rows * largest, [&](int item) {
      const int row = item / largest, i = item % largest;
      if (i < second_size)
        give_gradient<first, 1>(tile, row, i, Product::template sum<Product::second_gradient>(tile.record(row), i));
      if (i < first_size)
        give_gradient<first, 0>(tile, row, i, Product::template sum<Product::first_gradient>(tile.record(row), i));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
