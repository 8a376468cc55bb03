// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/apply.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x) over all elements of a sample, or over each of its rows along the last dimension. Adjoint from y:
/// dx = F'(y) dy.
template <class F, bool AlongLast = false>
struct Row {
  using Functor = F;
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::row;
    op.name = fn::name_of<F>;
    op.in = op.out = in;
    if (AlongLast && in.rank > 1) op.groups = in.channels * in.height;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Row;
}  // namespace sinter::ops
