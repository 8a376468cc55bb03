// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "sinter/core/pack.hpp"

SINTER_NAMESPACE_BEGIN

namespace fn {

namespace parts {
template <class T>
inline constexpr T least_normal = std::numeric_limits<T>::min();
}

/// x, or 0 where it is subnormal: closer to 0 than the least normal number, 2^-126 for float. Processors compute with
/// subnormal numbers several to a hundred times as slowly as with others, and what decays, such as the momentum of a
/// dead unit, would otherwise stay subnormal forever.
template <class V>
SINTER_FN V flush_subnormal(V x) {
  return select(max(x, -x) < V(parts::least_normal<scalar_of<V>>), V(0), x);
}

}  // namespace fn

SINTER_NAMESPACE_END

namespace sinter {
namespace fn = internal::fn;
}  // namespace sinter
