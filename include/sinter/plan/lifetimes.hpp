// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// Memory that is needed from its first use to its last, both included: moments of a step.
struct Lifetime {
  int size = 0;
  int first_use = 0, last_use = 0;
  int offset = 0;

  constexpr bool overlaps(const Lifetime& other) const {
    return first_use <= other.last_use && other.first_use <= last_use;
  }
};

/// Gives the first `count` their offsets, multiples of `alignment`, so that no two whose lifetimes overlap share
/// memory: first fit, the largest first. Returns the size of all. Cost O(count^2).
template <int Most>
constexpr int place_by_lifetime(Lifetime (&all)[Most], int count, int alignment) {
  int by_size[Most]{}, by_offset[Most]{};  // numbers of all, and of those that are placed
  for (int i = 0; i < count; ++i) {
    int at = i;
    for (; at > 0 && all[by_size[at - 1]].size < all[i].size; --at) by_size[at] = by_size[at - 1];
    by_size[at] = i;
  }
  int end = 0;
  for (int i = 0; i < count; ++i) {
    Lifetime& one = all[by_size[i]];
    one.offset = 0;
    for (int k = 0; k < i; ++k) {
      const Lifetime& other = all[by_offset[k]];
      if (!one.overlaps(other)) continue;
      if (one.offset + one.size <= other.offset) break;
      const int after = round_up(other.offset + other.size, alignment);
      if (after > one.offset) one.offset = after;
    }
    int at = i;
    for (; at > 0 && all[by_offset[at - 1]].offset > one.offset; --at) by_offset[at] = by_offset[at - 1];
    by_offset[at] = by_size[i];
    if (one.offset + one.size > end) end = one.offset + one.size;
  }
  return end;
}

SINTER_NAMESPACE_END
