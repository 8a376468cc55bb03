// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"
#include "sinter/core/named_options.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The options of the optimizer, with the rate that it was given with, and the loss with its options.
template <class State>
SINTER_COLD NamedOptions training_options(const State& at) {
  NamedOptions all;
  auto given = at.optimizer;
  given.lr = at.first_rate;
  const std::string name(given.name);
  for_each_option(given, [&](std::string_view option, const auto& value) {
    add_option(all, name + "." + std::string(option), value);
  });
  add_option(all, "loss", at.loss);
  return all;
}

}  // namespace detail

SINTER_NAMESPACE_END
