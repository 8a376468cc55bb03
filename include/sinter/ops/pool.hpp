// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = the largest element, or the mean, of each window. What is around the image counts as -infinity for the largest
/// and as 0, in the mean, as in PyTorch. Adjoint: dy goes to the first largest element, or in equal parts to all.
template <Window W, bool Average>
struct Pool {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::pool;
    op.name = Average ? "average pool" : "max pool";
    op.in = in;
    op.out = image(in.channels, W.output_height(in.height), W.output_width(in.width));
    op.window = W;
    op.average = Average;
    op.zeros = Average ? 0 : 1 - 1.0 / W.taps();
    return op;
  }
};

SINTER_NAMESPACE_END
