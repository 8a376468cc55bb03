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
#include "sinter/kernels/host/load.hpp"
#include "sinter/kernels/host/single.hpp"
#include "sinter/kernels/host/training.hpp"
#include "sinter/kernels/host_arrays.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/trial_update.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on the host: perceptrons by the plan `layer`, others by the plan `tile`, and inference of few rows by the
/// plan `single`. The same bits for any number of threads.
template <class Model, class T, class Isa>
class HostEngine : public HostArrays<T> {
  using Ops = Program<Model>;
  using Batch = host_kernels::BatchMemory<Model>;
  // Where nothing is a value of the batch, the plans are the same.
  using InferencePlan = std::conditional_t<Batch::used, TilePlan<Model, T, Isa, false, false>, TilePlan<Model, T, Isa>>;
  using InferenceTile = host_kernels::Tile<InferencePlan, false>;

 public:
  using Device = HostFor<Isa>;
  using Plan = TilePlan<Model, T, Isa>;
  using V = typename Plan::V;
  static constexpr int lanes = Plan::lanes;
  static constexpr std::size_t outputs = static_cast<std::size_t>(Ops::output.size());

  explicit HostEngine(Device device) : device_(std::move(device)) {}
  const Device& device() const { return device_; }

  // -- inference ------------------------------------------------------------------------------------------------------

  /// What one thread needs to run the model.
  struct Workspace {
    explicit Workspace(const Device&, std::size_t most_rows = 0)
        : tiles(host_kernels::tiles_of_workspace<InferenceTile>(most_rows)),
          memory(static_cast<std::size_t>(tiles) * host_kernels::memory_stride<InferenceTile>) {}
    int tiles;  // that go through the stages together
    AlignedArray<T> memory;
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
    const std::size_t together = static_cast<std::size_t>(workspace.tiles) * lanes;
    for (std::size_t first = 0; first < batch; first += together) {
      const std::size_t rows = std::min(together, batch - first);
      const host_kernels::Group<InferenceTile> group{tile, host_kernels::memory_stride<InferenceTile>,
                                                     static_cast<int>((rows + lanes - 1) / lanes)};
      for (int t = 0; t < group.count; ++t)
        host_kernels::load_tile(group[t], inputs, first + static_cast<std::size_t>(t) * lanes, batch);
      host_kernels::group_forward<host_kernels::Group<InferenceTile>, 0, InferencePlan::stage_count>(group);
      for (std::size_t row = 0; row < rows; ++row) {
        const T* packs = group[static_cast<int>(row / lanes)].at(InferenceTile::value(Ops::output_value).offset);
        for (std::size_t i = 0; i < outputs; ++i) y[(first + row) * outputs + i] = packs[i * lanes + row % lanes];
      }
    }
  }

  /// work(thread, first, count): rows [0, size) in parts of whole tiles, spread over the threads of the device.
  template <class Work>
  void for_each_part(std::size_t size, Work&& work) const {
    const int tiles = static_cast<int>((size + lanes - 1) / lanes),
              parts = std::min(tiles, threads() == 1 ? 1 : 8 * threads());
    device_.pool.run(parts, [&](int thread, int part) {
      const auto first = host_kernels::part_of(tiles, part, parts) * lanes;
      const auto last = std::min(size, host_kernels::part_of(tiles, part + 1, parts) * lanes);
      work(thread, first, last - first);
    });
  }
  int threads() const { return device_.pool.size(); }

  // -- training -------------------------------------------------------------------------------------------------------

  /// The sum of the losses of the rows; their gradient goes to `to`.
  template <class Loss, class View, class Targets, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Targets>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    return training_.accumulate(device_.pool, parameters, batch, loss, to);
  }

  /// What batches make of the buffers.
  RunningStatistics<Model, T>& statistics() { return training_.statistics(); }

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
      work(static_cast<int>(host_kernels::part_of(packs, part, parts)) * lanes,
           static_cast<int>(host_kernels::part_of(packs, part + 1, parts)) * lanes);
    });
  }

 private:
  Device device_;
  host_kernels::Training<Model, T, Isa> training_;
};

template <class Model, class T, class Isa>
struct EngineFor<Model, T, HostFor<Isa>> {
  using Type = HostEngine<Model, T, Isa>;
};

SINTER_NAMESPACE_END
