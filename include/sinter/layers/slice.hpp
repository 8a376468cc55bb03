// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

/// Channels (or features) First to First + Count - 1 of its input, for a branch that needs no others:
///     Concat<Path<Slice<0, 2>, Embedding<10, 4>, Flatten>, Path<Slice<2, 3>>>
/// Along another dimension with a third number, as torch.narrow counts them: Slice<0, 100, 2> of a series is its first
/// 100 numbers in each channel, Slice<0, 100, -1> the same.
template <int First, int Count, int Dim = 1>
struct Slice {
  static constexpr const char* name = "Slice";
  using Needs = needs::a_dimension_of_that_number_with_as_many_numbers_as_are_taken;
  using Ops = OpList<MapIndices<Slice>>;
  static constexpr bool accepts(Dims in) {
    const int axis = axis_of(in.rank, Dim);
    return axis >= 0 && Count <= size_along(in, axis) - First;
  }
  static constexpr IndexMap indices(Dims in) {
    IndexMap map = unchanged(in);
    IndexFactor& taken = map.factor[axis_of(in.rank, Dim)];
    taken.begin = First;
    taken.out = Count;
    return map;
  }

  static constexpr bool positive = First >= 0 && Count > 0;
  static constexpr bool of_samples = Dim != 0;
  static constexpr bool valid = positive && of_samples;
  static constexpr bool check() {
    static_assert(positive, "sinter: Slice takes one channel or more, from channel 0 or later: Slice<first, count>");
    static_assert(of_samples, "sinter: dimension 0 of a Slice is the batch; 1 are the channels, -1 the last dimension");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Slice;
}  // namespace sinter
