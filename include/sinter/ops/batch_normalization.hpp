// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack.hpp"
#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// [mean, 1 / sqrt(variance + epsilon)] of each channel of x, over all rows and pixels of the batch: a value of the
/// batch and not of a row. Buffers follow them: running = (1 - momentum) running + momentum now, with the unbiased
/// variance; in inference the value comes from these.
/// Adjoint: dx = dmean / n - dr r^3 (x - mean) / n, with r = 1 / sqrt(..).
template <double Epsilon, double Momentum>
struct Statistics {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::statistics;
    op.name = "statistics";
    op.in = in;
    op.out = features(2 * in.channels);
    op.epsilon = Epsilon;
    op.momentum = Momentum;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    const int channels = op.in.channels;
    op.mean = to.buffer({.name = "running_mean", .shape = {channels}, .rank = 1, .start = Start::zeros});
    op.variance = to.buffer({.name = "running_var", .shape = {channels}, .rank = 1, .start = Start::ones});
  }
};

/// y of an element, from what its channel has: scale = r w, shift = b.
template <class V>
SINTER_FN V normalize_channel(V x, V mean, V scale, V shift) {
  return fn::fma(x - mean, scale, shift);
}

/// y = (x - mean) r w + b, channel by channel.
/// Adjoint: dx = r w dy, dmean = - sum of r w dy, dr = sum of w dy (x - mean), dw = sum of dy (x - mean) r,
/// db = sum of dy.
template <bool Affine>
struct NormalizeChannels {
  static constexpr Op describe(Dims in, Dims) {
    Op op;
    op.kind = OpKind::normalize;
    op.name = "normalize";
    op.in = op.out = in;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    if (!Affine) return;
    const int channels = op.in.channels;
    op.weight = to.parameter(
        {.name = "weight", .shape = {channels}, .rank = 1, .fan_in = 1, .fan_out = 1, .start = Start::ones});
    op.bias = to.parameter({.name = "bias",
                            .shape = {channels},
                            .rank = 1,
                            .fan_in = 1,
                            .fan_out = 1,
                            .is_bias = true,
                            .start = Start::zeros});
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::NormalizeChannels;
using internal::Statistics;
}  // namespace sinter::ops
