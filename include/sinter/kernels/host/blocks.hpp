// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// M x N sums that are in registers together.
struct Block {
  int m = 1, n = 1;
  /// Whether there are registers for them, for the N packs that are kept and for one more of each.
  constexpr bool fits(int registers) const { return m * n + n + 2 <= registers; }
  /// Half cycles for a term: two multiply-adds a cycle, of at least 8 in flight, and two loads a cycle.
  constexpr int cost() const { return std::max({m * n, 8, m + n}); }
};

/// The block of at most M x N sums of least cost(block), of equal ones the last one that is tried.
template <class Cost>
constexpr Block best_block(int M, int N, int registers, Cost cost) {
  Block found;
  auto least = cost(found);
  for (int m = 1; m <= M; ++m)
    for (int n = 1; n <= N && Block{m, n}.fits(registers); ++n)
      if (const auto now = cost(Block{m, n}); now <= least) {
        least = now;
        found = {m, n};
      }
  return found;
}

/// The same of an image: `packs` packs of each of `rows` rows of each of `channels` channels.
struct ImageBlock {
  int channels = 1, rows = 1, packs = 1;
  constexpr Block sums() const { return {channels, rows * packs}; }
};
template <class Cost>
constexpr ImageBlock best_image_block(ImageBlock most, int registers, Cost cost) {
  ImageBlock found;
  auto least = cost(found);
  for (int rows = 1; rows <= most.rows; ++rows)
    for (int packs = 1; packs <= most.packs; ++packs)
      for (int channels = 1; channels <= most.channels && Block{channels, rows * packs}.fits(registers); ++channels)
        if (const auto now = cost(ImageBlock{channels, rows, packs}); now <= least) {
          least = now;
          found = {channels, rows, packs};
        }
  return found;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
