// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/layer.hpp"
#include "sinter/layers/options.hpp"
#include "sinter/ops/product.hpp"

SINTER_NAMESPACE_BEGIN

/// y = W x + b for each row of the batch.   x [B, In]  W [Out, In]  b [Out]  y [B, Out]
/// Options: NoBias. Cost 2 B In Out flops forward, twice that backward.
template <int Out, auto... Options>
struct Linear {
  static constexpr const char* name = "Linear";
  using Needs = needs::rows_of_features_put_Flatten_before_it;
  static constexpr bool number_too_many = layer_option::more_numbers(0, Options...);
  using Ops = OpList<MatMul<Out, layer_option::count<layer_option::NoBiasTag>(Options...) == 0>>;
  static constexpr bool accepts(Dims in) { return in.rank == 1; }

  static constexpr bool positive = Out > 0,
                        known = number_too_many || layer_option::only<layer_option::NoBiasTag>(Options...);
  static constexpr bool valid = positive && known;
  static constexpr bool check() {
    static_assert(positive, "sinter: Linear needs a positive number of outputs");
    static_assert(known, "sinter: Linear takes the option NoBias, at most once");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Linear;
}  // namespace sinter
