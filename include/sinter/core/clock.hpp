// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// A clock: seconds since a fixed moment. Tests pass their own.
using Clock = double (*)();

/// Seconds of a clock that never goes back. (Most of <chrono> costs a third of a second to compile.)
double monotonic_seconds();

SINTER_NAMESPACE_END

namespace sinter {
using internal::monotonic_seconds;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/core/clock.ipp"
#endif
