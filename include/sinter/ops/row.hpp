// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/apply.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x) over all elements of a sample. Adjoint from y: dx = F'(y) dy.
template <class F>
struct Row {
  using Functor = F;
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::row;
    op.name = fn::name_of<F>;
    op.in = op.out = in;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Row;
}  // namespace sinter::ops
