// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/functor_checks.hpp"
#include "sinter/fn/softmax.hpp"
#include "sinter/kernels/gpu/record_access.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The function of stage S: of all numbers of a sample, or of each of its `parts` rows.
template <class Model, int S, bool Cut, int ExpectedRows>
struct RowFunction {
  using G = Geometry<Model, S, Cut>;
  using F = typename Program<Model>::template OpType<G::stage.first>::Functor;
  static constexpr int parts = G::source.groups, size = G::inputs / parts;
  static constexpr bool shared = detail::SharesRow<F> && shares_rows(ExpectedRows, parts, size);
};

template <>
struct StageKernel<Source::row> : RecordElementKernel<element_kernels::Riders> {
  template <int S, class Tile>
  using Function = RowFunction<typename Tile::Model, S, Tile::cut, Tile::expected_rows>;

  /// A row by one thread, or first its exponentials by as many as it has numbers.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using R = Function<S, Tile>;
    constexpr int input = Tile::Record::template input<S>, output = Tile::Record::template output<S>, n = R::size;
    using executor::in, executor::out;
    if constexpr (R::shared) {
      x.items(tile.rows * R::parts * n, [&](int item) {
        const auto record = tile.record(item / (R::parts * n));
        const int number = item % (R::parts * n), i = number % n;
        record[output + number] = fn::exponential(in(record + (input + number - i), n), n, i);
      });
      x.barrier();
    }
    x.items(tile.rows * R::parts, [&](int item) {
      const auto record = tile.record(item / R::parts);
      const int first = item % R::parts * n;
      if constexpr (R::shared)
        R::F::forward_from(in(record + (input + first), n), out(record + (output + first), n), n);
      else
        R::F::forward(in(record + (input + first), n), out(record + (output + first), n), n);
    });
  }

  /// dx of a row by one thread, in place of dy.
  template <int S, class X, class Tile>
  SINTER_FN static void row(X& x, const Tile& tile) {
    using R = Function<S, Tile>;
    constexpr int output = Tile::Record::template output<S>, gradient = Tile::Record::template gradient<S>, n = R::size;
    x.items(tile.rows * R::parts, [&](int item) {
      const auto record = tile.record(item / R::parts);
      const int first = item % R::parts * n;
      using executor::in, executor::out;
      in(record + (gradient + first), n);
      R::F::backward(in(record + (output + first), n), out(record + (gradient + first), n), n);
    });
  }

  /// Passes on what the phase `row` made, or computes each number of dx by a thread of its own.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using R = Function<S, Tile>;
    if constexpr (!R::shared) {
      RecordElementKernel<element_kernels::Riders>::input_gradient<S>(x, tile);
    } else {
      constexpr int output = Tile::Record::template output<S>, gradient = Tile::Record::template gradient<S>,
                    n = R::size, numbers = R::parts * n;
      x.items(tile.rows * numbers, [&](int item) {
        const int row = item / numbers, number = item % numbers, i = number % n, first = number - i;
        const auto record = tile.record(row);
        using executor::in;
        give_input_gradient<S>(
            tile, row, number,
            R::F::gradient(in(record + (output + first), n), in(record + (gradient + first), n), n, i));
      });
    }
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
