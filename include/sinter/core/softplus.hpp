// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

namespace parts {

/// ln(1 + e) of 0 <= e <= 1, which keeps its digits near 0: 1 + e is 1 + f or, from sqrt(2) on, 2 (1 + f); then as log.
template <class V>
SINTER_FN V log1p_of_share(V e) {
  using F = FormatOf<V>;
  const auto upper = e > constant<V>(0.41421356237309505);
  const V f = select(upper, (e - V(1)) * constant<V>(0.5), e);
  const V k = select(upper, V(1), V(0));
  const V s = f / (V(2) + f);
  const V half_square = f * f * constant<V>(0.5);
  const V u = fma(s, fma(s * s, atanh_tail(s * s), half_square), k * constant<V>(F::ln2_low));
  return fma(k, constant<V>(F::ln2_high), f + fma(f * constant<V>(-0.5), f, u));
}

}  // namespace parts

/// ln(1 + e^x) = max(x, 0) + ln(1 + e^-|x|), which neither overflows nor loses its digits where it is small.
/// Largest error 1.7 units in the last place.
template <class V>
SINTER_FN V softplus(V x) {
  return max(V(0), x) + parts::log1p_of_share(exp(-parts::SignSplit<V>(x).magnitude));
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
