// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>

#include "sinter/core/aligned.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/loss/supplied.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Rows from `first` on.
inline RowChoice from_row(RowChoice choice, std::size_t first) {
  if (choice.rows != nullptr) return {choice.rows + first};
  return {nullptr, choice.first + first};
}

/// A stage of a model on the rank that has it: what it takes from its neighbours and gives them, and an engine for each
/// micro-batch that waits for its backward pass.
template <class Model, class T, class Device>
class PipelineStage {
  using Engine = typename EngineFor<Model, T, Device>::Type;
  using Ops = Program<Model>;
  static constexpr std::size_t inputs = static_cast<std::size_t>(Ops::input.size()),
                               outputs = static_cast<std::size_t>(Ops::output.size()), rows_at_once = 64;
  static constexpr bool buffers = Ops::buffer_count > 0;

 public:
  using InputRow = typename Model::InputRow;
  using OutputRow = typename Model::OutputRow;

  explicit PipelineStage(const Device& device) : device_(device) { engines_.emplace_back(device); }

  // Of one micro-batch: [rows][inputs], [rows][outputs], and their gradients.
  AlignedArray<T> x, y, dy, dx;

  void reserve(std::size_t rows, std::size_t kept) {
    x.grow(rows * inputs);
    y.grow(rows * outputs);
    if (kept == 0) return;
    dx.grow(rows * inputs);
    dy.grow(rows * outputs);
    while (engines_.size() < kept) engines_.emplace_back(device_);
  }

  /// Forward in training: y. The activations are kept in place `kept`.
  template <class Batch>
  void forward(const T* parameters, const Batch& batch, std::size_t kept) {
    engine_after_last(kept).forward_kept(parameters, batch, y.data());
  }
  /// Backward through them, from dy.
  template <class To>
  void backward(const T* parameters, std::size_t rows, std::size_t kept, const To& to) {
    const BatchTargets<TensorView<const T, OutputRow>> given{{dy.data(), rows}};
    engines_[kept].backward_kept(parameters, TrainingBatch{.inputs = not_given, .rows = rows, .targets = given},
                                 SuppliedGradient{}, to);
  }
  /// Both, with the loss: its sum over the rows.
  template <class Batch, class Loss, class To>
  double accumulate(const T* parameters, const Batch& batch, const Loss& loss, const To& to) {
    return engine_after_last(0).accumulate(parameters, batch, loss, to);
  }

  /// Outputs [rows][outputs] in inference, on the threads of the device.
  template <class View>
  void infer(const T* parameters, const BatchInputs<View>& from, std::size_t rows, T* to) {
    Engine& engine = engines_.front();
    while (workspaces_.size() < static_cast<std::size_t>(engine.threads()))
      workspaces_.emplace_back(device_, rows_at_once);
    engine.for_each_part(rows, [&](int worker, std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; i += rows_at_once)
        Engine::forward_tiles(parameters, BatchInputs<View>{from.view, from_row(from.choice, i), from.normalize},
                              std::min(rows_at_once, first + count - i), workspaces_[static_cast<std::size_t>(worker)],
                              to + i * outputs);
    });
  }

  void drop_statistics() { engines_[last_].statistics().drop(); }
  void keep_statistics(T* parameters) { engines_[last_].statistics().keep(parameters); }

  /// Whether gradient and weights are finite, and stay so.
  template <class Optimizer>
  bool update_is_finite(const UpdateStep<Optimizer>& update, const Arenas<const T>& arenas) const {
    return gradient_is_finite(arenas.gradient) && engines_.front().update_is_finite(update, arenas, false);
  }
  bool gradient_is_finite(const T* gradient) const {
    return all_finite(gradient, static_cast<std::size_t>(Ops::arena_size));
  }
  template <class Optimizer>
  void apply(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) const {
    engines_.front().apply(update, arenas);
  }

 private:
  /// The running statistics follow the micro-batches in their order, whichever engine computes them.
  Engine& engine_after_last(std::size_t next) {
    if constexpr (buffers)
      if (next != last_) engines_[next].statistics() = engines_[last_].statistics();
    last_ = next;
    return engines_[next];
  }

  Device device_;
  std::deque<Engine> engines_;
  std::deque<typename Engine::Workspace> workspaces_;
  std::size_t last_ = 0;  // of the micro-batch that went forward last
};

}  // namespace detail

SINTER_NAMESPACE_END
