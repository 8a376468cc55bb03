// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/fn/negative_part.hpp"
#include "sinter/fn/relu.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/add.hpp"
#include "sinter/ops/map.hpp"
#include "sinter/ops/scale.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct PerChannelTag {};
}  // namespace layer_option
/// A slope for each channel instead of one for all.
inline constexpr layer_option::PerChannelTag PerChannel{};

/// y = max(x, 0) + w min(x, 0) (He and others, 2015), with one w, 0.25 at the start, or one for each channel:
/// PReLU<PerChannel>.   weight [1] or [C]. Four ops, so it costs more than LeakyReLU, whose slope is a constant.
template <auto... Options>
struct PReLU {
  static constexpr const char* name = "PReLU";
  using Needs = needs::any_shape;
  using Positive = Map<fn::Relu>;
  using Negative = Map<fn::NegativePart>;
  using Slope = Scale<Start::quarter>;
  using Ops = OpList<Positive, Negative, Slope, Add>;
  static constexpr bool accepts(Dims) { return true; }
  static constexpr Dims output(Dims in) { return in; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    const Wire positive = to.template op<Positive>(x);
    Wire negative = x;  // with one weight all numbers are one channel
    if (layer_option::count<layer_option::PerChannelTag>(Options...) == 0) negative.dims = image(1, 1, x.dims.size());
    negative = to.template op<Slope>(to.template op<Negative>(negative));
    negative.dims = x.dims;
    return to.template op<Add>(negative, positive);
  }

  static constexpr bool valid = layer_option::only<layer_option::PerChannelTag>(Options...);
  static constexpr bool check() {
    static_assert(valid, "sinter: PReLU takes the option PerChannel, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::PerChannel;
using internal::PReLU;
}  // namespace sinter
