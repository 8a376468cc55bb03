// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// The version of the C interface of model libraries. Later versions only add functions.
inline constexpr unsigned library_interface = 3;
}  // namespace detail

SINTER_NAMESPACE_END
