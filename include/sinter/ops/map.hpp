// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/of_position.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x), element by element, or F(x, a number for its position): see fn::OfPosition. Adjoint: dx = F'(x) dy, from x
/// or from y as the functor says.
template <class F>
struct Map {
  using Functor = F;
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
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Map;
}  // namespace sinter::ops
