// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/aligned.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/device/host.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/host/group.hpp"
#include "sinter/kernels/host/load.hpp"
#include "sinter/kernels/host/single.hpp"
#include "sinter/kernels/host/step.hpp"
#include "sinter/kernels/host_arrays.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/trial_update.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on the host: training by the plan `tile`, inference also by the plan `single`. Gradients go to a number of slots that follows from the batch alone,
/// and are added up in the order of the slots: the same bits for any number of threads.
template <class Model, class T, class Isa>
class HostEngine : public HostArrays<T> {
  using Ops = Program<Model>;
  using Batch = host_kernels::BatchMemory<Model>;
  template <bool InputGradient>
  using TrainingTile = host_kernels::Tile<TilePlan<Model, T, Isa, InputGradient>, true>;
  // Where nothing is a value of the batch, the plans are the same.
  using InferencePlan = std::conditional_t<Batch::used, TilePlan<Model, T, Isa, false, false>, TilePlan<Model, T, Isa>>;
  using InferenceTile = host_kernels::Tile<InferencePlan, false>;

 public:
  using Device = HostFor<Isa>;
  using Plan = TilePlan<Model, T, Isa>;
  using V = typename Plan::V;
  static constexpr int lanes = Plan::lanes;
  static constexpr int most_slots = 8;
  static constexpr std::size_t outputs = static_cast<std::size_t>(Ops::output.size());

  explicit HostEngine(Device device) : device_(std::move(device)) {}
  const Device& device() const { return device_; }

  /// Tiles of a batch, and the slots that their gradients go to: contiguous tiles to a slot.
  static constexpr int tiles_of(std::size_t batch) { return static_cast<int>((batch + lanes - 1) / lanes); }
  static constexpr int slots_of(std::size_t batch) {
    return std::min(divide_up(tiles_of(batch), tiles_together), most_slots);
  }
  /// Slots begin at multiples of so many tiles.
  static constexpr int tiles_together = Plan::layered ? host_kernels::most_tiles<Isa> : 1;

  // -- inference ------------------------------------------------------------------------------------------------------

  /// What one thread needs to run the model.
  struct Workspace {
    explicit Workspace(const Device&, std::size_t /*most_rows*/ = 0) {}
    AlignedArray<T> memory{static_cast<std::size_t>(InferenceTile::memory_plan.packs) * lanes};
    AlignedArray<T> batch{Batch::used ? static_cast<std::size_t>(Batch::size) : 0};
    AlignedArray<T> single{single_supported ? static_cast<std::size_t>(host_kernels::SinglePlan<InferencePlan>::size)
                                            : 0};
  };
  static constexpr bool single_supported = host_kernels::SinglePlan<InferencePlan>::template supports<>();
  /// Up to so many rows at the end of a batch go one by one: a tile costs as much as five or six of them.
  static constexpr std::size_t single_rows = single_supported ? lanes / 2 : 0;

