// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = channels (or features) First to First + Count - 1 of x. Adjoint: dx = dy in these channels, else 0.
template <int First, int Count>
struct TakeChannels {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::slice;
    op.name = "slice";
    op.in = op.out = in;
    op.out.channels = Count;
    op.begin = First;
    return op;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::TakeChannels;
}  // namespace sinter::ops
