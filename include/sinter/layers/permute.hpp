// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

/// Its input with the dimensions in another order, as torch.permute: dimension k of y is dimension `Order`[k] of x.
/// Dimension 0 is the batch, and stays the first.
///     Permute<0, 2, 3, 1>     // [B, C, H, W] to [B, H, W, C]
template <int... Order>
struct Permute {
  static constexpr bool valid = [] {
    constexpr int n = sizeof...(Order), order[] = {Order..., 0};
    for (int i = 0; i < n; ++i) {
      int found = 0;
      for (int k = 0; k < n; ++k) found += order[k] == i;
      if (found != 1) return false;
    }
    return n >= 2 && order[0] == 0;
  }();

  static constexpr const char* name = "Permute";
  using Needs = needs::as_many_dimensions_as_it_names_with_the_batch;
  using Ops = OpList<MapIndices<Permute>>;
  static constexpr bool accepts(Dims in) { return in.rank + 1 == sizeof...(Order); }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    constexpr int order[] = {Order..., 0};
    for (int dim = 1; dim <= in.rank; ++dim) map.factor[axis_of(in.rank, order[dim])].out_axis = axis_of(in.rank, dim);
    return map;
  }
  static constexpr bool check() {
    static_assert(valid, "sinter: Permute takes each dimension once, the batch first: Permute<0, 2, 1>");
    return true;
  }
};

/// Its input with two dimensions exchanged, as torch.transpose; dimension 0 is the batch, -1 the last one.
///     Transpose<1, 2>     // [B, C, L] to [B, L, C]
template <int First, int Second>
struct Transpose {
  static constexpr const char* name = "Transpose";
  using Needs = needs::dimensions_of_these_numbers;
  using Ops = OpList<MapIndices<Transpose>>;
  static constexpr bool accepts(Dims in) { return has_dimensions<First, Second>(in); }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    const int first = axis_of(in.rank, First), second = axis_of(in.rank, Second);
    map.factor[first].out_axis = second;
    map.factor[second].out_axis = first;
    return map;
  }

  static constexpr bool valid = First != 0 && Second != 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: dimension 0 of a Transpose is the batch; 1 are the channels, -1 the last dimension");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Permute;
using internal::Transpose;
}  // namespace sinter
