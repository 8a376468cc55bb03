// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/host/batch_gradient.hpp"
#include "sinter/kernels/host/group.hpp"
#include "sinter/kernels/host/load.hpp"
#include "sinter/kernels/host/step.hpp"
#include "sinter/kernels/host/watch.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Where part i of `parts` nearly equal parts of [0, n) begins.
constexpr std::size_t part_of(int n, int i, int parts) {
  return static_cast<std::size_t>(n) * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
}

/// Multiply-adds of a forward pass from which on a batch is shared by threads: some 5 microseconds.
inline constexpr double least_shared = 1 << 18;

/// How a batch is cut for training: contiguous tiles to a slot, to which they add their gradients, whatever the number of
/// threads. Where all gradients are taken from the whole batch nothing is added, and a slot is as large as threads and
/// the cache let it be.
template <class Plan>
struct Slots {
  static constexpr int most = 8;
  static constexpr int together = Plan::layered ? most_tiles<typename Plan::ISA> : 1;
  int tiles, count;

  /// Whether a batch is not worth the hand-over to other threads.
  static bool alone(std::size_t batch) {
    double multiply_adds = 0;
    for (const Op& op : Plan::Ops::ops) multiply_adds += static_cast<double>(op.multiply_adds());
    return all_of_batch<Plan> && static_cast<double>(batch) * multiply_adds < least_shared;
  }
  Slots(std::size_t batch, int threads) : tiles(static_cast<int>((batch + Plan::lanes - 1) / Plan::lanes)) {
    if (all_of_batch<Plan>)
      count = std::max(divide_up(tiles, most_together<Plan>),
                       std::min(alone(batch) ? 1 : threads, divide_up(tiles, together)));
    else
      count = std::min(divide_up(tiles, together), most);
  }
  std::size_t begin(int slot) const {
    const std::size_t first = part_of(divide_up(tiles, together), slot, count) * together;
    return std::min(first, static_cast<std::size_t>(tiles));
  }
};

/// The losses and gradients of batches, and the memory for them: it grows with the largest batch, and never after.
template <class Model, class T, class Isa>
class Training {
  using Ops = Program<Model>;
  using Values = BatchMemory<Model>;
  static constexpr int lanes = TilePlan<Model, T, Isa>::lanes;
  using V = typename TilePlan<Model, T, Isa>::V;
  using Plan = TilePlan<Model, T, Isa>;
  using Slots = host_kernels::Slots<Plan>;
  using Left = Operands<Plan>;
  static constexpr bool at_once = all_of_batch<Plan>;

 public:
  /// What batches make of the buffers.
  RunningStatistics<Model, T>& statistics() { return statistics_; }

