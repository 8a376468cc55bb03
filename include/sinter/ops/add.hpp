// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = a + b, element by element. Adjoint: da = dy, db = dy.
struct Add {
  static constexpr Op describe(Dims a, Dims) {
    Op op;
    op.kind = OpKind::add;
    op.name = "add";
    op.in = op.out = a;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Add;
}  // namespace sinter::ops
