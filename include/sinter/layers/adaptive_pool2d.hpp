// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct an_image_of_channels_height_width_with_windows_of_at_most_65536_numbers;
}  // namespace needs

/// The mean of each of Height x Width regions of an image, channel by channel: AdaptiveAvgPool2d<1> is the mean of all.
/// x [B, C, H, W]  y [B, C, Height, Width]. Region i goes from i H / Height, rounded down, to (i + 1) H / Height,
/// rounded up.
template <int Height, int Width = Height>
struct AdaptiveAvgPool2d {
  static constexpr const char* name = "AdaptiveAvgPool2d";
  using Needs = needs::an_image_of_channels_height_width;
  using Ops = OpList<AdaptivePool<Height, Width>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3; }

  static constexpr bool valid = Height > 0 && Width > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: the sizes of AdaptiveAvgPool2d are 1 or more");
    return true;
  }
};

/// The largest element of each of these regions.   x [B, C, H, W]  y [B, C, Height, Width]
template <int Height, int Width = Height>
struct AdaptiveMaxPool2d {
  static constexpr const char* name = "AdaptiveMaxPool2d";
  using Needs = needs::an_image_of_channels_height_width_with_windows_of_at_most_65536_numbers;
  using Ops = OpList<AdaptivePool<Height, Width, false>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && AdaptivePool<Height, Width, false>::countable(in); }

  static constexpr bool valid = Height > 0 && Width > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: the sizes of AdaptiveMaxPool2d are 1 or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::AdaptiveAvgPool2d;
using internal::AdaptiveMaxPool2d;
}  // namespace sinter
