// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

namespace parts {

/// e^x - 1 of x <= 0, which keeps its digits near 0. Largest error 1.2 units in the last place.
template <class V>
SINTER_FN V expm1_below_zero(V x) {
  const ExpReduced<V> reduced(max(constant<V>(-2 * FormatOf<V>::tanh_one), x));
  const V scale = power_of_two<V>(reduced.k);
  return fma(scale, reduced.expm1_r, scale - V(1));
}

}  // namespace parts

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
