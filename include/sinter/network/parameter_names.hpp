// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How many letters must be added, taken away or replaced to make b of a.
SINTER_COLD std::size_t edit_distance(std::string_view a, std::string_view b);
[[noreturn]] SINTER_COLD void fail_parameter(std::span<const Parameter> all, std::string_view wanted);

/// The number of the parameter of that name. Fails, naming those that are most like it, where there is none.
SINTER_COLD std::size_t parameter_named(std::span<const Parameter> all, std::string_view name);

/// The numbers of the parameters of a layer or of a layer inside another one, "2" or "2.path.0", or of the one
/// parameter of that name, "2.weight". Fails where there is none.
SINTER_COLD std::vector<std::size_t> parameters_below(std::span<const Parameter> all, std::string_view place);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/network/parameter_names.ipp"
#endif
