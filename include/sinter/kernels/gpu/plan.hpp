// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/gpu/phases.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A tile of at most `rows` rows in the memory of a team, from byte `at` on; `grid_memory` as of X::memory.
template <class Tile, class X>
SINTER_FN Tile place_tile(X& x, std::byte* grid_memory, int rows, std::size_t at = 0) {
  using T = typename Tile::T;
  using Memory = typename Tile::Memory;
  Tile tile{};
  tile.staged = x.template memory<T>(at, grid_memory);
  tile.partials = x.template memory<T>(at + Memory::partials_at, grid_memory);
  tile.records = x.template memory<T>(at + Memory::records_at(rows), grid_memory);
  tile.chosen = x.template memory<std::uint32_t>(at + Memory::chosen_at(rows), grid_memory);
  return tile;
}
/// The sum of the losses of a tile's rows, by one thread, added to `before`; of number `which` of those of a row.
template <class Tile>
SINTER_FN double sum_losses(const Tile& tile, double before, int which = 0) {
  const int at = Tile::Record::loss + which;
  constexpr int chains = 4;  // of additions, which wait for one another
  double sum[chains] = {};
  for (int row = 0; row < tile.rows; row += chains) {
    SINTER_UNROLL
    for (int c = 0; c < chains; ++c)
      if (row + c < tile.rows) sum[c] += static_cast<double>(typename Tile::T(tile.record(row + c)[at]));
  }
  return before + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
/// Before a tile replaces another.
template <class X, class Tile>
SINTER_FN void discard_tile(X& x, const Tile& tile, int rows) {
  using Memory = typename Tile::Memory;
  x.discard(tile.partials, Memory::partials(rows));
  x.discard(tile.records, static_cast<std::size_t>(rows) * Tile::Record::size);
  x.discard(tile.chosen, static_cast<std::size_t>(rows));
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