  template <class Loss, class Inputs, class Targets, class InputGradient>
  double accumulate(const ThreadPool& pool, const T* parameters, const TrainingBatch<Inputs, Targets>& batch,
                    const Loss& loss, const GradientSum<T, InputGradient>& to) {
    using Tile = host_kernels::Tile<TilePlan<Model, T, Isa, !std::is_null_pointer_v<InputGradient>>, true>;
    using Schedule = sinter::Schedule<typename Tile::Plan::Cut>;
    constexpr bool layered = Tile::Plan::layered;
    // A tile keeps its memory to the end of the step, or leaves it to the next tile of its thread.
    constexpr bool keeps = Schedule::count > 1 || layered;
    constexpr std::ptrdiff_t stride = memory_stride<Tile>;
    const int threads = pool.size();
    const bool alone = Slots::alone(batch.rows);
    const Slots parts(batch.rows, threads);
    auto& memory = memories_[Tile::input_gradient];
    prepare(memory, parts, static_cast<std::size_t>(stride) * static_cast<std::size_t>(keeps ? parts.tiles : threads),
            layered ? packed_size<Tile> * static_cast<std::size_t>(threads) : 0, threads);
    if constexpr (Values::used) partials_.resize(static_cast<std::size_t>(parts.tiles * Values::partial_size));

    const auto rows_of = [&](std::size_t t) { return std::min<std::size_t>(lanes, batch.rows - t * lanes); };
    const auto partial = [&](int t) { return partials_.data() + t * Values::partial_size; };
    const auto tile_in = [&](std::size_t t, int slot, int thread) {
      Tile tile{memory.data() + static_cast<std::ptrdiff_t>(keeps ? t : static_cast<std::size_t>(thread)) * stride,
                parameters, slots_[at_once ? 0 : static_cast<std::size_t>(slot)].data()};
      if constexpr (Left::packs > 0) tile.operands = left_.data() + static_cast<std::ptrdiff_t>(t) * Left::stride;
      if constexpr (Values::used) {
        tile.batch = values_.data();
        tile.partial = partial(static_cast<int>(t));
        tile.rows = static_cast<int>(rows_of(t));
      }
      return tile;
    };
    const auto group_of = [&](std::size_t begin, std::size_t end, int slot) {
      return Group<Tile>{tile_in(begin, slot, 0), stride, static_cast<int>(end - begin),
                         static_cast<int>(rows_of(end - 1))};
    };
    const auto load = [&](const Tile& tile, std::size_t t) {
      std::uint32_t who[lanes];
      for (std::size_t i = 0; i < lanes; ++i) who[i] = batch.samples[std::min(t * lanes + i, batch.rows - 1)];
      draw_masks(tile, who, batch.key);
      load_tile(tile, batch.inputs, t * lanes, batch.rows);
    };
    const auto loss_of = [&](const Tile& tile, std::size_t t) {
      return loss_tile(tile, loss, batch.targets, t * lanes, batch.rows, to.scale);
    };

    // Forward through the segments, the last one there and back, and back through the others: between two of them all
    // tiles wait for one another.
    constexpr int turn = Schedule::count - 1;
    unroll<2 * turn + 1>([&](auto p) {
      constexpr int pass = decltype(p)::value, segment = pass <= turn ? pass : 2 * turn - pass;
      constexpr int first = Schedule::first(segment), end = Schedule::first(segment + 1);
      pool.run(parts.count, [&](int thread, int slot) {
        double total = 0;
        const std::size_t begin = parts.begin(slot), behind = parts.begin(slot + 1);
        const auto each_tile = [&](auto&& work) {
          for (std::size_t t = begin; t < behind; ++t) work(tile_in(t, slot, thread), t);
        };
        if constexpr (pass == 0) clear_slot(slot);
        if constexpr (layered) {
          const auto group = group_of(begin, behind, slot);
          if constexpr (pass == 0) each_tile(load);
          if constexpr (pass <= turn) group_forward<Group<Tile>, first, end>(group);
          if constexpr (pass == turn)
            each_tile([&](const Tile& tile, std::size_t t) { losses_[t] = loss_of(tile, t); });
          if constexpr (pass >= turn)
            group_backward<Group<Tile>, first, end>(
                group, panels_.data() + static_cast<std::size_t>(thread) * packed_size<Tile>);
        } else {
          if constexpr (!keeps) {
            std::uint64_t& prepared = prepared_[static_cast<std::size_t>(thread)];
            if (prepared != step_) begin_step(tile_in(begin, slot, thread));
            prepared = step_;
            begin_slot(tile_in(begin, slot, thread));
          }
          each_tile([&](const Tile& tile, std::size_t t) {
            if constexpr (pass == 0) {
              if constexpr (keeps) {
                begin_step(tile);
                begin_slot(tile);
              }
              load(tile, t);
            }
            if constexpr (pass <= turn) forward_stages<Tile, first, end>(tile);
            if constexpr (pass == turn) total += loss_of(tile, t);
            if constexpr (pass >= turn) backward_stages<Tile, first, end>(tile);
            if constexpr (pass == 2 * turn && keeps) end_slot(tile);
            if constexpr (pass == 2 * turn && Tile::input_gradient)
              store_input_gradient(tile, t * lanes, rows_of(t), to.input_gradient);
          });
          if constexpr (!keeps) end_slot(tile_in(begin, slot, thread));
        }
        if constexpr (pass == 2 * turn && Tile::input_gradient && layered)
          each_tile([&](const Tile& tile, std::size_t t) {
            store_input_gradient(tile, t * lanes, rows_of(t), to.input_gradient);
          });
        if constexpr (pass == turn && !layered) losses_[static_cast<std::size_t>(slot)] = total;
      });
      [[maybe_unused]] const Watch<Isa> watch(Part::batch_values);
      unroll<end - first>([&](auto s) {
        constexpr Stage stage = Tile::Plan::stage(first + decltype(s)::value);
        if constexpr (stage.source == Source::statistics && pass < turn)
          Values::combine(Values::normalize_of(stage.first), parts.tiles, rows_of, partial, values_.data(), parameters,
                          statistics_);
        if constexpr (stage.source == Source::normalize && pass >= turn)
          Values::combine_back(stage.first, parts.tiles, batch.rows, partial, values_.data());
      });
    });

    if constexpr (panels_of_batch<Plan> > 0) {
      const std::size_t turned = turned_size<Plan>(parts.tiles);
      if (turned_.size() < turned * static_cast<std::size_t>(threads))
        turned_ = AlignedArray<T>(turned * static_cast<std::size_t>(threads));
      for_each_panel<Plan>(pool, alone, [&](int thread, auto s, int column) {
        constexpr int S = decltype(s)::value;
        const int tiles = parts.tiles, samples = static_cast<int>(batch.rows);
        const auto operands = [&] {
          if constexpr (layered)
            return BatchOperands<T>{memory.data() + Tile::input(S).offset * lanes,
                                    memory.data() + Tile::gradient_of(S).offset * lanes, stride, tiles, samples};
          else
            return BatchOperands<T>{left_.data() + Left::input(S) * lanes, left_.data() + Left::gradient(S) * lanes,
                                    Left::stride, tiles, samples};
        }();
        batch_weight_gradient<Plan, S>(operands, column, turned_.data() + static_cast<std::size_t>(thread) * turned,
                                       to.share == T(0) ? to.gradient : slots_[0].data());
      });
    }
    add_slots(pool, parts.count, to.gradient, to.share);
    double sum = 0;
    for (int i = 0; i < (layered ? parts.tiles : parts.count); ++i) sum += losses_[static_cast<std::size_t>(i)];
    return sum;
  }

