// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "sinter/data/row_range.hpp"
#include "sinter/device/host.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/kernels/host/step/batch_passes.hpp"
#include "sinter/kernels/host/step/training_memory.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// What an engine of the host has for training: the losses and gradients of batches, and the memory for them.
template <class Model, class T, class Isa, class Division>
class Training {
  using Memory = TrainingMemory<Model, T, Isa, Division>;

 public:
  Training(HostFor<Isa> device, Division division) : device_(std::move(device)) {
    memory_.division = std::move(division);
  }
  const HostFor<Isa>& device() const { return device_; }
  int threads() const { return device_.pool.size(); }

  /// The sum of the losses of the rows; their gradient goes to `to`.
  template <class Loss, class Inputs, class Targets, class InputGradient>
  double accumulate(const T* parameters, const TrainingBatch<Inputs, Targets>& batch, const Loss& loss,
                    const GradientSum<T, InputGradient>& to) {
    using Tile = host_kernels::Tile<TilePlan<Model, T, Isa, !std::is_null_pointer_v<InputGradient>>, true>;
    using Passes = BatchPasses<Memory, Tile, TrainingBatch<Inputs, Targets>, Loss, GradientSum<T, InputGradient>>;
    return Passes{memory_, device_.pool, parameters, batch, loss, to}.run();
  }

  /// Only forward, in training: y [rows][output]. The activations of all rows are kept for `backward_kept`, until the
  /// next batch.
  template <class Inputs>
  void forward_kept(const T* parameters, const TrainingBatch<Inputs, NotGiven>& batch, T* y) {
    using Passes =
        BatchPasses<Memory, KeptTile<true>, TrainingBatch<Inputs, NotGiven>, NotGiven, OutputRows<T>, Way::forward>;
    const OutputRows<T> to{y};
    Passes{memory_, device_.pool, parameters, batch, not_given, to}.run();
  }
  /// `accumulate` for the batch of the last separate forward pass, with the same parameters.
  template <class Loss, class Targets, class InputGradient>
  double backward_kept(const T* parameters, const TrainingBatch<NotGiven, Targets>& batch, const Loss& loss,
                       const GradientSum<T, InputGradient>& to) {
    using Passes = BatchPasses<Memory, KeptTile<!std::is_null_pointer_v<InputGradient>>,
                               TrainingBatch<NotGiven, Targets>, Loss, GradientSum<T, InputGradient>, Way::backward>;
    return Passes{memory_, device_.pool, parameters, batch, loss, to}.run();
  }

  /// The rows of a batch that are computed here; from now on, only their inputs need to be given.
  RowRange rows_to_read(std::size_t batch) {
    memory_.division.expect_own_inputs_alone();
    const auto parts = parts_of(batch);
    return parts.rows_of(parts.own.rank, batch);
  }
  /// Numbers for each row: takes those of the rows that are computed here, and returns all.
  template <class Value>
  void gather_rows(Value* rows, std::size_t batch) {
    memory_.division.gather_rows(parts_of(batch), batch, rows);
  }

  /// The buffers after a batch.
  RunningStatistics<Model, T>& statistics() { return memory_.statistics; }
  /// The states that recurrences begin a batch with.
  CarriedStates<T>& carried() { return memory_.carried; }
  /// Whether the kernels that wrote the gradient found all its numbers below 2^40. Else it must be checked.
  bool gradient_is_moderate() const { return memory_.division.moderate(memory_.squares); }

 protected:
  HostFor<Isa> device_;

 private:
  /// In the forward pass it is not known yet whether the gradient of the inputs will be needed.
  template <bool WithInputGradient>
  using KeptTile = Tile<TilePlan<Model, T, Isa, true>, true, WithInputGradient>;

  /// For a batch with both passes.
  auto parts_of(std::size_t batch) {
    using Plan = typename Memory::Plan;
    constexpr bool keeps = Schedule<typename Plan::Cut>::count > 1 || Plan::layered;
    return BatchParts<Plan>(batch, memory_.division.threads(threads()), keeps, memory_.division.own_rank());
  }

  Memory memory_;
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
