// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/optimizer/facts.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The number of the state that has sums of squares; -1 if it is not known that one has.
template <class Optimizer>
int state_of_squares([[maybe_unused]] const Optimizer& optimizer) {
  if constexpr (requires {
                  requires StatesFacts<Optimizer>;
                  optimizer.squares;
                })
    return static_cast<int>(optimizer.squares);
  else
    return -1;
}

/// Fails at a number of an optimizer's state, [states][arena], that is not finite, or a sum of squares below 0, of
/// which an update would make NaN: in a state that is not the optimizer's own.
template <class Ops, class Optimizer, class T>
SINTER_COLD void check_state(const Optimizer& optimizer, const T* state) {
  for (int number = 0; number < Optimizer::states; ++number) {
    const T* const numbers = state + static_cast<std::ptrdiff_t>(number) * Ops::arena_size;
    const bool squares = number == state_of_squares(optimizer);
    for (const auto& p : Ops::parameters)
      for (int i = p.offset; i < p.offset + p.size; ++i)
        if (!is_finite(numbers[i]) || (squares && numbers[i] < 0))
          fail(joined({"the state ", std::to_string(number), " of the optimizer has ", exact_text(numbers[i]), " for ",
                       p.name, ", expected ", squares ? "sums of squares, at least 0" : "finite numbers",
                       "; correct what was written to it, or continue from an earlier snapshot or checkpoint"}));
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
