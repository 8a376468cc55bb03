// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/named_options.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

[[noreturn]] SINTER_COLD inline void fail_option_of_one(const char* optimizer, std::string_view option, double value) {
  fail(joined({optimizer, " was given ", option, " = ", exact_text(value),
               ", which is 1 in the precision of the network, expected less than 1; correct that option"}));
}
/// Fails at an option of an optimizer that is below 1, as it must be, but 1 in the precision of the network.
template <class T, class Optimizer>
void check_options_below_one(const Optimizer& optimizer) {
  for_each_option(optimizer, [](std::string_view name, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double> && sizeof(T) < sizeof(double))
      if (value < 1 && static_cast<T>(value) >= T(1))
        if (name == "momentum" || name == "alpha" || name == "beta1" || name == "beta2")
          fail_option_of_one(Optimizer::name, name, value);
  });
}

}  // namespace detail

SINTER_NAMESPACE_END
