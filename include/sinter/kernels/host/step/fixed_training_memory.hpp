// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

#include "sinter/kernels/host/plan/batch_memory.hpp"
#include "sinter/kernels/host/step/batch_passes.hpp"
#include "sinter/kernels/host/step/slot_sums.hpp"
#include "sinter/kernels/host/step/squares.hpp"
#include "sinter/kernels/host/step/whole_batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Replaces a pool of threads: the caller does the work.
struct CallingThread {
  static constexpr int size() { return 1; }
  template <class Work>
  static void run(int items, const Work& work) {
    for (int item = 0; item < items; ++item) work(0, item);
  }
};

/// An array that has its size from the beginning.
template <class T, std::size_t Size>
struct FixedArray {
  T numbers[Size > 0 ? Size : 1]{};

  T* data() { return numbers; }
  const T* data() const { return numbers; }
  T& operator[](std::size_t i) { return numbers[i]; }
  static constexpr std::size_t size() { return Size; }
  static constexpr void grow(std::size_t) {}
  static constexpr void resize(std::size_t) {}
};

/// The memory for training with batches of up to Rows rows on the calling thread: no normalisation by the batch, no
/// gradient of the inputs, and no gradients of batches before.
template <class Model, class T, class Isa, std::size_t Rows, std::size_t Heads>
struct FixedTrainingMemory : SlotSums<FixedTrainingMemory<Model, T, Isa, Rows, Heads>, TilePlan<Model, T, Isa>> {
  using Ops = Program<Model>;
  using Values = BatchMemory<Model>;
  using Plan = TilePlan<Model, T, Isa>;
  using Tile = host_kernels::Tile<Plan, true>;
  using Pool = CallingThread;
  using Parts = BatchParts<Plan>;
  using Left = Operands<Plan>;
  static constexpr bool at_once = all_of_batch<Plan>;

  /// As in BatchPasses, for a batch with both passes.
  static constexpr bool keeps = Schedule<typename Plan::Cut>::count > 1 || Plan::layered;
  static constexpr std::size_t most_tiles = (Rows + Plan::lanes - 1) / Plan::lanes;
  struct Sizes {
    int sums = 0, tiles_of_part = 0;
  };
  /// The most that any batch takes.
  static constexpr Sizes sizes = [] {
    Sizes most;
    for (std::size_t tiles = 1; tiles <= most_tiles; ++tiles) {
      const Parts parts(tiles * Plan::lanes, 1, keeps);
      most.sums = std::max(most.sums, parts.own_sums + parts.sums_of_thread());
      most.tiles_of_part = std::max(most.tiles_of_part, parts.most_tiles_of_part());
    }
    return most;
  }();
  using Slot = FixedArray<T, static_cast<std::size_t>(slot_size<Plan>) + (sizes.sums > 0 ? 64 : 0)>;

  FixedArray<T, static_cast<std::size_t>(memory_stride<Tile>) * (keeps ? most_tiles : 1)> tiles[1];
  FixedArray<T, static_cast<std::size_t>(Tile::Packed::size)> packed;
  std::array<Slot, static_cast<std::size_t>(sizes.sums)> slot_sums{};
  FixedArray<T*, Plan::layered && !at_once ? most_tiles : 0> slot_of_tile;
  FixedArray<T, 0> of_batch;
  FixedArray<T, waiting_size<Tile>(sizes.tiles_of_part)> waiting;
  FixedArray<T, most_tiles* static_cast<std::size_t>(Left::stride)> stored_operands;
  FixedArray<T, panels_of_batch<Plan> == 0 ? 0 : transposed_size<Plan>(static_cast<int>(most_tiles))> transposed;
  FixedArray<double, most_tiles> losses;
  FixedArray<double, most_tiles * Heads> losses_of_heads;
  SquaresByThread<T, FixedArray<T, squares_of_a_thread>> squares;
  WholeBatch division;
  Pool pool;

  template <class Array>
  void prepare(Array&, const Parts& parts, std::size_t, std::size_t, int threads, bool) {
    squares.clear(threads);
    if constexpr (Plan::layered && !at_once)
      for (int i = 0, leaf = parts.begin_sum; i < parts.own_sums; ++i, ++leaf)
        for (std::size_t t = parts.first_tile(leaf); t < parts.first_tile(leaf + 1); ++t) slot_of_tile[t] = slot(i);
  }
  T* slot(int i) { return slot_sums[static_cast<std::size_t>(i)].data(); }
};

/// For a model that is refused.
template <class Model, class T, class Isa, std::size_t Rows, std::size_t Heads>
  requires(BatchMemory<Model>::used)
struct FixedTrainingMemory<Model, T, Isa, Rows, Heads> {};

}  // namespace host_kernels

SINTER_NAMESPACE_END
