// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/optimizer/moving_average.hpp"

SINTER_NAMESPACE_BEGIN

/// Whether the average of a network's weights, if an optimizer keeps one, is for a network of the same model. If not,
/// compilation ends here with a message.
template <class Net, class Optimizer>
constexpr bool check_averages_into() {
  if constexpr (KeepsAverage<Optimizer>) {
    using Averaged = std::remove_pointer_t<decltype(Optimizer::averaged)>;
    constexpr bool same_model = std::is_same_v<typename Averaged::Model, typename Net::Model>;
    static_assert(same_model,
                  "sinter: moving_average is given a network of another model than the one that is trained; make a "
                  "second network of that model for the average");
    return same_model;
  } else {
    return true;
  }
}

SINTER_NAMESPACE_END
