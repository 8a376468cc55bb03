// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// y = w x, channel by channel: a convolution of 1 x 1 in as many groups as there are channels.   w [C]
template <Start Begin>
struct Scale {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::product;
    op.name = "scale";
    op.in = op.out = in;
    op.window.groups = in.channels;
    op.per_channel = true;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    op.weight = to.parameter(
        {.name = "weight", .shape = {op.in.channels}, .rank = 1, .fan_in = 1, .fan_out = 1, .start = Begin});
  }
};

/// y = w x + b, channel by channel, w and b being of a shape with as many numbers as there are channels.
template <bool WithBias, Dims Sizes>
struct ScaleAndShift {
  static constexpr Op describe(Dims in) {
    Op op = Scale<Start::ones>::describe(in);
    op.with_bias = WithBias;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    Parameter p{.name = "weight",
                .shape = {Sizes.channels, Sizes.rank == 2 ? Sizes.width : Sizes.height, Sizes.width},
                .rank = Sizes.rank,
                .fan_in = 1,
                .fan_out = 1,
                .start = Start::ones};
    op.weight = to.parameter(p);
    p.name = "bias";
    p.is_bias = true;
    p.start = Start::zeros;
    if (WithBias) op.bias = to.parameter(p);
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Scale;
using internal::Start;
}  // namespace sinter::ops
