// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct BilinearTag {};
struct AlignCornersTag {};
}  // namespace layer_option

/// An Upsample that takes means of the nearest pixels, as PyTorch's mode="bilinear" (of a series: "linear").
inline constexpr layer_option::BilinearTag Bilinear{};
/// Bilinear with the first and last pixels of both images in the same places: PyTorch's align_corners=True.
inline constexpr layer_option::AlignCornersTag AlignCorners{};

/// An image or a series that is `Factor` times as large, each number repeated: Upsample<2>. Options: Bilinear,
/// AlignCorners.   x [B, C, H, W]  y [B, C, Factor H, Factor W]
template <int Factor, auto... Options>
struct Upsample {
  static constexpr const char* name = "Upsample";
  using Needs = needs::an_image_or_a_series;
  using Ops = OpList<MapIndices<Upsample>>;
  static constexpr bool accepts(Dims in) { return in.rank >= 2; }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    for (int axis = in.rank == 2 ? 2 : 1; axis <= 2; ++axis) {
      map.factor[axis].rule = rule;
      map.factor[axis].out *= Factor;
    }
    return map;
  }

  static constexpr bool aligned = layer_option::count<layer_option::AlignCornersTag>(Options...) > 0,
                        linear = layer_option::count<layer_option::BilinearTag>(Options...) > 0;
  static constexpr IndexRule rule = aligned ? IndexRule::aligned : linear ? IndexRule::linear : IndexRule::nearest;
  static constexpr bool known =
      layer_option::only<layer_option::BilinearTag, layer_option::AlignCornersTag>(Options...);
  static constexpr bool between = linear || !aligned;
  static constexpr bool positive = Factor > 0;
  static constexpr bool valid = known && between && positive;
  static constexpr bool check() {
    static_assert(known, "sinter: Upsample takes Bilinear and AlignCorners, each at most once");
    static_assert(between,
                  "sinter: only an Upsample that is Bilinear has AlignCorners: Upsample<2, Bilinear, AlignCorners>");
    static_assert(positive, "sinter: the factor of Upsample is 1 or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::AlignCorners;
using internal::Bilinear;
using internal::Upsample;
}  // namespace sinter
