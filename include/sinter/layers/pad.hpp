// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

/// Numbers around the pixels of an image (Rank 3), or before and after a series (Rank 2): what the layers below are.
/// Sizes as PyTorch has them: one for all sides, or left, right, top, bottom.
template <IndexRule Rule, int Rank, int... Sizes>
struct Pad {
  static constexpr bool accepts(Dims in) {
    const bool enough = Rule != IndexRule::reflect || (most(0) < in.width && (Rank == 2 || most(2) < in.height));
    return in.rank == Rank && enough;
  }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    for (int axis = Rank == 2 ? 2 : 1; axis <= 2; ++axis) {
      IndexFactor& along = map.factor[axis];
      const int side = axis == 2 ? 0 : 2;
      along.rule = size(side) + size(side + 1) > 0 ? Rule : IndexRule::shift;
      along.begin = -size(side);
      along.out += size(side) + size(side + 1);
    }
    return map;
  }

  static constexpr int given = sizeof...(Sizes);
  static constexpr bool one_or_all = given == 1 || given == 2 * (Rank - 1);
  static constexpr bool positive = (true && ... && (Sizes >= 0));
  static constexpr bool valid = one_or_all && positive;

 private:
  static constexpr int size(int side) {
    constexpr int all[] = {Sizes..., 0};
    return all[given == 1 ? 0 : side];
  }
  static constexpr int most(int side) { return size(side) > size(side + 1) ? size(side) : size(side + 1); }
};

/// Zeros around an image: ZeroPad2d<1>, or ZeroPad2d<left, right, top, bottom>.   x [B, C, H, W]
template <int... Sizes>
struct ZeroPad2d : Pad<IndexRule::shift, 3, Sizes...> {
  static constexpr const char* name = "ZeroPad2d";
  using Needs = needs::an_image_of_channels_height_width;
  using Ops = OpList<MapIndices<ZeroPad2d>>;
  static constexpr bool check() {
    static_assert(ZeroPad2d::one_or_all, "sinter: ZeroPad2d takes one size, or left, right, top and bottom");
    static_assert(ZeroPad2d::positive, "sinter: the sizes of ZeroPad2d are 0 or more");
    return true;
  }
};
/// Zeros before and after a series: ZeroPad1d<1>, or ZeroPad1d<left, right>.   x [B, C, L]
template <int... Sizes>
struct ZeroPad1d : Pad<IndexRule::shift, 2, Sizes...> {
  static constexpr const char* name = "ZeroPad1d";
  using Needs = needs::a_series_of_channels_and_a_length;
  using Ops = OpList<MapIndices<ZeroPad1d>>;
  static constexpr bool check() {
    static_assert(ZeroPad1d::one_or_all, "sinter: ZeroPad1d takes one size, or left and right");
    static_assert(ZeroPad1d::positive, "sinter: the sizes of ZeroPad1d are 0 or more");
    return true;
  }
};
/// The image mirrored at its edges, which are not repeated; each size is less than that of the image.
template <int... Sizes>
struct ReflectionPad2d : Pad<IndexRule::reflect, 3, Sizes...> {
  static constexpr const char* name = "ReflectionPad2d";
  using Needs = needs::an_image_higher_and_wider_than_its_padding;
  using Ops = OpList<MapIndices<ReflectionPad2d>>;
  static constexpr bool check() {
    static_assert(ReflectionPad2d::one_or_all,
                  "sinter: ReflectionPad2d takes one size, or left, right, top and bottom");
    static_assert(ReflectionPad2d::positive, "sinter: the sizes of ReflectionPad2d are 0 or more");
    return true;
  }
};
/// The same along a series.
template <int... Sizes>
struct ReflectionPad1d : Pad<IndexRule::reflect, 2, Sizes...> {
  static constexpr const char* name = "ReflectionPad1d";
  using Needs = needs::a_series_longer_than_its_padding;
  using Ops = OpList<MapIndices<ReflectionPad1d>>;
  static constexpr bool check() {
    static_assert(ReflectionPad1d::one_or_all, "sinter: ReflectionPad1d takes one size, or left and right");
    static_assert(ReflectionPad1d::positive, "sinter: the sizes of ReflectionPad1d are 0 or more");
    return true;
  }
};
/// The outermost pixels again and again.
template <int... Sizes>
struct ReplicationPad2d : Pad<IndexRule::replicate, 3, Sizes...> {
  static constexpr const char* name = "ReplicationPad2d";
  using Needs = needs::an_image_of_channels_height_width;
  using Ops = OpList<MapIndices<ReplicationPad2d>>;
  static constexpr bool check() {
    static_assert(ReplicationPad2d::one_or_all,
                  "sinter: ReplicationPad2d takes one size, or left, right, top and bottom");
    static_assert(ReplicationPad2d::positive, "sinter: the sizes of ReplicationPad2d are 0 or more");
    return true;
  }
};
/// The same along a series.
template <int... Sizes>
struct ReplicationPad1d : Pad<IndexRule::replicate, 2, Sizes...> {
  static constexpr const char* name = "ReplicationPad1d";
  using Needs = needs::a_series_of_channels_and_a_length;
  using Ops = OpList<MapIndices<ReplicationPad1d>>;
  static constexpr bool check() {
    static_assert(ReplicationPad1d::one_or_all, "sinter: ReplicationPad1d takes one size, or left and right");
    static_assert(ReplicationPad1d::positive, "sinter: the sizes of ReplicationPad1d are 0 or more");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ReflectionPad1d;
using internal::ReflectionPad2d;
using internal::ReplicationPad1d;
using internal::ReplicationPad2d;
using internal::ZeroPad1d;
using internal::ZeroPad2d;
}  // namespace sinter
