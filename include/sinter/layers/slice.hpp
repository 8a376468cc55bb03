// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/ops/slice.hpp"

SINTER_NAMESPACE_BEGIN

/// Channels (or features) First to First + Count - 1 of its input, for a branch that wants no others:
///     Concat<Path<Slice<0, 2>, Embedding<10, 4>, Flatten>, Path<Slice<2, 3>>>
template <int First, int Count>
struct Slice {
  static constexpr const char* name = "Slice";
  using Needs = needs::as_many_channels_as_are_taken_of_it;
  using Ops = OpList<TakeChannels<First, Count>>;
  static constexpr bool accepts(Dims in) { return First + Count <= in.channels; }

 private:  // checked last: clang reads no further in a class that it refuses
  static constexpr bool positive = First >= 0 && Count > 0;
  static_assert(positive, "sinter: Slice takes one channel or more, from channel 0 or later: Slice<first, count>");
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Slice;
}  // namespace sinter