 private:
  /// f(begin, end) for the stretches of the arena whose gradients slots add up, or that are taken from the whole batch.
  template <bool OfBatch, class F>
  static void for_each_stretch(F&& f) {
    constexpr auto end_of = [](int i) {
      return i + 1 < Ops::parameter_count ? Plan::parameter(i + 1).offset : Ops::arena_size;
    };
    for (int i = 0; i < Ops::parameter_count;) {
      const int begin = i;
      while (i < Ops::parameter_count && Plan::parameter_of_batch(i) == Plan::parameter_of_batch(begin)) ++i;
      if (Plan::parameter_of_batch(begin) == OfBatch) f(Plan::parameter(begin).offset, end_of(i - 1));
    }
  }
  void clear_slot(int slot) {
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    if constexpr (!at_once)
      for_each_stretch<false>([&](int begin, int end) {
        std::fill(slots_[static_cast<std::size_t>(slot)].data() + begin,
                  slots_[static_cast<std::size_t>(slot)].data() + end, T(0));
      });
  }
  /// gradient = share gradient + the parts, one after another for each element: split over the threads by elements. What
  /// is taken from the whole batch is there already where it has no share to keep; otherwise it lies in the first slot.
  void add_slots(const ThreadPool& pool, int count, T* gradient, T share) {
    constexpr int packs = Ops::arena_size / lanes;
    const int parts = packs < 256 ? 1 : pool.size();  // short arenas are not worth the hand-over
    if (at_once && share == T(0)) return;
    [[maybe_unused]] const Watch<Isa> watch(Part::slot_sums);
    pool.run(parts, [&](int, int part) {
      const int from = static_cast<int>(part_of(packs, part, parts)) * lanes,
                to = static_cast<int>(part_of(packs, part + 1, parts)) * lanes;
      const auto add = [&](int begin, int end, int summands) {
        for (int i = std::max(begin, from); i < std::min(end, to); i += lanes) {
          V sum = share == T(0) ? V(0) : V::load(gradient + i) * V(share);
          for (int slot = 0; slot < summands; ++slot) sum += V::load(slots_[static_cast<std::size_t>(slot)].data() + i);
          sum.store(gradient + i);
        }
      };
      for_each_stretch<false>([&](int begin, int end) { add(begin, end, count); });
      if (share != T(0)) for_each_stretch<true>([&](int begin, int end) { add(begin, end, 1); });
    });
  }
  /// Not asked for: clang looks the call up also where it is discarded.
  template <class Tile>
  static void store_input_gradient(const Tile&, std::size_t, std::size_t, std::nullptr_t) {}
  template <class Tile, class To>
  static void store_input_gradient(const Tile& tile, std::size_t first, std::size_t rows, To* to) {
    constexpr int n = Ops::input.size();
    const T* packs = tile.at(Tile::memory_plan.input_gradient.offset);
    for (std::size_t row = 0; row < rows; ++row)
      for (int i = 0; i < n; ++i)
        to[(first + row) * n + static_cast<std::size_t>(i)] = packs[i * lanes + static_cast<int>(row)];
  }
  void prepare(AlignedArray<T>& memory, const Slots& parts, std::size_t size, std::size_t panels, int threads) {
    ++step_;
    if (panels_.size() < panels) panels_ = AlignedArray<T>(panels);
    prepared_.resize(static_cast<std::size_t>(threads));
    losses_.resize(std::max(losses_.size(), static_cast<std::size_t>(parts.tiles)));
    if (memory.size() < size) memory = AlignedArray<T>(size);
    const std::size_t left = static_cast<std::size_t>(parts.tiles) * Left::stride;
    if (left_.size() < left) left_ = AlignedArray<T>(left);
    while (static_cast<int>(slots_.size()) < (at_once ? 1 : parts.count))
      slots_.emplace_back(static_cast<std::size_t>(Ops::arena_size) + 64);
  }

  AlignedArray<T> memories_[2];          // of the tiles, in the plans without and with an input gradient
  std::vector<std::uint64_t> prepared_;  // of each thread: the step that its memory is prepared for
  std::vector<AlignedArray<T>> slots_;
  AlignedArray<T> panels_;      // of each thread: weights, packed for the gradients of inputs
  AlignedArray<T> left_;        // of each tile: operands of the weights' gradients of the batch
  AlignedArray<T> turned_;      // of each thread, for the weights' gradients of a batch
  std::vector<double> losses_;  // of parts, or of tiles
  std::uint64_t step_ = 0;
  AlignedArray<T> values_{Values::used ? static_cast<std::size_t>(Values::size) : 0};
  std::vector<double> partials_;  // of each tile
  RunningStatistics<Model, T> statistics_;
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
