// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/cuda/phases.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// The memory of a team, in bytes from its beginning: staged weights, parts of sums, records, and each row's number in the
/// dataset.
template <class Model, class T, bool Training, int ExpectedRows>
struct TeamMemory {
  using Place = Record<Model, Training>;
  static constexpr std::size_t number = sizeof(T);

 private:
  struct Parts {
    int always = 0, of_row = 0;
  };
  template <int S>
  static constexpr Parts parts_of() {
    if constexpr (Stages<Model>::at(S).source == OpKind::product) {
      using G = Geometry<Model, S>;
      const int forward = ForwardWork<G, ExpectedRows>::sums, input = InputWork<G, ExpectedRows>::sums;
      if (!Training) return {0, forward};
      return {WeightWork<G, ExpectedRows>::partials, forward > input ? forward : input};
    } else {
      return {};
    }
  }
  template <int... S>
  static constexpr Parts most_parts(std::integer_sequence<int, S...>) {
    Parts most;
    ((most.always = std::max(most.always, parts_of<S>().always)), ...);
    ((most.of_row = std::max(most.of_row, parts_of<S>().of_row)), ...);
    return most;
  }
  static constexpr Parts parts = most_parts(std::make_integer_sequence<int, Stages<Model>::count>{});
  static constexpr std::size_t parts_always = static_cast<std::size_t>(parts.always),
                               parts_of_row = static_cast<std::size_t>(parts.of_row);
  SINTER_HOST_DEVICE static constexpr std::size_t round_up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }

 public:
  static constexpr std::size_t staged = ExpectedRows == Expected::tile ? Staged<Model>::size : 0;  // elements
  static constexpr std::size_t row_bytes = static_cast<std::size_t>(Place::size) * number + sizeof(std::uint32_t);

  /// Elements for parts of sums.
  SINTER_HOST_DEVICE static constexpr std::size_t partials(int rows) {
    const std::size_t of_rows = static_cast<std::size_t>(rows) * parts_of_row;
    return of_rows > parts_always ? of_rows : parts_always;
  }
  static constexpr std::size_t partials_at = round_up(staged * number);
  SINTER_HOST_DEVICE static constexpr std::size_t records_at(int rows) {
    return partials_at + round_up(partials(rows) * number);
  }
  SINTER_HOST_DEVICE static constexpr std::size_t bytes(int rows) {
    return round_up(records_at(rows) + static_cast<std::size_t>(rows) * row_bytes);
  }
  SINTER_HOST_DEVICE static constexpr std::size_t chosen_at(int rows) {
    return records_at(rows) + static_cast<std::size_t>(rows) * (Place::size * number);
  }
  /// How many rows fit in `limit` bytes.
  static constexpr int rows_in(std::size_t limit) {
    if (bytes(1) > limit) return 0;
    int fit = 1, more = 1 << 24;
    while (more - fit > 1) {
      const int middle = fit + (more - fit) / 2;
      (bytes(middle) <= limit ? fit : more) = middle;
    }
    return fit;
  }
  /// Rows of a tile in the device's memory: few enough that it takes at most `limit` bytes, where one row does.
  static constexpr int rows_far(int batch, std::size_t limit) {
    const int rows = rows_in(limit);
    return rows < 1 ? 1 : rows < batch ? rows : batch;
  }
};

/// A tile in the memory of a team, from byte `at` on: a block's own, or its part of what `everybody` points to.
template <class Tile, class X>
SINTER_FN Tile place_tile(X& x, std::byte* everybody, int rows, std::size_t at = 0) {
  using T = typename Tile::T;
  using Memory = TeamMemory<typename Tile::Model, T, Tile::training, Tile::expected_rows>;
  const std::size_t bytes = Memory::bytes(rows);
  Tile tile{};
  tile.staged = x.template memory<T>(everybody, bytes, at);
  tile.partials = x.template memory<T>(everybody, bytes, at + Memory::partials_at);
  tile.records = x.template memory<T>(everybody, bytes, at + Memory::records_at(rows));
  tile.chosen = x.template memory<std::uint32_t>(everybody, bytes, at + Memory::chosen_at(rows));
  return tile;
}
/// The sum of the losses of a tile's rows, by one thread, added to `before`.
template <class Tile>
SINTER_FN double sum_losses(const Tile& tile, double before) {
  constexpr int at = Tile::Place::loss;
  constexpr int chains = 4;  // of additions, which wait for one another
  double sum[chains] = {};
  for (int row = 0; row < tile.rows; row += chains) {
    SINTER_UNROLL
    for (int c = 0; c < chains; ++c)
      if (row + c < tile.rows) sum[c] += static_cast<double>(typename Tile::T(tile.record(row + c)[at]));
  }
  return before + ((sum[0] + sum[1]) + (sum[2] + sum[3]));
}
/// Before a tile that takes the place of another.
template <class X, class Tile>
SINTER_FN void discard_tile(X& x, const Tile& tile, int rows) {
  using Memory = TeamMemory<typename Tile::Model, typename Tile::T, Tile::training, Tile::expected_rows>;
  x.discard(tile.partials, Memory::partials(rows));
  x.discard(tile.records, static_cast<std::size_t>(rows) * Tile::Place::size);
  x.discard(tile.chosen, static_cast<std::size_t>(rows));
}

}  // namespace gpu

SINTER_NAMESPACE_END
