// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// The version of the C interface of model libraries. A later one has more functions, and the same ones.
inline constexpr unsigned library_interface = 3;
}  // namespace detail

SINTER_NAMESPACE_END
