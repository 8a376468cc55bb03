// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/sum_tree.hpp"
#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/load.hpp"
#include "sinter/kernels/host/step/step.hpp"
#include "sinter/kernels/host/step/tile_group.hpp"
#include "sinter/kernels/host/step/watch.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Which passes a call makes over a batch: forward and backward, or one of them, with the activations kept in between.
enum class Way { both, forward, backward };

/// The passes over a batch: forward through the segments of the schedule, forward and backward through the last one,
/// and backward through the others. Each is a pass over all tiles; between two passes, all tiles wait for one another.
template <class Memory, class TrainingTile, class Batch, class Loss, class To, Way way = Way::both>
struct BatchPasses {
  using Tile = TrainingTile;
  using T = typename Tile::T;
  using Values = typename Memory::Values;
  using Packed = typename Tile::Packed;
  using Parts = typename Memory::Parts;
  using Left = typename Memory::Left;
  using Plan = typename Memory::Plan;
  using Schedule = internal::Schedule<typename Tile::Plan::Cut>;
  static constexpr int lanes = Tile::lanes;
  static constexpr bool layered = Tile::Plan::layered;
  /// Whether a tile keeps its memory to the end of the step, or passes it to the next tile of its thread.
  static constexpr bool keeps = way != Way::both || Schedule::count > 1 || layered;
  static constexpr std::ptrdiff_t stride = memory_stride<Tile>;
  static constexpr std::size_t heads = heads_of_loss<Loss>;
  /// Numbers of a tile that may pass from one batch to the next.
  static constexpr std::size_t carried =
      requires(Memory& m) { m.carried; } ? std::size_t{CarriedNumbers<typename Memory::Ops>::size} * lanes : 0;
  /// The pass that runs forward and backward, and the first and the last pass of this call.
  static constexpr int loss_pass = Schedule::count - 1, begin_pass = way == Way::backward ? loss_pass : 0,
                       last_pass = way == Way::forward ? loss_pass : 2 * loss_pass, count = last_pass - begin_pass + 1;
  static constexpr bool goes_forward(int pass) { return way != Way::backward && pass <= loss_pass; }
  static constexpr bool takes_loss(int pass) { return way != Way::forward && pass == loss_pass; }
  static constexpr bool goes_backward(int pass) { return way != Way::forward && pass >= loss_pass; }
  static constexpr int first(int pass) { return Schedule::first(pass <= loss_pass ? pass : 2 * loss_pass - pass); }
  static constexpr int end(int pass) { return Schedule::first((pass <= loss_pass ? pass : 2 * loss_pass - pass) + 1); }

  Memory& memory;
  const typename Memory::Pool& pool;
  const T* parameters;
  const Batch& batch;
  const Loss& loss;
  const To& to;
  Parts parts{batch.rows, memory.division.threads(pool.size()), keeps, memory.division.own_rank()};
  T* tiles = nullptr;
  /// The tiles whose memory is kept: the rank's own. In the plan `layer`, the gradients of weights read that of all.
  std::size_t first_kept = layered ? 0 : parts.begin(parts.begin_part),
              end_kept = parts.begin(layered ? parts.count : parts.begin_part + parts.own_parts);

