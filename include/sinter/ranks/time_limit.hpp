// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <string>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How long a rank waits for another one, as a time that can be added to the present: at most years.
inline std::chrono::seconds time_limit(std::chrono::seconds limit) {
  if (limit.count() < 0)
    fail("ranks were given a time limit of " + std::to_string(limit.count()) + " s; give them 0 or more");
  return std::min<std::chrono::seconds>(limit, std::chrono::years(10));
}

}  // namespace detail

SINTER_NAMESPACE_END
