// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = m x with m = 0 with probability P, else 1 / (1 - P); one decision for an element or for a channel.
/// Adjoint: dx = m dy, by the same counters and so the same decisions.
template <double P, bool PerChannel>
struct Mask {
  static constexpr bool valid = P >= 0 && P <= 1;
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
  static constexpr bool check() {
    static_assert(valid, "sinter: ops::Mask<P, PerChannel> takes a probability P from 0 to 1");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Mask;
}  // namespace sinter::ops
