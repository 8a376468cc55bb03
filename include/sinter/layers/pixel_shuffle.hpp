// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// An image of C Factor^2 channels as one that is Factor times as large, or the other way.
constexpr IndexMap shuffled_pixels(Dims large, int factor, bool enlarges) {
  const auto part = [](int size, int axis, int step, int other_axis, int other_step) {
    return IndexFactor{IndexRule::shift, size, size, 0, axis, step, other_axis, other_step};
  };
  const int c = large.channels, h = large.height / factor, w = large.width / factor;
  IndexMap map;
  map.count = 5;
  map.rank = 3;
  if (enlarges) {
    const IndexFactor parts[] = {part(c, 0, factor * factor, 0, 1), part(factor, 0, factor, 1, 1),
                                 part(factor, 0, 1, 2, 1), part(h, 1, 1, 1, factor), part(w, 2, 1, 2, factor)};
    for (int i = 0; i < 5; ++i) map.factor[i] = parts[i];
  } else {
    const IndexFactor parts[] = {part(c, 0, 1, 0, factor * factor), part(h, 1, factor, 1, 1),
                                 part(factor, 1, 1, 0, factor), part(w, 2, factor, 2, 1), part(factor, 2, 1, 0, 1)};
    for (int i = 0; i < 5; ++i) map.factor[i] = parts[i];
  }
  return map;
}
}  // namespace detail

/// Channels become pixels: Factor^2 neighbouring channels are one of an image that is Factor times as large.
///     x [B, C Factor^2, H, W]  y [B, C, Factor H, Factor W]
template <int Factor>
struct PixelShuffle {
  static constexpr const char* name = "PixelShuffle";
  using Needs = needs::an_image_whose_channels_are_divisible_by_the_square_of_the_factor;
  using Ops = OpList<MapIndices<PixelShuffle>>;
  static constexpr bool accepts(Dims in) { return in.rank == 3 && Factor > 0 && in.channels % (Factor * Factor) == 0; }
  static constexpr IndexMap indices(Dims in) {
    return detail::shuffled_pixels(image(in.channels / (Factor * Factor), in.height * Factor, in.width * Factor),
                                   Factor, true);
  }

  static constexpr bool valid = Factor > 0 && Factor <= 1024;
  static constexpr bool check() {
    static_assert(valid, "sinter: the factor of PixelShuffle is 1 or more, and at most 1024");
    return true;
  }
};

/// The other way.   x [B, C, Factor H, Factor W]  y [B, C Factor^2, H, W]
template <int Factor>
struct PixelUnshuffle {
  static constexpr const char* name = "PixelUnshuffle";
  using Needs = needs::an_image_whose_height_and_width_are_divisible_by_the_factor;
  using Ops = OpList<MapIndices<PixelUnshuffle>>;
  static constexpr bool accepts(Dims in) {
    return in.rank == 3 && Factor > 0 && in.height % Factor == 0 && in.width % Factor == 0;
  }
  static constexpr IndexMap indices(Dims in) { return detail::shuffled_pixels(in, Factor, false); }

  static constexpr bool valid = Factor > 0 && Factor <= 1024;
  static constexpr bool check() {
    static_assert(valid, "sinter: the factor of PixelUnshuffle is 1 or more, and at most 1024");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::PixelShuffle;
using internal::PixelUnshuffle;
}  // namespace sinter
