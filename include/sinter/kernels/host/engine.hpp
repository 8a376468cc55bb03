// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>
#include <utility>

#include "sinter/core/aligned.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/device/host.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/host/compiled_kernels.hpp"
#include "sinter/kernels/host/inference.hpp"
#include "sinter/kernels/host/step/arena_updates.hpp"
#include "sinter/kernels/host/step/training.hpp"
#include "sinter/kernels/host_arrays.hpp"
#include "sinter/kernels/host_steps.hpp"
#include "sinter/kernels/step_arguments.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on the host: perceptrons by the plan `layer`, others by the plan `tile`, and inference of few rows by
/// the plan `single`. The same bits for any number of threads and ranks. `Derived` is an engine that makes steps in
/// another way, or void.
template <class Model, class T, class Isa, class Division = host_kernels::WholeBatch, class Derived = void>
class HostEngine
    : public HostArrays<T>,
      public host_kernels::Training<Model, T, Isa, Division>,
      public HostSteps<
          std::conditional_t<std::is_void_v<Derived>, HostEngine<Model, T, Isa, Division, Derived>, Derived>, Model,
          T> {
  using Ops = Program<Model>;
  using Inference = HostInference<Model, T, Isa>;
  using Training = host_kernels::Training<Model, T, Isa, Division>;
  using Training::device_;

 public:
  using Device = HostFor<Isa>;
  using Plan = TilePlan<Model, T, Isa>;
  using V = typename Plan::V;
  static constexpr int lanes = Plan::lanes, arena_size = Ops::arena_size;

  explicit HostEngine(Device device, Division division = {}) : Training(std::move(device), std::move(division)) {}
  using Training::threads;

  // -- inference ------------------------------------------------------------------------------------------------------

  /// The working memory of one thread for batches of up to `most_rows` rows. If the number is not given, it is computed
  /// by tiles, for any number.
  struct Workspace {
    explicit Workspace(const Device&, std::size_t most_rows = 0)
        : parts(most_rows, most_rows > 0), memory(parts.size) {}
    typename Inference::Memory parts;
    AlignedArray<T> memory;
  };
  /// y [batch][output] of a batch, on the calling thread. No allocation.
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch, Workspace& workspace,
                      T* y) {
    Inference::forward(parameters, inputs, batch, workspace.parts, workspace.memory.data(), y);
  }
  /// The same by tiles only: for many rows, in programs that do not need low latency.
  template <class View>
  static void forward_tiles(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch,
                            Workspace& workspace, T* y) {
    Inference::forward_tiles(parameters, inputs, batch, workspace.parts, workspace.memory.data(), y);
  }

  /// By tiles, up to `rows_carried` rows whose recurrences begin with the states that `carried` has of the last ones.
  static constexpr std::size_t rows_carried = lanes;
  template <class View>
  static void forward_carried(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch,
                              Workspace& workspace, CarriedStates<T>& carried, T* y) {
    carried.begin_batch(std::size_t{CarriedNumbers<Ops>::size} * lanes);
    Inference::forward_tiles(parameters, inputs, batch, workspace.parts, workspace.memory.data(), y, carried.before(0),
                             carried.after(0));
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

  // -- updates --------------------------------------------------------------------------------------------------------

  /// Returns whether all numbers that the optimizer has written are known to be below 2^40.
  template <class Optimizer>
  bool apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    return updates().apply(update, arenas);
  }
  /// Whether all weights would be finite after it.
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas,
                        bool gradient_is_moderate = false) const {
    return updates().is_finite(update, arenas, gradient_is_moderate);
  }

  template <class Optimizer>
  bool is_sound(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas, bool weights_are_moderate) const {
    return updates().is_sound(update, arenas, this->gradient_is_moderate(), weights_are_moderate);
  }

 private:
  host_kernels::ArenaUpdates<Isa, T> updates() const { return {arena_layout<Model>, device_.pool}; }
};

template <class Model, class T, class Isa>
struct EngineFor<Model, T, HostFor<Isa>> {
  using Type = HostEngine<Model, T, Isa>;
};

SINTER_NAMESPACE_END
