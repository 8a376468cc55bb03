// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

#include "sinter/device/cuda_plan.hpp"
#include "sinter/kernels/gpu/capability.hpp"
#include "sinter/kernels/gpu/resident.hpp"
#include "sinter/kernels/gpu/train_tiles.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The constants of the cost model, from steps by all plans on an H100 (bench/cuda/plans, 2026-11-26).
struct CostModel {
  static constexpr double launch = 2.6;           // microseconds, within a CUDA graph
  static constexpr double phase = 0.3;            // of a block, its barrier included
  static constexpr double tile_rate = 200e3;      // operations of a block in a microsecond,
  static constexpr double resident_rate = 120e3;  // with a small network in shared memory,
  static constexpr double large_rate = 400e3;     // with a large one in shared memory,
  static constexpr double far_launch = 3.6;       // of a kernel of all blocks
  static constexpr double far_rate = 100e3;       // and where each phase goes through device memory
  static constexpr double weights_rate = 80e3;    // bytes of weights and gradients that a block reads and writes
  static constexpr double slots_rate = 5e6;       // bytes of gradient slots, by all blocks,
  static constexpr double far_slots_rate = 2e6;   // and where the cache of the device, of 50 MB, does not hold them
  static constexpr double far_term = 0.04;        // of a sum that one thread adds up, from device memory
  static constexpr int blocks = 132;
};

/// Which plan a training step takes, of those that `Wanted` allows.
template <class Model, class T, int States, CudaPlan Wanted = CudaPlan::automatic>
struct Choose {
  using S = Stages<Model>;
  using Ops = Program<Model>;
  template <int ExpectedRows>
  static constexpr int phases = Phases<Model, true, false, ExpectedRows>::count;
  static constexpr double operations_per_row = [] {  // forward, dW and dx
    double all = 0;
    for (int i = 0; i < S::op_count; ++i) all += 6.0 * static_cast<double>(S::op(i).multiply_adds());
    return all;
  }();
  template <int Number>
  static constexpr int terms_of() {
    if constexpr (S::at(Number).is_product()) {
      using G = Geometry<Model, Number>;
      return in_pieces<G, Expected::grid> ? 0 : 2 * G::fan_in;
    } else {
      return 0;
    }
  }
  template <int... Number>
  static constexpr double terms_of_all(std::integer_sequence<int, Number...>) {
    return (0.0 + ... + static_cast<double>(terms_of<Number>()));
  }
  /// Added sequentially, forward and for dx.
  static constexpr double terms = terms_of_all(std::make_integer_sequence<int, S::count>{});
  /// The barriers of a block between the steps of recurrences, forward and back. What one costs was not measured: it is
  /// counted as a phase.
  static constexpr int steps = [] {
    int all = 0;
    for (int s = 0; s < S::count; ++s)
      if (const Op& op = S::op(S::at(s).first); S::at(s).source == Source::recurrence)
        all += op.in.channels * (op.projected > 0 ? 4 : 2);
    return all;
  }();
  static constexpr std::size_t least_shared = least_shared_memory, most_shared = most_shared_memory;

  /// Where the rows of a batch depend on one another, the whole grid processes them together.
  static constexpr int resident_rows(std::size_t shared) {
    return S::of_batch ? 0 : ResidentMemory<Model, T, States>::rows_in(shared);
  }
  /// How many rows of a batch a resident block keeps at a time: tiles of nearly the same size.
  static constexpr int resident_cut(int batch, std::size_t shared) {
    return divide_up(batch, divide_up(batch, std::min(batch, resident_rows(shared))));
  }
  static constexpr int pair_rows(std::size_t shared) {
    return S::of_batch ? 0 : TeamMemory<Model, T, true, Expected::tile>::rows_in(shared);
  }

  /// For a batch in the plan pair. Without convolutions a tile has at least two rows: most of its cost are the weights,
  /// which it reads once for both.
  static constexpr Cut pair_cut(int batch, std::size_t shared) {
    return Cut::of(batch, pair_rows(shared), Ops::arena_size, Staged<Model>::size > 0 ? 1 : 2);
  }

  static constexpr double never = 1e30;

