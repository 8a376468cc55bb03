// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The key by which items are sorted, and the number of the item.
struct SortKey {
  std::uint64_t first = 0, second = 0;
  std::string_view name;
  std::size_t item = 0;
  friend bool operator<(const SortKey& a, const SortKey& b) {
    if (a.first != b.first) return a.first < b.first;
    if (a.second != b.second) return a.second < b.second;
    return a.name < b.name;
  }
};

/// One function for all lists: a sort takes long to compile.
[[gnu::noinline]] SINTER_COLD inline void sort_keys(std::vector<SortKey>& keys) { std::sort(keys.begin(), keys.end()); }

/// Fails, and names it, if a name occurs twice. Sorts the keys.
SINTER_COLD void check_names_differ(std::vector<SortKey>& names, std::string_view where);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/sorted.ipp"
#endif
