// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"
#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// What normalises a group. The mean is rounded; the rounding error `rest` corrects it, so that a mean that is large
/// compared with the deviation costs no digits.
template <class V>
struct GroupMoments {
  V mean, rest, scale;

  /// h of an element.
  SINTER_FN V normalized(V x) const { return fn::product((x - mean) - rest, scale); }
  /// dx of an element; `total` and `along` are the means of g and of g h.
  SINTER_FN V gradient(V h, V g, V total, V along) const { return fn::product(g - fn::fma(h, along, total), scale); }
};

/// y = (x - mean) r w + b with r = 1 / sqrt(variance + epsilon), mean and variance over each of `Groups` groups of
/// neighbouring channels of a sample; 0 groups are a group for each channel. `PerChannel` has a w and b for each
/// channel, else for each element. With h = (x - mean) r and g = w dy the adjoint is
/// dx = r (g - mean of g - h mean of g h), dw = sum of dy h, db = sum of dy.
template <int Groups, double Epsilon, bool PerChannel, bool WithWeight, bool WithBias>
struct NormalizeGroups {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::group_normalize;
    op.name = PerChannel ? "group normalize" : "layer normalize";
    op.in = op.out = in;
    op.groups = Groups > 0 ? Groups : in.channels;
    op.per_channel = PerChannel;
    op.epsilon = Epsilon;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    Parameter p{
        .name = "weight", .shape = {op.in.channels}, .rank = 1, .fan_in = 1, .fan_out = 1, .start = Start::ones};
    if (!PerChannel && op.in.rank > 1) {
      p.shape = {op.in.channels, op.in.rank == 2 ? op.in.width : op.in.height, op.in.width};
      p.rank = op.in.rank;
    }
    if (WithWeight) op.weight = to.parameter(p);
    p.name = "bias";
    p.is_bias = true;
    p.start = Start::zeros;
    if (WithBias) op.bias = to.parameter(p);
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::NormalizeGroups;
}  // namespace sinter::ops
