// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// The weight and the bias of a product. `to.parameter(..)` writes one down and gives its number.
template <class Builder>
constexpr void declare_product(Op& op, Builder& to, std::array<int, 4> shape, int rank) {
  const Parameter weight{
      .name = "weight", .shape = shape, .rank = rank, .fan_in = op.fan_in(), .fan_out = op.fan_out()};
  op.weight = to.parameter(weight);
  if (!op.with_bias) return;
  Parameter bias = weight;
  bias.name = "bias";
  bias.shape = {op.out.channels};
  bias.rank = 1;
  bias.is_bias = true;
  op.bias = to.parameter(bias);
}

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
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    declare_product(op, to, {Out, op.in.size()}, 2);
  }
};

/// y = W * x + b, a cross-correlation, as PyTorch's.   x [C, H, W]  W [Out, C / groups, kH, kW]  b [Out]
/// A series [C, L] is an image of one row, and its W is [Out, C / groups, k].
/// Adjoint: dx[c, y s + ky d - p, ..] += W[o, c, ky, kx] dy[o, y, x], dW likewise, db[o] += sum over pixels of dy[o].
template <int Out, Window W, bool WithBias>
struct Convolution {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::product;
    op.name = "convolution";
    op.in = in;
    op.out = {in.rank, Out, W.output_height(in.height), W.output_width(in.width)};
    op.window = W;
    op.with_bias = WithBias;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    if (op.in.rank == 2)
      declare_product(op, to, {Out, op.in.channels / W.groups, W.width}, 3);
    else
      declare_product(op, to, {Out, op.in.channels / W.groups, W.height, W.width}, 4);
  }
};

SINTER_NAMESPACE_END
