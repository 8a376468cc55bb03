// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// How many sums, packs or rows a kernel keeps in registers, by how many of these there are; the rest is for operands.
struct RegisterBudget {
  int of_32, of_16;
  constexpr int operator()(int registers) const { return registers == 32 ? of_32 : of_16; }
};
/// Sums of a convolution of a tile, such as 5 channels of a 2 x 2 window.
inline constexpr RegisterBudget convolution_sums{20, 10};
/// Those of a row of one image, 4 channels x 3 packs with 16 registers: of 6 x 2, g++ keeps two in memory. And how many
/// channels they are of.
inline constexpr RegisterBudget image_row_sums{22, 12}, image_row_channels{10, 5};
/// Packs of an image whose channels are convolved one or two at a time, because a mask drops some.
inline constexpr RegisterBudget dropped_channels_packs{8, 4};
/// Sums of the taps of a window, to which each non-zero of dy adds one pack of x or of W.
inline constexpr RegisterBudget sparse_sums{28, 12};
/// Sums of a product of one tile, each of a row or column of W.
inline constexpr RegisterBudget product_sums{14, 10};
/// Sums of a product of several tiles or of the whole batch, and the packs that are loaded for them: of 6 x 4 sums, ten
/// loads feed 24 fma.
inline constexpr RegisterBudget batch_sums{24, 12}, batch_packs{4, 2};
/// Rows of dx, times batch_packs, where ranks divide a layer.
inline constexpr RegisterBudget ranks_rows{6, 4};
/// Sums of a product of streams in the lanes, whose weights are padded to multiples of 8 rows.
inline constexpr RegisterBudget lane_sums{16, 8};

/// M x N sums that are in registers together.
struct Block {
  int m = 1, n = 1;
  /// Whether there are registers for them, for the N packs that are kept and for one more of each.
  constexpr bool fits(int registers) const { return m * n + n + 2 <= registers; }
  /// Half cycles for a term: two multiply-adds a cycle, of at least 8 in flight, and two loads a cycle.
  constexpr int cost() const { return std::max({m * n, 8, m + n}); }
};

/// The cost of a block that is not to be chosen.
inline constexpr int impossible = std::numeric_limits<int>::max();

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
/// The same, whatever registers it takes.
template <class Cost>
constexpr Block best_block(int M, int N, Cost cost) {
  return best_block(M, N, std::numeric_limits<int>::max(), cost);
}

/// The same of an image: `packs` packs of each of `rows` rows of each of `channels` channels. `cost` refuses those that
/// there are no registers for.
struct ImageBlock {
  int channels = 1, rows = 1, packs = 1;
};
template <class Cost>
constexpr ImageBlock best_image_block(ImageBlock most, Cost cost) {
  ImageBlock found;
  auto least = cost(found);
  for (int rows = 1; rows <= most.rows; ++rows)
    for (int packs = 1; packs <= most.packs; ++packs)
      for (int channels = 1; channels <= most.channels; ++channels)
        if (const auto now = cost(ImageBlock{channels, rows, packs}); now <= least) {
          least = now;
          found = {channels, rows, packs};
        }
  return found;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
