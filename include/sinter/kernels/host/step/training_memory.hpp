// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/carried_states.hpp"
#include "sinter/kernels/host/plan/batch_memory.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/slot_sums.hpp"
#include "sinter/kernels/host/step/squares.hpp"
#include "sinter/kernels/host/step/watch.hpp"
#include "sinter/kernels/host/step/whole_batch.hpp"
#include "sinter/kernels/running_statistics.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The arrays of training of any model: they grow only when a batch is larger than all before.
template <class T>
struct TrainingArrays {
  AlignedArray<T> tiles[2];                // in the plans without and with an input gradient
  AlignedArray<T> packed;                  // as in PackedParameters
  std::vector<AlignedArray<T>> slot_sums;  // sums of gradients: of the parts, then of each thread
  std::vector<T*> slot_of_tile;            // by the plan `layer`
  AlignedArray<T> of_batch;             // gradients of the whole batch, where they are added to those of batches before
  AlignedArray<T> waiting;              // of each thread: sums of products that are not complete
  AlignedArray<T> stored_operands;      // of each tile: operands of the weights' gradients of the batch
  AlignedArray<T> transposed;           // of each thread, for the weights' gradients of a batch
  std::vector<double> losses;           // of each tile
  std::vector<double> losses_of_heads;  // of each tile
  AlignedArray<T> values;               // of the batch
  std::vector<double> partials;         // of each tile
  CarriedStates<T> carried;
  SquaresByThread<T> squares;  // of the gradient that was made last

  TrainingArrays() = default;
  SINTER_SHARED ~TrainingArrays() {}
  TrainingArrays(const TrainingArrays&) = delete;
  TrainingArrays& operator=(const TrainingArrays&) = delete;

  /// What a batch takes: numbers of all tiles, of those that wait, of a slot, and of a tile's stored operands.
  struct Sizes {
    std::size_t tiles, waits, slot, operands;
    std::size_t of_batch;  // 0 where no gradient is taken from the whole batch and added to those before
    bool slots_by_tile;
  };
  SINTER_SHARED void prepare(AlignedArray<T>& memory, const PartsOfBatch& parts, int threads, const Sizes& sizes) {
    squares.clear(threads);
    waiting.grow(sizes.waits);
    losses.resize(std::max(losses.size(), static_cast<std::size_t>(parts.tiles)));
    memory.grow(sizes.tiles);
    stored_operands.grow(static_cast<std::size_t>(parts.tiles) * sizes.operands);
    while (static_cast<int>(slot_sums.size()) < parts.own_sums + threads * parts.sums_of_thread())
      slot_sums.emplace_back(sizes.slot);
    if (sizes.slots_by_tile) {
      slot_of_tile.resize(static_cast<std::size_t>(parts.tiles));
      for (int i = 0, leaf = parts.begin_sum; i < parts.own_sums; ++i, ++leaf)
        for (std::size_t t = parts.first_tile(leaf); t < parts.first_tile(leaf + 1); ++t) slot_of_tile[t] = slot(i);
    }
    if (of_batch.size() < sizes.of_batch) of_batch = AlignedArray<T>(sizes.of_batch);
  }
  T* slot(int i) { return slot_sums[static_cast<std::size_t>(i)].data(); }
};

/// The memory of the training of a model.
template <class Model, class T, class Isa, class Division>
struct TrainingMemory : TrainingArrays<T>, SlotSums<TrainingMemory<Model, T, Isa, Division>, TilePlan<Model, T, Isa>> {
  using Ops = Program<Model>;
  using Values = BatchMemory<Model>;
  using Plan = TilePlan<Model, T, Isa>;
  using Pool = detail::ThreadPool;
  using Parts = BatchParts<Plan>;
  using Left = Operands<Plan>;
  using Arrays = TrainingArrays<T>;
  static constexpr bool at_once = all_of_batch<Plan>;

  RunningStatistics<Model, T> statistics;
  Division division;

  TrainingMemory() {
    if constexpr (Values::used) this->values = AlignedArray<T>(static_cast<std::size_t>(Values::size));
  }

  void prepare(AlignedArray<T>& memory, const Parts& parts, std::size_t size, std::size_t waits, int threads,
               bool shares) {
    constexpr std::size_t of_slot = static_cast<std::size_t>(slot_size<Plan> + TrainingMemory::block);
    constexpr std::size_t whole =
        slot_size<Plan> < Ops::arena_size ? static_cast<std::size_t>(Ops::arena_size) + 64 : 0;
    Arrays::prepare(memory, parts, threads,
                    {size, waits, of_slot, Left::stride, shares ? whole : 0, Plan::layered && !at_once});
  }
  using Arrays::slot;
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
