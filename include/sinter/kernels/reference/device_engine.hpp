// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/device/reference.hpp"
#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/host_arrays.hpp"
#include "sinter/kernels/host_steps.hpp"
#include "sinter/kernels/reference/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/trial_update.hpp"

SINTER_NAMESPACE_BEGIN

/// Runs a model on the device Reference: ReferenceEngine on the batches of a Network and a Trainer. It allocates in
/// each call.
template <class Model, class T>
class ReferenceDeviceEngine : public HostArrays<T>, public HostSteps<ReferenceDeviceEngine<Model, T>, Model, T> {
  using Ops = Program<Model>;
  static constexpr std::size_t inputs = static_cast<std::size_t>(Ops::input.size());

 public:
  using Device = Reference;

  explicit ReferenceDeviceEngine(Device) {}
  int threads() const { return 1; }

  struct Workspace {
    explicit Workspace(const Device&, std::size_t /*most_rows*/ = 0) {}
    ReferenceEngine<Model, T> engine;
  };
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                      Workspace& workspace, T* y) {
    workspace.engine.forward(parameters, load(batch_inputs, batch).data(), batch, y);
  }
  template <class View>
  static void forward_tiles(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                            Workspace& workspace, T* y) {
    forward(parameters, batch_inputs, batch, workspace, y);
  }

  /// The same with the masks of training.
  template <class View>
  static void forward_masked(const T* parameters, const TrainingBatch<BatchInputs<View>, NotGiven>& batch,
                             Workspace& workspace, T* y) {
    const std::vector<T> x = load(batch.inputs, batch.rows);
    workspace.engine.forward_kept(
        parameters,
        TrainingBatch{
            .inputs = x.data(), .rows = batch.rows, .targets = not_given, .samples = batch.samples, .key = batch.key},
        y, /*statistics=*/false);
  }

  /// Up to `rows_carried` rows whose recurrences begin with the states that `carried` has of the last ones.
  static constexpr std::size_t rows_carried = 64;
  template <class View>
  static void forward_carried(const T* parameters, const BatchInputs<View>& batch_inputs, std::size_t batch,
                              Workspace& workspace, CarriedStates<T>& carried, T* y) {
    std::swap(workspace.engine.carried(), carried);
    forward(parameters, batch_inputs, batch, workspace, y);
    std::swap(workspace.engine.carried(), carried);
  }

  template <class Loss, class View, class Targets, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<BatchInputs<View>, Targets>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    const std::vector<T> x = load(batch.inputs, batch.rows);
    return engine_.accumulate(parameters,
                              TrainingBatch{.inputs = x.data(),
                                            .rows = batch.rows,
                                            .targets = RowsAs<Targets>{batch.targets},
                                            .samples = batch.samples,
                                            .key = batch.key},
                              loss, to);
  }

  template <class View>
  void forward_kept(const T* parameters, const TrainingBatch<BatchInputs<View>, NotGiven>& batch, T* y) {
    const std::vector<T> x = load(batch.inputs, batch.rows);
    engine_.forward_kept(
        parameters,
        TrainingBatch{
            .inputs = x.data(), .rows = batch.rows, .targets = not_given, .samples = batch.samples, .key = batch.key},
        y);
  }
  template <class Loss, class Targets, class InputGradient>
  double backward_kept(const T* parameters, const TrainingBatch<NotGiven, Targets>& batch, const Loss& loss,
                       const GradientSum<T, InputGradient>& to) {
    const RowsAs<Targets> targets{batch.targets};
    return engine_.backward(parameters, TrainingBatch{.inputs = not_given, .rows = batch.rows, .targets = targets},
                            loss, to);
  }

  RunningStatistics<Model, T>& statistics() { return engine_.statistics(); }
  CarriedStates<T>& carried() { return engine_.carried(); }
  static bool gradient_is_moderate() { return false; }  // not known: it is checked

  template <int States, class Update>
  void update(const Update& step, T* parameters, const T* gradient, T* state, int begin, int end) const {
    update_numbers<States>(step, parameters, gradient, state, Ops::arena_size, begin, end);
  }
  template <int States, class Update>
  void update_numbers(const Update& step, T* parameters, const T* gradient, T* state, int stride, int begin,
                      int end) const {
    for (int i = begin; i < end; ++i) {
      const int used = uses_state(step) ? States : 0;
      T own[States > 0 ? States : 1]{};
      for (int s = 0; s < used; ++s) own[s] = state[s * stride + i];
      step(parameters[i], gradient[i], own);
      for (int s = 0; s < used; ++s) state[s * stride + i] = own[s];
    }
  }
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas,
                        bool /*gradient_is_moderate*/ = false) const {
    return internal::update_is_finite(*this, arena_layout<Model>, update, arenas);
  }
  template <class Optimizer>
  bool apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    apply_optimizer(*this, arena_layout<Model>, update, arenas);
    return false;
  }
  template <class Work>
  void for_each_range(Work&& work) const {
    work(0, Ops::arena_size);
  }
  template <class Work>
  void for_each_part(std::size_t size, Work&& work) const {
    work(0, std::size_t{0}, size);
  }

 private:
  /// Targets whose rows are in the numbers of this engine.
  template <class Targets>
  struct RowsAs {
    const Targets& targets;
    mutable std::vector<T> row_ = std::vector<T>(static_cast<std::size_t>(Ops::output.size()));

    auto label(std::size_t i) const { return targets.label(i); }
    double weight(std::size_t i) const
      requires HasRowWeights<Targets>
    {
      return targets.weight(i);
    }
    const T* row(std::size_t i) const {
      targets.copy_row(i, row_.data());
      return row_.data();
    }
  };

  template <class View>
  static std::vector<T> load(const BatchInputs<View>& from, std::size_t batch) {
    std::vector<T> x(batch * inputs);
    const T scale = static_cast<T>(from.normalize.scale), shift = static_cast<T>(from.normalize.shift);
    for (std::size_t i = 0; i < batch; ++i) {
      T* row = x.data() + i * inputs;
      copy_row(from.view, from.choice[i], row);
      for (std::size_t k = 0; k < inputs; ++k) row[k] = fn::fma(row[k], scale, shift);
    }
    return x;
  }

  ReferenceEngine<Model, T> engine_;
};

template <class Model, class T>
struct EngineFor<Model, T, Reference> {
  using Type = ReferenceDeviceEngine<Model, T>;
};

SINTER_NAMESPACE_END
