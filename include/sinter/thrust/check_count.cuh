// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A number of rows as CUB takes it. Fails above 2^31 - 1.
inline int checked_count(std::size_t count) {
  constexpr int most = std::numeric_limits<int>::max();
  if (count > static_cast<std::size_t>(most))
    fail(std::to_string(count) + " rows in the memory of a GPU were given, expected at most " + std::to_string(most) +
         "; take a part of them at a time");
  return static_cast<int>(count);
}

}  // namespace detail

SINTER_NAMESPACE_END
