// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

/// Its input with the numbers along some dimensions in reverse, as torch.flip: Flip<-1>, Flip<2, 3>. Dimension 0 is the
/// batch, -1 the last one.
template <int... Dimensions>
struct Flip {
  static constexpr const char* name = "Flip";
  using Needs = needs::dimensions_of_these_numbers;
  using Ops = OpList<MapIndices<Flip>>;
  static constexpr bool accepts(Dims in) { return has_dimensions<Dimensions...>(in); }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    for (const int dim : {Dimensions...}) map.factor[axis_of(in.rank, dim)].rule = IndexRule::flip;
    return map;
  }

  static constexpr bool valid = sizeof...(Dimensions) > 0 && (... && (Dimensions != 0));
  static constexpr bool check() {
    static_assert(valid, "sinter: Flip takes one dimension or more; 0 is the batch, 1 the channels, -1 the last one");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Flip;
}  // namespace sinter
