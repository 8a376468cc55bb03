// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace layer_option {
struct ChannelsFirstTag {};
}  // namespace layer_option
/// An Embedding gives [Size, N], a series for Conv1d.
inline constexpr layer_option::ChannelsFirstTag ChannelsFirst{};

/// A row of a table for each input, a whole number from 0 to Count - 1.   x [B, N]  weight [Count, Size]
/// y [B, N, Size], or, with the option ChannelsFirst, [B, Size, N], as Conv1d reads it. Any other number gives NaN;
/// fit() refuses it beforehand. Inputs have no gradient. Rows start as N(0, 1), as PyTorch's.
template <int Count, int Size, auto... Options>
struct Embedding {
  static constexpr const char* name = "Embedding";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  using Ops = OpList<Lookup<Count, Size, (layer_option::count<layer_option::ChannelsFirstTag>(Options...) > 0)>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }

  static constexpr bool positive = Count > 0 && Size > 0;
  static constexpr bool exact = Count <= 1 << 24;  // up to there a float holds every whole number
  static constexpr bool known = layer_option::only<layer_option::ChannelsFirstTag>(Options...);
  static constexpr bool valid = positive && exact && known;
  static constexpr bool check() {
    static_assert(positive, "sinter: Embedding needs a positive number of rows and of numbers in each");
    static_assert(exact, "sinter: Embedding has at most 16,777,216 rows, because a float tells no more apart");
    static_assert(known, "sinter: Embedding takes the option ChannelsFirst, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ChannelsFirst;
using internal::Embedding;
}  // namespace sinter
