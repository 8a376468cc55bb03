// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/gpu/carried.hpp"
#include "sinter/kernels/gpu/plan.hpp"
#include "sinter/kernels/gpu/status.hpp"
#include "sinter/kernels/gpu/step_range.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// How a batch is divided: tiles of `rows` rows, and contiguous tiles into slots, in which their gradients are added.
/// It depends only on the batch and the rows that fit, not on the device's number of multiprocessors.
struct Cut {
  static constexpr int most_slots = 128, most_slot_numbers = 1 << 26;  // in all slots
  int batch = 0, rows = 1, tiles = 0, slot_count = 0;

  /// `arena` is how many numbers a slot has; a tile has `least_rows` at least where they fit.
  static constexpr Cut of(int batch, int rows_that_fit, int arena = 1, int least_rows = 1) {
    const int room = most_slot_numbers / (arena < 1 ? 1 : arena), most = room < 1 ? 1 : smaller(room, most_slots);
    const int spread = divide_up(batch, most), least = smaller(least_rows, batch);
    const int wanted = spread < least ? least : spread;
    const int rows = wanted < rows_that_fit ? wanted : rows_that_fit;
    const int tiles = divide_up(batch, rows);
    return {batch, rows, tiles, tiles < most ? tiles : most};
  }
  SINTER_HOST_DEVICE constexpr int begin(int slot) const {
    return static_cast<int>(static_cast<long long>(tiles) * slot / slot_count);
  }
};

template <class T, class Data, class Loss>
struct TrainingArgs {
  StepInput<Data, Loss> step;
  T scale;  // of the sum of the losses
  Cut cut;
  const T* parameters;
  T* slot_gradients;     // [slot_count][arena]
  double* losses;        // [loss_sums<Loss>][most_slots], sums
  std::uint32_t* large;  // [slot_count] whether a sum of their numbers may not be finite; null: not requested
  T* to_input;           // [batch][input], or null
  T* statistics;         // [buffers] after this batch, or null
  bool follows;          // continue those of an earlier batch in `statistics`; else the network's
  Carried<T> carried;
  std::byte* memory;   // of the grid
  StepStatus* status;  // null: one step, independent of others
  int tile;            // the current one, where each phase is a launch
  int first_slot;      // of this launch, where a block is a slot
  // Where many steps are made: which this is, and how the last batch of an epoch is divided. `steps` decides the rows
  // and the scale, and `carried` is that of the first step of a sequence.
  const StepRange* range;
  Cut last_cut;

  /// These, for the next step; a batch of 0 rows if none is left.
  template <class X>
  SINTER_FN TrainingArgs now(X& x) const {
    TrainingArgs own = *this;
    const bool stopped = has_stopped(x, status);
    if (range == nullptr) {
      if (stopped) own.cut.batch = 0;
      return own;
    }
    const std::uint32_t n = x.global(&status->steps)[0];
    if (stopped || n >= range->steps) {
      own.cut.batch = 0;
      return own;
    }
    const auto place = range->at(n);
    own.step.first = place.first;
    own.step.epoch = place.epoch;
    if (place.rows != cut.batch) own.cut = last_cut;
    own.scale = T(1) / static_cast<T>(place.rows);
    own.carried = carried.at(place.chunk);
    return own;
  }
  /// By one thread of the grid: records which step this is.
  template <class X>
  SINTER_FN void note(X& x) const {
    x.global(&status->now)[0] = cut.batch == 0 ? StepStatus::none : std::uint32_t(x.global(&status->steps)[0]);
  }
};

/// Common to the kernels of a training step.
template <class Model, class T, class Data, class Loss, bool InputGradient, int ExpectedRows,
          CudaProducts Products = CudaProducts::float32>
struct Training {
  using List = Phases<Model, true, InputGradient, ExpectedRows, Products>;
  using Memory = TeamMemory<Model, T, true, ExpectedRows>;
  static constexpr int arena = Program<Model>::arena_size;

  using Args = TrainingArgs<T, Data, Loss>;
  template <class X>
  using Tile = gpu_kernels::Tile<X, Model, T, true, InputGradient, ExpectedRows, Products>;

