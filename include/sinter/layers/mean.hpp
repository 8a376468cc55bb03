// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// One number along each of some dimensions, which are then left out. Of a sample that has no others, one feature.
template <IndexRule Rule, int... Dimensions>
struct Reduction {
  static constexpr bool accepts(Dims in) { return has_dimensions<Dimensions...>(in); }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    for (const int dim : std::array<int, sizeof...(Dimensions)>{Dimensions...}) {
      IndexFactor& factor = map.factor[axis_of(in.rank, dim)];
      factor.rule = Rule;
      factor.out = 1;
    }
    int left = 0;
    for (int dim = 1; dim <= in.rank; ++dim) left += map.factor[axis_of(in.rank, dim)].rule != Rule;
    map.rank = left > 0 ? left : 1;
    int next = 0;
    for (int dim = 1; dim <= in.rank; ++dim) {
      IndexFactor& factor = map.factor[axis_of(in.rank, dim)];
      factor.out_axis = factor.rule == Rule ? 0 : axis_of(map.rank, ++next);
    }
    return map;
  }

  static constexpr bool valid = sizeof...(Dimensions) > 0 && (... && (Dimensions != 0));
};
}  // namespace detail

/// The mean along some dimensions, which are then left out, as torch.mean(x, dim=(..)): Mean<2> of a series is the mean
/// of each channel, Mean<2, 3> that of an image. Dimension 0 is the batch, -1 the last one.
template <int... Dimensions>
struct Mean : detail::Reduction<IndexRule::mean, Dimensions...> {
  static constexpr const char* name = "Mean";
  using Needs = needs::dimensions_of_these_numbers;
  using Ops = OpList<MapIndices<Mean>>;
  static constexpr bool check() {
    static_assert(Mean::valid,
                  "sinter: Mean takes one dimension or more; 0 is the batch, 1 the channels, -1 the last one");
    return true;
  }
};

/// The sum along some dimensions, which are then left out, as torch.sum(x, dim=(..)).
template <int... Dimensions>
struct Sum : detail::Reduction<IndexRule::sum, Dimensions...> {
  static constexpr const char* name = "Sum";
  using Needs = needs::dimensions_of_these_numbers;
  using Ops = OpList<MapIndices<Sum>>;
  static constexpr bool check() {
    static_assert(Sum::valid,
                  "sinter: Sum takes one dimension or more; 0 is the batch, 1 the channels, -1 the last one");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Mean;
using internal::Sum;
}  // namespace sinter
