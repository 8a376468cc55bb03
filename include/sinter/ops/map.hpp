// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/functor_checks.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x), element by element, or F(x, a number for its position): see fn::OfPosition. Adjoint: dx = F'(x) dy, from x
/// or from y as the functor says.
template <class F>
struct Map {
  using Functor = F;
  /// What a functor says of its options, as a layer: its check() reports them.
  static constexpr bool options_are_valid = [] {
    if constexpr (detail::IsFunctor<F> && requires { F::valid, F::check(); })
      return F::valid;
    else
      return true;
  }();
  static constexpr bool valid = detail::IsFunctor<F> && options_are_valid;
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::map;
    op.name = fn::name_of<F>;
    op.in = op.out = in;
    op.backward_reads_output = F::backward_reads_output;
    op.of_position = fn::OfPosition<F>;
    op.zeros = fn::zeros_of<F>;
    return op;
  }
  /// If not valid, compilation ends here with a message.
  static constexpr bool check() {
    constexpr bool forward = detail::ForwardsNumber<F>, backward = !forward || detail::GoesBackNumber<F>,
                   says_what_it_reads = !(forward && backward) || detail::SaysWhatItReads<F>;
    static_assert(forward,
                  "sinter: the functor of an activation has no static forward(x) that makes a number of a number");
    static_assert(backward,
                  "sinter: the functor of an activation has no static backward(saved, dy) that makes a number of two");
    static_assert(says_what_it_reads,
                  "sinter: the functor of an activation says which number its backward gets: static constexpr bool "
                  "backward_reads_output = true for the output, false for the input");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Map;
}  // namespace sinter::ops