  /// Tile number t of the batch, whose gradient goes to `slot`.
  template <class X>
  SINTER_FN static Tile<X> tile(X& x, const Args& a, int slot, int t) {
    auto tile = place_tile<Tile<X>>(x, a.memory, a.cut.rows);
    tile.first = t * a.cut.rows;
    const int left = a.cut.batch - tile.first;
    tile.rows = left < a.cut.rows ? left : a.cut.rows;
    tile.scale = a.scale;
    tile.adds = t > a.cut.begin(slot);
    tile.parameters = x.global(a.parameters);
    tile.gradient = x.global(a.slot_gradients) + static_cast<std::ptrdiff_t>(slot) * arena;
    tile.to_input = x.global(a.to_input);
    tile.statistics = x.global(a.statistics);
    tile.keeps_statistics = a.statistics != nullptr;
    tile.follows_statistics = a.follows;
    a.carried.give(x, tile, tile.first);
    return tile;
  }
  /// The sum of the losses of a tile, added to its slot's.
  template <class X>
  SINTER_FN static void add_losses(X& x, const Args& a, const Tile<X>& tile, int slot) {
    x.items(1, [&](int) {
      auto to = x.global(a.losses) + slot;
      const double sum = sum_losses(tile, tile.adds ? double(to[0]) : 0.0);
      if constexpr (Tile<X>::looks) *tile.large |= is_large(sum);
      to[0] = sum;
    });
    constexpr int heads = static_cast<int>(heads_of_loss<Loss>);
    if constexpr (heads > 0)
      x.items(heads, [&](int head) {
        auto to = x.global(a.losses) + ((1 + head) * Cut::most_slots + slot);
        to[0] = sum_losses(tile, tile.adds ? double(to[0]) : 0.0, 1 + head);
      });
  }
};

/// The first kernel of a step: forward, loss and backward of a batch. A block is a slot; it takes its tiles in their
/// order, and runs all phases of a tile while it is in shared memory.
template <class Model, class T, class Data, class Loss, bool InputGradient>
struct TrainTiles {
  using Step = Training<Model, T, Data, Loss, InputGradient, Expected::tile>;
  using Args = typename Step::Args;
  static constexpr bool whole_grid = false;
  static constexpr int threads = 512;
  static constexpr std::size_t least_memory = Step::Memory::bytes(1);

  template <class X>
  SINTER_FN static void run(X& x, const Args& args) {
    const Args a = args.now(x);
    const int slot = a.first_slot + x.block();
    if (x.block() == 0 && a.status != nullptr) x.once([&] { a.note(x); });
    if (a.cut.batch == 0 || slot >= a.cut.slot_count) return;
    bool large = false;
    stage_weights(x, Step::tile(x, a, slot, a.cut.begin(slot)));
    for (int t = a.cut.begin(slot); t < a.cut.begin(slot + 1); ++t) {
      auto tile = Step::tile(x, a, slot, t);
      tile.large = &large;
      discard_tile(x, tile, a.cut.rows);
      run_phases<typename Step::List>(x, tile, a.step);
      Step::add_losses(x, a, tile, slot);
      x.barrier();
    }
    if (a.large == nullptr) return;
    const bool any = x.any(large);
    x.once([&] { x.global(a.large)[slot] = any ? 1u : 0u; });
  }
};

/// One phase of a step, by the whole grid: the plan that handles every model. It has one slot and large tiles, which
/// use device memory in turn.
template <class Model, class T, class Data, class Loss, bool InputGradient, int Index,
          CudaProducts Products = CudaProducts::float32>
struct TrainPhase {
  using Step = Training<Model, T, Data, Loss, InputGradient, Expected::grid, Products>;
  using Args = typename Step::Args;
  static constexpr bool whole_grid = true;
  static constexpr int threads = Step::List::template threads<Index, T>;
  static constexpr int count = Step::List::count + 1;  // the last one adds the losses up
  static constexpr std::size_t shared_bytes = Step::List::template shared_bytes<Index, T>;
  static constexpr int blocks(int rows, int most) {
    if constexpr (Index == Step::List::count)
      return 1;
    else
      return Step::List::template blocks<Index, T>(rows, most);
  }

  template <class X>
  SINTER_FN static void run(X& x, const Args& args) {
    const Args a = args.now(x);
    if constexpr (Index == Step::List::count)
      if (a.tile == 0 && a.status != nullptr) x.items(1, [&](int) { a.note(x); });
    if (a.cut.batch == 0 || a.tile >= a.cut.tiles) return;
    const auto tile = Step::tile(x, a, 0, a.tile);
    if constexpr (Index < Step::List::count)
      run_phase<typename Step::List, Index>(x, tile, a.step);
    else
      Step::add_losses(x, a, tile, 0);
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