  /// Microseconds for a step of `batch` rows; `never` where the plan does not fit blocks with `shared` bytes, or, in a
  /// resident block, only with fewer rows than are worthwhile.
  static constexpr double cost(CudaPlan plan, int batch, std::size_t shared) {
    const double operations = operations_per_row * batch;
    if (plan == CudaPlan::resident) {
      using Memory = ResidentMemory<Model, T, States>;
      const int rows = resident_rows(shared);
      if (rows < std::min(batch, Expected::few)) return never;
      const bool large = Memory::expected_rows == Expected::large;
      return operations / (large ? CostModel::large_rate : CostModel::resident_rate) +
             CostModel::phase * (phases<Memory::expected_rows> + steps) * divide_up(batch, std::min(batch, rows));
    }
    if (plan == CudaPlan::pair) {
      if (pair_rows(shared) < 1) return never;
      const Cut cut = pair_cut(batch, shared);
      const int at_once = std::min(cut.slot_count, CostModel::blocks);
      const double slot_bytes = cut.slot_count * static_cast<double>(Ops::arena_size) * static_cast<double>(sizeof(T));
      constexpr double arena_bytes = static_cast<double>(Ops::arena_size) * static_cast<double>(sizeof(T));
      const double tile =
          CostModel::phase * (phases<Expected::tile> + steps) + 3 * arena_bytes / CostModel::weights_rate;
      return 2 * CostModel::launch + operations / (CostModel::tile_rate * at_once) +
             tile * divide_up(cut.tiles, at_once) +
             2 * slot_bytes / (slot_bytes < 50e6 ? CostModel::slots_rate : CostModel::far_slots_rate);
    }
    return CostModel::far_launch * (phases<Expected::grid> + 3) + CostModel::phase * steps +
           operations / (CostModel::far_rate * CostModel::blocks) + CostModel::far_term * terms;
  }
  /// The plans that a program compiles. The many small kernels of `layers` are left out if the pair fits every device
  /// and is cheaper at every batch size.
  static constexpr bool resident_compiled =
      Wanted == CudaPlan::resident || (Wanted == CudaPlan::automatic && resident_rows(most_shared) >= Expected::few);
  static constexpr bool layers_compiled = [] {
    bool needed = Wanted == CudaPlan::layers || (Wanted == CudaPlan::automatic && pair_rows(least_shared) < 1);
    for (int batch = 1; Wanted == CudaPlan::automatic && batch < 1 << 20; batch *= 4)
      needed |= cost(CudaPlan::layers, batch, most_shared) < cost(CudaPlan::pair, batch, most_shared);
    return needed;
  }();
  static_assert(!S::of_batch || Wanted == CudaPlan::automatic || Wanted == CudaPlan::layers,
                "sinter: BatchNorm takes statistics over all rows of a batch, which on Cuda only the plan layers does: "
                "use Cuda, or CudaWith<CudaPlan::layers>");
  static_assert(Wanted != CudaPlan::resident || S::of_batch || resident_rows(most_shared) >= 1,
                "sinter: this network, its gradient and the state of its optimizer do not fit in a block's own memory; "
                "use Cuda, or CudaWith<CudaPlan::pair>");

  /// For many steps; the cheapest that is compiled.
  static constexpr CudaPlan plan(int batch, std::size_t shared) {
    if (Wanted != CudaPlan::automatic) return Wanted;
    const CudaPlan of_one = plan_of_one(batch, shared);
    return resident_compiled && cost(CudaPlan::resident, batch, shared) < cost(of_one, batch, shared)
               ? CudaPlan::resident
               : of_one;
  }
  /// For one step at a time: the pair or the layers.
  static constexpr CudaPlan plan_of_one(int batch, std::size_t shared) {
    if (!layers_compiled) return CudaPlan::pair;
    if (Wanted == CudaPlan::layers) return CudaPlan::layers;
    return cost(CudaPlan::pair, batch, shared) <= cost(CudaPlan::layers, batch, shared) ? CudaPlan::pair
                                                                                        : CudaPlan::layers;
  }
  /// Whether a plan fits a device.
  static constexpr bool fits(CudaPlan plan, std::size_t shared) {
    return plan == CudaPlan::layers || (plan == CudaPlan::resident ? resident_rows(shared) : pair_rows(shared)) >= 1;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
