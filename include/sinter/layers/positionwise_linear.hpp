// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/options.hpp"
#include "sinter/layers/permute.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

namespace needs {
struct a_sequence_of_steps_and_features;
}  // namespace needs

/// y = W x + b at each step of a sequence by itself, as torch.nn.Linear of such an input.   x [B, T, In]  W [Out, In]
/// b [Out]  y [B, T, Out]   Options: NoBias. Cost 2 B T In Out flops forward, twice that backward.
template <int Out, auto... Options>
struct PositionwiseLinear {
  static constexpr const char* name = "PositionwiseLinear";
  using Needs = needs::a_sequence_of_steps_and_features;
  using Exchange = MapIndices<Transpose<1, 2>>;
  using Ops =
      OpList<Exchange, PositionProduct<Out, layer_option::count<layer_option::NoBiasTag>(Options...) == 0>, Exchange>;
  static constexpr bool accepts(Dims in) { return in.rank == 2; }

  static constexpr bool positive = Out > 0, known = layer_option::only<layer_option::NoBiasTag>(Options...);
  static constexpr bool valid = positive && known;
  static constexpr bool check() {
    static_assert(positive, "sinter: PositionwiseLinear needs a positive number of outputs");
    static_assert(known, "sinter: PositionwiseLinear takes the option NoBias, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::PositionwiseLinear;
}  // namespace sinter