  /// Returns the sum of the losses, unless it only goes forward. If tiles keep their memory, the last pass adds their
  /// leaves, each of which is a part.
  auto run() {
    prepare();
    unroll<count>([this](auto p) {
      constexpr int Pass = begin_pass + decltype(p)::value;
      pool.run(parts.own_parts, [this](int thread, int i) {
        const int part = parts.begin_part + i;
        if constexpr (layered) {
          tile_group_pass<Pass>(thread, part);
        } else {
          const auto slot = [&](int place) {
            const int waiting = parts.own_sums + thread * parts.sums_of_thread() + place - 1;
            return !Parts::has_sums ? nullptr : memory.slot(place == 0 ? part - parts.begin_sum : waiting);
          };
          parts.tree.add(
              parts.node(part), [&](int leaf, int place) { leaf_pass<Pass>(thread, leaf, slot(place)); },
              [&](int place) { memory.add(slot(place + 1), slot(place)); });
        }
      });
      if constexpr (Values::used) combine_values<Pass>();
    });
    if constexpr (way == Way::forward) {
      memory.division.gather_outputs(*this);
    } else {
      memory.division.add_gradients(*this);
      sum_losses_of_heads();
      return parts.sum_over_tiles(memory.losses.data());
    }
  }
  /// Panels [first, last) of the weights whose gradients are taken from the whole batch.
  void weight_gradients(int first_panel, int last_panel) const {
    const std::size_t transposed = transposed_size<Plan>(parts.tiles), threads = static_cast<std::size_t>(pool.size());
    memory.transposed.grow(transposed * threads);
    for_each_panel<Plan>(pool, Parts::alone(batch.rows), first_panel, last_panel, [&](int thread, int s, int column) {
      [[maybe_unused]] const Watch<typename Plan::ISA> watch(Part::batch_gradient, s);
      const auto& stage = ProductsOfBatch<Plan>::stages[static_cast<std::size_t>(s)];
      batch_weight_gradient<typename Plan::ISA, typename Plan::V>(
          operands(s), stage.product, column, memory.transposed.data() + static_cast<std::size_t>(thread) * transposed,
          gradient_of_batch() + stage.weight, gradient_of_batch() + stage.bias, memory.squares.of(thread));
    });
  }
  /// Where these gradients are written.
  T* gradient_of_batch() const { return to.fraction == T(0) ? to.gradient : memory.of_batch.data(); }

 private:
  void prepare() {
    if constexpr (way != Way::backward) memory.division.begin(*this);
    if constexpr (way != Way::backward && carried > 0)
      memory.carried.begin_batch(static_cast<std::size_t>(parts.tiles) * carried);
    const int threads = pool.size();
    auto& all = memory.tiles[Tile::Plan::with_input_gradient];
    if constexpr (heads > 0) {
      const std::size_t wanted = static_cast<std::size_t>(parts.tiles) * heads;
      if (memory.losses_of_heads.size() < wanted) memory.losses_of_heads.resize(wanted);
    }
    memory.prepare(
        all, parts,
        static_cast<std::size_t>(stride) * (keeps ? end_kept - first_kept : static_cast<std::size_t>(threads)),
        waiting() * static_cast<std::size_t>(threads), threads, to.fraction != T(0));
    if constexpr (Values::used) memory.partials.resize(static_cast<std::size_t>(parts.tiles * Values::partial_size));
    tiles = all.data();
    if constexpr (Packed::size > 0) pack();
  }
  void sum_losses_of_heads() const {
    if constexpr (heads > 0)
      for (std::size_t head = 0; to.losses_of_heads != nullptr && head < heads; ++head)
        to.losses_of_heads[head] = parts.sum_over_tiles(memory.losses_of_heads.data() + head, heads);
  }

  /// The parameters that this call reads in another order.
  void pack() const {
    memory.packed.grow(Packed::size);
    constexpr int first = way == Way::backward ? Packed::count(false) : 0;
    constexpr int end = Packed::count(false) + (way == Way::forward ? 0 : Packed::count(true));
    const int items = std::min(parts.own_parts, end - first);  // no more threads than the passes have work for
    pool.run(items, [this, items](int, int item) {
      [[maybe_unused]] const Watch<typename Plan::ISA> watch(Part::slot_sums);
      for (int i = first + item; i < end; i += items) Packed::pack(i, parameters, memory.packed.data());
    });
  }

  // -- tiles ----------------------------------------------------------------------------------------------------------

