// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"

SINTER_NAMESPACE_BEGIN

/// [B, C, H, W] as [B, C H W], row-major. It names the shape anew and does no work: no op.
struct Flatten {
  static constexpr const char* name = "Flatten";
  using Needs = needs::any_shape;
  using Ops = OpList<>;
  static constexpr bool accepts(Dims) { return true; }
  static constexpr Dims output(Dims in) { return features(in.size()); }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Flatten;
}  // namespace sinter
