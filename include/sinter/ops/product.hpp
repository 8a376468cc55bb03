// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

/// y = W x + b over the whole sample.   x [In]  W [Out, In]  b [Out]  y [Out]
/// Adjoint: dx = W^T dy, dW += dy x^T, db += dy.
template <int Out, bool WithBias>
struct MatMul {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::product;
    op.name = "matmul";
    op.in = in;
    op.out = features(Out);
    op.whole = true;
    op.with_bias = WithBias;
    return op;
  }
};

/// y = W * x + b, a cross-correlation, as PyTorch's.   x [C, H, W]  W [Out, C / groups, kH, kW]  b [Out]
/// Adjoint: dx[c, y s + ky d - p, ..] += W[o, c, ky, kx] dy[o, y, x], dW likewise, db[o] += sum over pixels of dy[o].
template <int Out, Window W, bool WithBias>
struct Convolution {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::product;
    op.name = "convolution";
    op.in = in;
    op.out = image(Out, W.output_height(in.height), W.output_width(in.width));
    op.window = W;
    op.with_bias = WithBias;
    return op;
  }
};

SINTER_NAMESPACE_END
