// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/shape.hpp"

SINTER_NAMESPACE_BEGIN

/// Room for something that is needed from one moment of a step to another, both included.
struct Lodging {
  int size = 0;
  int born = 0, dies = 0;
  int offset = 0;

  constexpr bool meets(const Lodging& other) const { return born <= other.dies && other.born <= dies; }
};

/// Gives the first `count` their offsets, multiples of `alignment`, so that none overlaps another that it meets: first
/// fit, the largest first. Returns the size of all. Cost O(count^2).
template <int Most>
constexpr int place_by_life(Lodging (&all)[Most], int count, int alignment) {
  int by_size[Most]{}, by_offset[Most]{};  // numbers of all, and of those that are placed
  for (int i = 0; i < count; ++i) {
    int at = i;
    for (; at > 0 && all[by_size[at - 1]].size < all[i].size; --at) by_size[at] = by_size[at - 1];
    by_size[at] = i;
  }
  int end = 0;
  for (int i = 0; i < count; ++i) {
    Lodging& one = all[by_size[i]];
    one.offset = 0;
    for (int k = 0; k < i; ++k) {
      const Lodging& other = all[by_offset[k]];
      if (!one.meets(other)) continue;
      if (one.offset + one.size <= other.offset) break;
      const int behind = round_up(other.offset + other.size, alignment);
      if (behind > one.offset) one.offset = behind;
    }
    int at = i;
    for (; at > 0 && all[by_offset[at - 1]].offset > one.offset; --at) by_offset[at] = by_offset[at - 1];
    by_offset[at] = by_size[i];
    if (one.offset + one.size > end) end = one.offset + one.size;
  }
  return end;
}

SINTER_NAMESPACE_END