  /// y [batch][output] of a batch, on the calling thread. No allocation. The last rows of a batch that would leave half
  /// of a tile empty go one by one.
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch, Workspace& workspace,
                      T* y) {
    std::size_t tiled = batch;
    if constexpr (single_supported) {
      if (batch % lanes <= single_rows) tiled = batch - batch % lanes;
      for (std::size_t row = tiled; row < batch; ++row)
        std::copy_n(host_kernels::forward_single<InferencePlan>(workspace.single.data(), parameters, inputs, row),
                    outputs, y + row * outputs);
    }
    forward_tiles(parameters, inputs, tiled, workspace, y);
  }
  /// The same, by tiles alone: for many rows, in programs that need not be quick with one.
  template <class View>
  static void forward_tiles(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch,
                            Workspace& workspace, T* y) {
    InferenceTile tile{workspace.memory.data(), parameters, nullptr};
    if constexpr (Batch::used) {
      Batch::set_all(workspace.batch.data(), parameters);
      tile.batch = workspace.batch.data();
    }
    for (std::size_t first = 0; first < batch; first += lanes) {
      host_kernels::load_tile(tile, inputs, first, batch);
      host_kernels::forward_stages<InferenceTile, 0, InferencePlan::stage_count>(tile);
      const T* packs = tile.at(InferenceTile::value(Ops::output_value).offset);
      const std::size_t rows = std::min<std::size_t>(lanes, batch - first);
      for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t i = 0; i < outputs; ++i) y[(first + row) * outputs + i] = packs[i * lanes + row];
    }
  }

  /// work(thread, first, count): rows [0, size) in parts of whole tiles, spread over the threads of the device.
  template <class Work>
  void for_each_part(std::size_t size, Work&& work) const {
    const int tiles = tiles_of(size), parts = std::min(tiles, threads() == 1 ? 1 : 8 * threads());
    device_.pool.run(parts, [&](int thread, int part) {
      const auto first = part_of(tiles, part, parts) * lanes;
      const auto last = std::min(size, part_of(tiles, part + 1, parts) * lanes);
      work(thread, first, last - first);
    });
  }
  int threads() const { return device_.pool.size(); }

  // -- training -------------------------------------------------------------------------------------------------------

  /// The sum of the losses of the rows; their gradient goes to `to`.
  template <class Loss, class View, class Targets, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Targets>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    using Tile = TrainingTile<!std::is_null_pointer_v<InputGradient>>;
    using Schedule = sinter::Schedule<typename Tile::Plan::Cut>;
    const int slot_count = slots_of(batch.rows), tiles = tiles_of(batch.rows);
    auto& workspaces = workspaces_[Tile::input_gradient];
    prepare(workspaces, slot_count, Schedule::count == 1 ? threads() : tiles,
            static_cast<std::size_t>(Tile::memory_plan.packs) * lanes);
    const auto rows_of = [&](std::size_t t) { return std::min<std::size_t>(lanes, batch.rows - t * lanes); };
    const auto partial = [&](int t) { return partials_.data() + t * Batch::partial_size; };
    if constexpr (Batch::used) partials_.resize(static_cast<std::size_t>(tiles * Batch::partial_size));
    const auto tile_in = [&](std::size_t t, int slot, int thread) {
      const std::size_t place = keeps ? t : static_cast<std::size_t>(thread);
      Tile tile{memory.data() + place * stride, parameters, slots_[static_cast<std::size_t>(slot)].data()};
      if constexpr (Batch::used) {
        tile.batch = batch_.data();
        tile.partial = partial(static_cast<int>(t));
        tile.rows = static_cast<int>(rows_of(t));
      }
      return tile;
    };
    const auto group_of = [&](std::size_t begin, std::size_t behind, int slot) {
      return host_kernels::Group<Tile>{tile_in(begin, slot, 0), stride, static_cast<int>(behind - begin),
                                       static_cast<int>(rows_of(behind - 1))};
    };
    const auto load = [&](const Tile& tile, std::size_t t) {
      const std::size_t row = t * lanes;
      std::uint32_t who[lanes];
      for (std::size_t i = 0; i < lanes; ++i) who[i] = samples[std::min(row + i, batch - 1)];
      host_kernels::draw_masks(tile, who, key);
      host_kernels::load_tile(tile, inputs, row, batch);
    };

    // Forward through the segments, the last one there and back, and back through the others: between two of them all
    // tiles wait for one another.
    constexpr int turn = Schedule::count - 1;
    unroll<2 * turn + 1>([&](auto p) {
      constexpr int pass = decltype(p)::value, segment = pass <= turn ? pass : 2 * turn - pass;
      constexpr int first = Schedule::first(segment), end = Schedule::first(segment + 1);
      device_.pool.run(slot_count, [&](int thread, int slot) {
        double total = 0;
        const auto quads = divide_up(tiles, tiles_together);
        const std::size_t begin = part_of(quads, slot, slot_count) * tiles_together,
                          behind = std::min<std::size_t>(tiles, part_of(quads, slot + 1, slot_count) * tiles_together);
        if constexpr (pass == 0) host_kernels::clear_slot(tile_in(begin, slot, thread));
        if constexpr (Tile::Plan::layered) {
          const auto group = group_of(begin, behind, slot);
          if constexpr (pass == 0)
            for (std::size_t t = begin; t < behind; ++t) load(tile_in(t, slot, thread), t);
          if constexpr (pass <= turn) host_kernels::group_forward<decltype(group), first, end>(group);
          if constexpr (pass == turn)
            for (std::size_t t = begin; t < behind; ++t)
              total += host_kernels::loss_tile(tile_in(t, slot, thread), loss, targets, t * lanes, batch, scale);
          if constexpr (pass >= turn) host_kernels::group_backward<decltype(group), first, end>(group);
        } else {
          if constexpr (!keeps) {
            std::uint64_t& prepared = prepared_[static_cast<std::size_t>(thread)];
            if (prepared != step_) host_kernels::begin_step(tile_in(begin, slot, thread));
            prepared = step_;
            host_kernels::begin_slot(tile_in(begin, slot, thread));
          }
          for (std::size_t t = begin; t < behind; ++t) {
            const Tile tile = tile_in(t, slot, thread);
            if constexpr (pass == 0) {
              if constexpr (keeps) {
                host_kernels::begin_step(tile);
                host_kernels::begin_slot(tile);
              }
              load(tile, t);
            }
            if constexpr (pass <= turn) host_kernels::forward_stages<Tile, first, end>(tile);
            if constexpr (pass == turn) total += host_kernels::loss_tile(tile, loss, targets, t * lanes, batch, scale);
            if constexpr (pass >= turn) host_kernels::backward_stages<Tile, first, end>(tile);
            if constexpr (pass == 2 * turn) {
              if constexpr (keeps) host_kernels::end_slot(tile);
              if constexpr (Tile::input_gradient) store_input_gradient(tile, t * lanes, rows_of(t), input_gradient);
            }
            std::uint32_t who[lanes];
            for (std::size_t i = 0; i < lanes; ++i) who[i] = batch.samples[std::min(row + i, batch.rows - 1)];
            host_kernels::draw_masks(tile, who, batch.key);
            host_kernels::load_tile(tile, batch.inputs, row, batch.rows);
          }
          if constexpr (pass <= turn) host_kernels::forward_stages<Tile, first, end>(tile);
          if constexpr (pass == turn)
            total += host_kernels::loss_tile(tile, loss, batch.targets, row, batch.rows, to.scale);
          if constexpr (pass >= turn) host_kernels::backward_stages<Tile, first, end>(tile);
          if constexpr (pass == 2 * turn) {
            if constexpr (Schedule::count > 1) host_kernels::end_slot(tile);
            if constexpr (Tile::input_gradient) store_input_gradient(tile, row, rows_of(t), to.input_gradient);
          }
          if constexpr (!keeps) host_kernels::end_slot(tile_in(begin, slot, thread));
        }
        if constexpr (pass == 2 * turn && Tile::Plan::layered && Tile::input_gradient)
          for (std::size_t t = begin; t < behind; ++t)
            store_input_gradient(tile_in(t, slot, thread), t * lanes, rows_of(t), input_gradient);
        if constexpr (pass == turn) losses_[slot] = total;
      });
      unroll<end - first>([&](auto s) {
        constexpr Stage stage = Tile::Plan::stage(first + decltype(s)::value);
        if constexpr (stage.source == Source::statistics && pass < turn)
          Batch::combine(Batch::normalize_of(stage.first), tiles, rows_of, partial, batch_.data(), parameters,
                         statistics_);
        if constexpr (stage.source == Source::normalize && pass >= turn)
          Batch::combine_back(stage.first, tiles, batch.rows, partial, batch_.data());
      });
    });

    if constexpr (Tile::Plan::layered) {
      const std::size_t turned = host_kernels::turned_size<Tile>(tiles);
      if (turned_.size() < turned * static_cast<std::size_t>(threads()))
        turned_ = AlignedArray<T>(turned * static_cast<std::size_t>(threads()));
      const auto group = group_of(0, static_cast<std::size_t>(tiles), 0);
      host_kernels::for_each_panel<Tile>(device_.pool, [&](int thread, auto s, int first) SINTER_LAMBDA {
        host_kernels::batch_weight_gradient<decltype(group), decltype(s)::value>(
            group, static_cast<int>(batch), first, turned_.data() + static_cast<std::size_t>(thread) * turned,
            slots_[0].data());
      });
    }

    // Slot after slot, for each element: split over the threads by ranges of elements.
    for_each_range([&](int begin, int end) {
      for (int i = begin; i < end; i += lanes) {
        V sum = V::load(to.gradient + i);
        for (int slot = 0; slot < slot_count; ++slot) sum += V::load(slots_[static_cast<std::size_t>(slot)].data() + i);
        sum.store(to.gradient + i);
      }
    });
    double loss_sum = 0;
    for (int slot = 0; slot < slot_count; ++slot) loss_sum += losses_[slot];
    return loss_sum;
  }

  /// What batches make of the buffers.
  RunningStatistics<Model, T>& statistics() { return statistics_; }

  /// One step of an optimizer on elements [begin, end) of the arena; `state` is [States][arena_size].
  template <int States, class Update>
  void update(const Update& step, T* parameters, const T* gradient, T* state, int begin, int end) const {
    update_numbers<States>(step, parameters, gradient, state, Ops::arena_size, begin, end);
  }
  template <int States, class Update>
  void update_numbers(const Update& step, T* parameters, const T* gradient, T* state, int stride, int begin,
                      int end) const {
    for (int i = begin; i < end; i += lanes) {
      V weight = V::load(parameters + i), own[States > 0 ? States : 1];
      unroll<States>([&](auto s) SINTER_LAMBDA { own[s] = V::load(state + s * stride + i); });
      step(weight, V::load(gradient + i), own);
      weight.store(parameters + i);
      unroll<States>([&](auto s) SINTER_LAMBDA { own[s].store(state + s * stride + i); });
    }
  }
  template <class Optimizer>
  void apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    apply_optimizer<Model>(*this, update, arenas);
  }
  /// Whether all weights would be finite behind that.
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas) const {
    return sinter::update_is_finite<Model>(*this, update, arenas);
  }
  /// work(begin, end) over ranges of the arena.
  template <class Work>
  void for_each_range(Work&& work) const {
    constexpr int packs = Ops::arena_size / lanes;
    // Short arenas are not worth the hand-over.
    const int parts = packs < 256 ? 1 : threads();
    device_.pool.run(parts, [&](int, int part) {
      work(static_cast<int>(part_of(packs, part, parts)) * lanes,
           static_cast<int>(part_of(packs, part + 1, parts)) * lanes);
    });
  }

 private:
  /// Where part i of `parts` nearly equal parts of [0, n) begins.
  static constexpr std::size_t part_of(int n, int i, int parts) {
    return static_cast<std::size_t>(n) * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts);
  }
  template <class Tile, class To>
  static void store_input_gradient(const Tile& tile, std::size_t first, std::size_t rows, To* to) {
    constexpr int n = Ops::input.size();
    const T* packs = tile.at(Tile::memory_plan.input_gradient.offset);
    for (std::size_t row = 0; row < rows; ++row)
      for (int i = 0; i < n; ++i)
        to[(first + row) * n + static_cast<std::size_t>(i)] = packs[i * lanes + static_cast<int>(row)];
  }
  /// Every allocation happens here, the first time that a batch needs it.
  void prepare(AlignedArray<T>& memory, int slot_count, std::size_t size) {
    ++step_;
    prepared_.resize(static_cast<std::size_t>(threads()));
    if (memory.size() < size) memory = AlignedArray<T>(size);
    while (static_cast<int>(slots_.size()) < slot_count)
      slots_.emplace_back(static_cast<std::size_t>(Ops::arena_size) + 64);
  }

  Device device_;
  AlignedArray<T> memories_[2];          // of the tiles, in the plans without and with an input gradient
  std::vector<std::uint64_t> prepared_;  // of each thread: the step for which its memory is
  AlignedArray<T> turned_;               // of each thread, in the plan `layer`
  std::vector<AlignedArray<T>> slots_;
  double losses_[most_slots] = {};
  std::uint64_t step_ = 0;
  AlignedArray<T> batch_{Batch::used ? static_cast<std::size_t>(Batch::size) : 0};
  std::vector<double> partials_;  // of each tile
  RunningStatistics<Model, T> statistics_;
};

template <class Model, class T, class Isa>
struct EngineFor<Model, T, HostFor<Isa>> {
  using Type = HostEngine<Model, T, Isa>;
};

SINTER_NAMESPACE_END
