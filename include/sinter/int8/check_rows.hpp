// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/data/dataset.hpp"
#include "sinter/network/network.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether a network reads rows of such a view without a scale. If not, compilation ends here with a message.
template <class Net, class View, bool Scaled>
constexpr bool check_rows() {
  constexpr bool fits = has_rows_of<View, typename Net::InputRow>;
  static_assert(fits,
                "sinter: the rows given do not have the shape of the network's Input: see has_rows_of<given, needed>");
  static_assert(Scaled || !needs_scale<typename View::Value>,
                "sinter: integers need a scale: quantize(net, rows, Normalize::pixels(mean, deviation))");
  return fits;
}

}  // namespace detail

SINTER_NAMESPACE_END
