// SPDX-License-Identifier: MIT
#pragma once

#include <ctime>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// The time of day, UTC.
inline timespec wall_clock() {
  timespec now{};
#if defined(_WIN32) && !defined(_MSC_VER)  // mingw has no timespec_get
  clock_gettime(CLOCK_REALTIME, &now);
#else
  std::timespec_get(&now, TIME_UTC);
#endif
  return now;
}
}  // namespace detail

SINTER_NAMESPACE_END
