// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/cuda/phases.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// The memory of a team, in bytes from its beginning: sums of parts, records, and each row's number in the dataset.
template <class Model, class T, bool Training>
struct TeamMemory {
  using Place = Record<Model, Training>;
  static constexpr std::size_t number = sizeof(T);

 private:
  template <int... S>
  static constexpr int most_partials(std::integer_sequence<int, S...>) {
    int most = 0;
    ((most = partials_of<S>() > most ? partials_of<S>() : most), ...);
    return most;
  }
  template <int S>
  static constexpr int partials_of() {
    if constexpr (Stages<Model>::at(S).source == OpKind::product)
      return WeightWork<Geometry<Model, S>>::partials;
    else
      return 0;
  }

 public:
  /// Elements.
  static constexpr int partials = Training ? most_partials(std::make_integer_sequence<int, Stages<Model>::count>{}) : 0;
  static constexpr std::size_t row_bytes = static_cast<std::size_t>(Place::size) * number + sizeof(std::uint32_t);
  static constexpr std::size_t records_at = (partials * number + 15) / 16 * 16;
  SINTER_HOST_DEVICE static constexpr std::size_t bytes(int rows) {
    return (records_at + static_cast<std::size_t>(rows) * row_bytes + 15) / 16 * 16;
  }
  SINTER_HOST_DEVICE static constexpr std::size_t chosen_at(int rows) {
    return records_at + static_cast<std::size_t>(rows) * (Place::size * number);
  }
  /// How many rows fit in `limit` bytes.
  static constexpr int rows_in(std::size_t limit) {
    return limit < records_at + 16 ? 0 : static_cast<int>((limit - records_at - 15) / row_bytes);
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
  using Memory = TeamMemory<typename Tile::Model, T, Tile::training>;
  const std::size_t bytes = Memory::bytes(rows);
  Tile tile{};
  tile.partials = x.template memory<T>(everybody, bytes, at);
  tile.records = x.template memory<T>(everybody, bytes, at + Memory::records_at);
  tile.chosen = x.template memory<std::uint32_t>(everybody, bytes, at + Memory::chosen_at(rows));
  return tile;
}
/// The sum of the losses of a tile's rows, by one thread, added to `before`.
template <class Tile>
SINTER_FN double sum_losses(const Tile& tile, double before) {
  constexpr int at = Tile::Place::loss;
  for (int row = 0; row < tile.rows; ++row) before += static_cast<double>(typename Tile::T(tile.record(row)[at]));
  return before;
}
/// Before a tile that takes the place of another.
template <class X, class Tile>
SINTER_FN void discard_tile(X& x, const Tile& tile, int rows) {
  using Memory = TeamMemory<typename Tile::Model, typename Tile::T, Tile::training>;
  x.discard(tile.partials, Memory::partials);
  x.discard(tile.records, static_cast<std::size_t>(rows) * Tile::Place::size);
  x.discard(tile.chosen, static_cast<std::size_t>(rows));
}

}  // namespace gpu

SINTER_NAMESPACE_END
