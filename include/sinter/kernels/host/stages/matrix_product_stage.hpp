// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>

#include "sinter/kernels/host/plan/scratch.hpp"
#include "sinter/kernels/host/products/matrix_product.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/kernels/host/tile/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Runs a stage that begins with a product of two values on a tile, matrix by matrix.
template <class Tile, int S>
struct MatrixProductStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  static constexpr int first = P::stage(S).first, L = P::lanes;
  static constexpr Op op = P::op(first);
  static constexpr int matrices = MatrixTerms::count(op), size = MatrixTerms::size(op, MatrixTerms::gradient);
  /// Whether results are stored unchanged.
  static constexpr bool plain = P::stage(S).last == first + 1 && !Tile::output(S).bordered();

  const Tile& tile;

  void forward() const {
    static constexpr auto at = MatrixProductScratch::of<P>(S, false);
    const T *const a = operand<0>(at), *const b = operand<1>(at);
    for (int matrix = 0; matrix < matrices; ++matrix) {
      T* const y = plain ? tile.at(Tile::output(S).begin()) + std::ptrdiff_t{matrix} * size * L : tile.scratch();
      multiply<forward_terms>(matrix, a, b, nullptr, y);
      if constexpr (op.causal) mask(y);
      if constexpr (!plain)
        for (int i = 0; i < size; ++i) {
          V one[1] = {V::load(y + i * L)};
          ride<Tile, S, first + 1>(tile, Position::of(matrix * size + i, op.out), one);
        }
    }
  }
  /// The second input is given its gradient first: both may be the same value.
  void backward() const {
    static constexpr auto at = MatrixProductScratch::of<P>(S, true);
    const T *const a = operand<0>(at), *const b = operand<1>(at);
    const T* const dy = tile.at(Tile::gradient_of(S).begin());
    give<1, second_terms>(a, b, dy);
    give<0, first_terms>(a, b, dy);
  }

 private:
  static constexpr MatrixTerms forward_terms = MatrixTerms::forward(op), first_terms = MatrixTerms::first_gradient(op),
                               second_terms = MatrixTerms::second_gradient(op);

  /// Input K as packs in row-major order.
  template <int K>
  SINTER_INLINE const T* operand(const MatrixProductScratch& at) const {
    if constexpr (!Tile::value(op.inputs[K]).bordered()) {
      return tile.at(Tile::value(op.inputs[K]).begin());
    } else {
      T* const to = tile.scratch() + std::ptrdiff_t{at.operand[K]} * L;
      for (int i = 0; i < op.seen(K).size(); ++i)
        tile.load(value_at<Tile, op.inputs[K]>(Position::of(i, op.seen(K)), op.seen(K))).store(to + i * L);
      return to;
    }
  }
  template <const MatrixTerms& t>
  SINTER_INLINE static void multiply(int matrix, const T* a, const T* b, const T* dy, T* y) {
    const auto of_matrix = [&](MatrixTerms::Operand which) SINTER_LAMBDA {
      const T* const all = which == MatrixTerms::first ? a : which == MatrixTerms::second ? b : dy;
      return all + std::ptrdiff_t{matrix} * MatrixTerms::size(op, which) * L;
    };
    product_of_matrices<typename P::ISA, false, V>(
        MatrixSteps{t.rows, t.columns, t.terms, std::ptrdiff_t{t.left_row} * L, std::ptrdiff_t{t.left_term} * L,
                    std::ptrdiff_t{t.right_term} * L, std::ptrdiff_t{t.right_column} * L},
        of_matrix(t.left), of_matrix(t.right), static_cast<T>(op.factor), y);
  }
  static void mask(T* y) {
    const V none(-std::numeric_limits<T>::infinity());
    for (int m = 0; m < forward_terms.rows; ++m)
      for (int n = MatrixTerms::first_masked(m); n < forward_terms.columns; ++n)
        none.store(y + (m * forward_terms.columns + n) * L);
  }
  template <int K, const MatrixTerms& t>
  void give(const T* a, const T* b, const T* dy) const {
    if constexpr (P::Cut::learned(op.inputs[K]) || Tile::input_gradient) {
      constexpr int count = t.rows * t.columns;
      T* const d = tile.scratch();
      for (int matrix = 0; matrix < matrices; ++matrix) {
        multiply<t>(matrix, a, b, dy, d);
        for (int i = 0; i < count; ++i)
          give_gradient<Tile, first, K>(tile, Position::of(matrix * count + i, op.seen(K)), V::load(d + i * L));
      }
    }
  }
};

template <>
struct StageKernel<Source::matrix_product> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    MatrixProductStage<Tile, S>{tile}.forward();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    MatrixProductStage<Tile, S>{tile}.backward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
