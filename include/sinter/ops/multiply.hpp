// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = a b, element by element. Adjoint: da = b dy, db = a dy.
struct Multiply {
  static constexpr Op describe(Dims a, Dims) {
    Op op;
    op.kind = OpKind::multiply;
    op.name = "multiply";
    op.in = op.out = a;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Multiply;
}  // namespace sinter::ops
