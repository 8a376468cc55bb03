// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// The weight and the bias of a product. `to.parameter(..)` writes one down and gives its number.
template <class Builder>
constexpr void declare_product(Op& op, Builder& to, std::array<int, 4> shape, int rank,
                               Start bias_start = Start::drawn) {
  const Parameter weight{
      .name = "weight", .shape = shape, .rank = rank, .fan_in = op.fan_in(), .fan_out = op.fan_out()};
  op.weight = to.parameter(weight);
  if (!op.with_bias) return;
  Parameter bias = weight;
  bias.name = "bias";
  bias.shape = {op.out.channels};
  bias.rank = 1;
  bias.is_bias = true;
  bias.start = bias_start;
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

/// y = W x + b at each place of a series, whose channels are the features: a convolution of width 1 with a weight of
/// two dimensions.   x [In, T]  W [Out, In]  b [Out]  y [Out, T]
template <int Out, bool WithBias>
struct PositionProduct {
  static constexpr Op describe(Dims in) { return Convolution<Out, Window{}, WithBias>::describe(in); }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    declare_product(op, to, {Out, op.in.channels}, 2);
  }
};

/// y = the adjoint of a convolution from Out to C channels, and b.   x [C, H, W]  W [C, Out / groups, kH, kW]  b [Out]
/// y[o, y s + ky d - p, ..] += W[c, o, ky, kx] x[c, y, x]; More rows and columns at the end that it might leave out.
/// Adjoint: dx = the convolution of dy with W, dW[c, o, ky, kx] += sum of x dy, db as a convolution's.
template <int Out, Window W, int MoreHeight, int MoreWidth, bool WithBias>
struct TransposedConvolution {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::product;
    op.name = "transposed convolution";
    op.in = in;
    op.out = {in.rank, Out, length(in.height, W.stride_height, W.padding_height, W.reach_height(), MoreHeight),
              length(in.width, W.stride_width, W.padding_width, W.reach_width(), MoreWidth)};
    op.transposed = true;
    op.window = W;
    op.with_bias = WithBias;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    declare_product(op, to, {op.in.channels, Out / W.groups, W.height, W.width}, 4);
  }

 private:
  static constexpr int length(int in, int stride, int padding, int reach, int more) {
    return (in - 1) * stride - 2 * padding + reach + more;
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Convolution;
using internal::MatMul;
using internal::PositionProduct;
using internal::TransposedConvolution;
}  // namespace sinter::ops
