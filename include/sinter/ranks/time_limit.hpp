// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// How long a rank waits for another one, as a time that can be added to the present: at most years.
inline std::chrono::seconds time_limit(std::chrono::seconds limit) {
  if (limit.count() < 0)
    fail("ranks were given a time limit of " + std::to_string(limit.count()) + " s; give them 0 or more");
  return std::min<std::chrono::seconds>(limit, std::chrono::years(10));
}

/// "rank 2", "ranks 0, 2 and 3", "ranks 0, 1, 2, 3 and 60 others", or, of none, "other ranks".
SINTER_COLD inline std::string text_of_ranks(std::vector<int> ranks) {
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  constexpr std::size_t most = 4;
  const std::size_t named = ranks.size() > most + 1 ? most : ranks.size(), others = ranks.size() - named;
  if (named == 0) return "other ranks";
  std::string text = named == 1 ? "rank " : "ranks ";
  for (std::size_t i = 0; i < named; ++i)
    text += (i == 0 ? "" : i + 1 == named && others == 0 ? " and " : ", ") + std::to_string(ranks[i]);
  return others == 0 ? text : text + " and " + std::to_string(others) + " others";
}

}  // namespace detail

SINTER_NAMESPACE_END
