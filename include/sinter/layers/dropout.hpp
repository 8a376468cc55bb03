// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/mask.hpp"

SINTER_NAMESPACE_BEGIN

/// While training, y = 0 with probability P (0 to 1), else x / (1 - P); the identity in inference. Decisions are
/// counter-based: the same for a sample, step and seed on every device, whatever the batch, tile or thread.
template <auto P = 0.5>
struct Dropout {
  static constexpr const char* name = "Dropout";
  using Needs = needs::any_shape;
  using Ops = OpList<Mask<static_cast<double>(P), false>>;
  static constexpr bool accepts(Dims) { return true; }

  static constexpr bool valid = P >= 0 && P <= 1;
  static constexpr bool check() {
    static_assert(valid, "sinter: the probability of Dropout is between 0 and 1");
    return true;
  }
};

/// Dropout of whole channels.   x [B, C, H, W]
template <auto P = 0.5>
struct Dropout2d {
  static constexpr const char* name = "Dropout2d";
  using Needs = needs::an_image_of_channels_height_width;
  using Ops = OpList<Mask<static_cast<double>(P), true>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3; }

  static constexpr bool valid = P >= 0 && P <= 1;
  static constexpr bool check() {
    static_assert(valid, "sinter: the probability of Dropout2d is between 0 and 1");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Dropout;
using internal::Dropout2d;
}  // namespace sinter
