// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct an_image_of_channels_height_width_with_shares_of_at_most_65536_numbers;
}  // namespace needs

/// The mean of each of Height x Width shares of an image, channel by channel: AdaptiveAvgPool2d<1> is the mean of all.
/// x [B, C, H, W]  y [B, C, Height, Width]. Share i goes from i H / Height, rounded down, to (i + 1) H / Height,
/// rounded up.
template <int Height, int Width = Height>
struct AdaptiveAvgPool2d {
 private:
  static constexpr bool positive = Height > 0 && Width > 0;
  using Shares = AdaptivePool<(positive ? Height : 1), (positive ? Width : 1)>;

 public:
  static constexpr const char* name = "AdaptiveAvgPool2d";
  using Needs = needs::an_image_of_channels_height_width;
  using Ops = OpList<Shares>;
  static constexpr bool accepts(Dims in) { return in.rank == 3; }

 private:  // checked last: clang reads no further in a class that it refuses
  static_assert(positive, "sinter: the sizes of AdaptiveAvgPool2d are 1 or more");
};

/// The largest element of each of these shares.   x [B, C, H, W]  y [B, C, Height, Width]
template <int Height, int Width = Height>
struct AdaptiveMaxPool2d {
 private:
  static constexpr bool positive = Height > 0 && Width > 0;
  using Shares = AdaptivePool<(positive ? Height : 1), (positive ? Width : 1), false>;

 public:
  static constexpr const char* name = "AdaptiveMaxPool2d";
  using Needs = needs::an_image_of_channels_height_width_with_shares_of_at_most_65536_numbers;
  using Ops = OpList<Shares>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && Shares::countable(in); }

 private:  // checked last: clang reads no further in a class that it refuses
  static_assert(positive, "sinter: the sizes of AdaptiveMaxPool2d are 1 or more");
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::AdaptiveAvgPool2d;
using internal::AdaptiveMaxPool2d;
}  // namespace sinter
