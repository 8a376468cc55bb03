// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>

#if defined(_MSC_VER)
#include <chrono>
#endif

#include "sinter/core/clock.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION double monotonic_seconds() {
#if defined(_MSC_VER)
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
#else
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
#endif
}

SINTER_NAMESPACE_END
