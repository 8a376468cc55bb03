// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/core/text.hpp"
#include "sinter/network/parameter_names.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Sets the factor on the learning rate of the parameters below `place`. There is one factor for each parameter, or
/// none, as long as all are 1.
SINTER_COLD inline void set_rate_factor(std::vector<double>& factors, std::span<const Parameter> parameters,
                                        const ParameterPlace& place, double factor) {
  if (!(factor >= 0) || !is_finite(factor))
    fail(joined({"the factor ", exact_text(factor), " on the rate of \"", std::string_view(place),
                 "\" was given; give 0 or more"}));
  const std::vector<std::size_t> which = parameters_below(parameters, place);
  factors.resize(parameters.size(), 1);
  for (const std::size_t i : which) factors[i] = factor;
}

}  // namespace detail

SINTER_NAMESPACE_END