  SINTER_INLINE std::size_t rows_of(std::size_t t) const {
    return std::min<std::size_t>(lanes, batch.rows - t * lanes);
  }
  SINTER_INLINE double* partial(int t) const { return memory.partials.data() + t * Values::partial_size; }
  SINTER_INLINE Tile tile_in(std::size_t t, int thread, T* slot) const {
    Tile tile{tiles + static_cast<std::ptrdiff_t>(keeps ? t - first_kept : static_cast<std::size_t>(thread)) * stride,
              parameters, slot};
    if constexpr (Packed::size > 0) tile.packed = memory.packed.data();
    if constexpr (Left::packs > 0)
      tile.operands = memory.stored_operands.data() + static_cast<std::ptrdiff_t>(t) * Left::stride;
    if constexpr (Values::used) {
      tile.batch = memory.values.data();
      tile.partial = partial(static_cast<int>(t));
      tile.rows = static_cast<int>(rows_of(t));
    }
    if constexpr (carried > 0) {
      tile.states_before = memory.carried.before(t * carried);
      tile.states_after = memory.carried.after(t * carried);
    }
    return tile;
  }
  SINTER_INLINE void load(const Tile& tile, std::size_t t) const {
    std::uint32_t samples[lanes];
    for (std::size_t i = 0; i < lanes; ++i) samples[i] = batch.samples[std::min(t * lanes + i, batch.rows - 1)];
    draw_masks(tile, samples, batch.key);
    load_tile(tile, batch.inputs, t * lanes, batch.rows);
  }
  SINTER_INLINE double loss_of(const Tile& tile, std::size_t t) const {
    return loss_tile(tile, loss, batch.targets, t * lanes, batch.rows, to.scale,
                     heads > 0 ? memory.losses_of_heads.data() + t * heads : nullptr);
  }
  /// N packs of a tile, as rows of N numbers.
  template <int N>
  void store_rows(const T* packs, std::size_t t, T* rows) const {
    packs_to_rows_of<typename Plan::ISA, typename Plan::V, N>(packs, rows_of(t), rows + t * lanes * std::size_t{N});
  }
  /// What a tile gives to the caller at the end of its last pass.
  template <int Pass>
  void store_results(const Tile& tile, std::size_t t) const {
    if constexpr (Pass == last_pass && way == Way::forward)
      store_rows<Memory::Ops::output.size()>(tile.at(Tile::value(Memory::Ops::output_value).begin()), t, to.y);
    if constexpr (Pass == last_pass && Tile::input_gradient && way != Way::forward)
      store_rows<Memory::Ops::input.size()>(tile.at(Tile::memory_plan.input_gradient.begin()), t, to.input_gradient);
  }

  // -- passes of a part -----------------------------------------------------------------------------------------------

