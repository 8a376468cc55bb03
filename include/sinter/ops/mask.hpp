// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = m x with m = 0 with probability P, else 1 / (1 - P); one decision for an element or for a channel.
/// Adjoint: dx = m dy, by the same counters and so the same decisions.
template <double P, bool PerChannel>
struct Mask {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::mask;
    op.name = PerChannel ? "dropout2d" : "dropout";
    op.in = op.out = in;
    op.per_channel = PerChannel;
    op.probability = P;
    op.zeros = P;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Mask;
}  // namespace sinter::ops
