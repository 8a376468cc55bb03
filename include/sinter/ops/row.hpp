// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/apply.hpp"
#include "sinter/fn/functor_checks.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = F(x) over all elements of a sample, or over each of its rows along the last dimension. Adjoint from y:
/// dx = F'(y) dy.
template <class F, bool AlongLast = false>
struct Row {
  using Functor = F;
  static constexpr bool valid = detail::IsRowFunctor<F>;
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::row;
    op.name = fn::name_of<F>;
    op.in = op.out = in;
    if (AlongLast && in.rank > 1) op.groups = in.channels * in.height;
    return op;
  }
  /// If not valid, compilation ends here with a message.
  static constexpr bool check() {
    constexpr bool forward = detail::ForwardsRow<F>, backward = !forward || detail::GoesBackRow<F>;
    static_assert(
        forward,
        "sinter: the functor of a RowActivation has no static forward(const V* x, V* y, int n), a template over V");
    static_assert(backward,
                  "sinter: the functor of a RowActivation has no static backward(const V* y, V* dy, int n), a template "
                  "over V that makes dx of dy in place");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Row;
}  // namespace sinter::ops