  /// Tile by tile.
  template <int Pass>
  SINTER_INLINE void leaf_pass(int thread, int leaf, T* slot) const {
    if constexpr (Pass == begin_pass && way != Way::forward) memory.clear(slot);
    const std::size_t begin = parts.first_tile(leaf), limit = parts.first_tile(leaf + 1);
    if constexpr (!keeps) begin_slot(tile_in(begin, thread, slot));
    for (std::size_t t = begin; t < limit; ++t) {
      const Tile tile = tile_in(t, thread, slot);
      if constexpr (Pass == 0 && way != Way::backward) {
        if constexpr (keeps) begin_slot(tile);
        load(tile, t);
      }
      if constexpr (goes_forward(Pass)) forward_stages<Tile, first(Pass), end(Pass)>(tile);
      if constexpr (takes_loss(Pass)) memory.losses[t] = loss_of(tile, t);
      if constexpr (goes_backward(Pass)) backward_stages<Tile, first(Pass), end(Pass)>(tile);
      if constexpr (Pass == 2 * loss_pass && keeps && way != Way::forward) end_slot(tile);
      store_results<Pass>(tile, t);
    }
    if constexpr (!keeps) end_slot(tile_in(begin, thread, slot));
  }
  /// The size of the incomplete sums of a thread.
  std::size_t waiting() const { return waiting_size<Tile>(parts.most_tiles_of_part()); }
  /// All tiles of a part together, stage by stage.
  template <int Pass>
  SINTER_INLINE void tile_group_pass(int thread, int part) const {
    const std::size_t begin = parts.begin(part), limit = parts.begin(part + 1);
    T* const* const slot_of_tile = Memory::at_once ? nullptr : memory.slot_of_tile.data() + begin;
    const TileGroup<Tile> group{tile_in(begin, 0, nullptr), stride, static_cast<int>(limit - begin),
                                static_cast<int>(rows_of(limit - 1)), slot_of_tile};
    const auto each_tile = [&](auto&& work) SINTER_LAMBDA {
      for (std::size_t t = begin; t < limit; ++t)
        work(tile_in(t, thread, Memory::at_once ? nullptr : memory.slot_of_tile[t]), t);
    };
    if constexpr (Pass == begin_pass && way != Way::forward && !Memory::at_once)
      for (int leaf = parts.first_leaf(part); leaf < parts.first_leaf(part + 1); ++leaf)
        memory.clear(memory.slot(leaf - parts.begin_sum));
    if constexpr (Pass == 0 && way != Way::backward) each_tile([&](const Tile& tile, std::size_t t) { load(tile, t); });
    if constexpr (goes_forward(Pass)) tile_group_forward<TileGroup<Tile>, first(Pass), end(Pass)>(group);
    if constexpr (takes_loss(Pass))
      each_tile([&](const Tile& tile, std::size_t t) { memory.losses[t] = loss_of(tile, t); });
    if constexpr (goes_backward(Pass))
      tile_group_backward<TileGroup<Tile>, first(Pass), end(Pass)>(
          group, memory.waiting.data() + static_cast<std::size_t>(thread) * waiting());
    each_tile([&](const Tile& tile, std::size_t t) { store_results<Pass>(tile, t); });
  }

  // -- of the whole batch ---------------------------------------------------------------------------------------------

  /// The sums of the tiles over the batch in a pass.
  template <int Pass>
    requires(Values::used)
  void combine_values() const {
    [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(Part::batch_values);
    unroll<end(Pass) - first(Pass)>([&](auto s) {
      constexpr Stage stage = Tile::Plan::stage(first(Pass) + decltype(s)::value);
      constexpr bool gathers = stage.source == Source::statistics && Pass < loss_pass;
      constexpr bool gathers_back = stage.source == Source::normalize && goes_backward(Pass);
      if constexpr (gathers || gathers_back)
        memory.division.gather_partials(*this, gathers ? Values::normalize_of(stage.first) : stage.first);
      if constexpr (gathers)
        Values::combine(
            Values::normalize_of(stage.first), parts.tiles, [this](std::size_t t) { return rows_of(t); },
            [this](int t) { return partial(t); }, memory.values.data(), parameters, memory.statistics);
      if constexpr (gathers_back)
        Values::combine_back(
            stage.first, parts.tiles, batch.rows, [this](int t) { return partial(t); }, memory.values.data());
    });
  }
  /// The operands of the gradient of stage s's weight.
  BatchOperands<T> operands(int s) const {
    static constexpr auto places = [] {
      std::array<std::array<int, 2>, static_cast<std::size_t>(Tile::Plan::stage_count + 1)> all{};
      for (int i = 0; i < Tile::Plan::stage_count; ++i)
        all[static_cast<std::size_t>(i)] =
            layered ? std::array{Tile::input(i).offset * lanes, Tile::gradient_of(i).offset * lanes}
                    : std::array{Left::input(i) * lanes, Left::gradient(i) * lanes};
      return all;
    }();
    const T* const from = layered ? tiles : memory.stored_operands.data();
    const auto& [x, dy] = places[static_cast<std::size_t>(s)];
    return {from + x, from + dy, layered ? stride : Left::stride, parts.tiles, static_cast<int>(batch.rows)};
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
