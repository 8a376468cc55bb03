// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <limits>
#include <type_traits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether what an optimizer says of its updates (`settled`, `moderate()`, `squares`) is of this type, and not
/// inherited by one that has an update of its own.
template <class Optimizer>
concept StatesFacts = std::same_as<typename Optimizer::FactsOf, Optimizer>;

/// `FactsOf` of an optimizer made of another one, for which its facts hold, too.
template <class Made, class Optimizer>
using FactsIfOf = std::conditional_t<StatesFacts<Optimizer>, Made, void>;

/// The step from which on the updates of an optimizer are the same; the largest number if it is not known.
template <class Optimizer>
inline constexpr long settled_step = [] {
  if constexpr (requires {
                  requires StatesFacts<Optimizer>;
                  Optimizer::settled;
                })
    return Optimizer::settled;
  else
    return std::numeric_limits<long>::max();
}();

SINTER_NAMESPACE_END
