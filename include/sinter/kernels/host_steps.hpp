// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sinter/core/finite.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/data/dataset.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/kernels/write_order.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// A dataset for the steps of an engine in host memory: it is read in place.
template <Dataset D>
struct HostData {
  const D& data;
  std::size_t size;
};

/// A base of engines in host memory, which make steps in the order of epochs by it. It keeps the order of the epoch
/// that it is in.
template <class Engine, class Model, class T>
class HostSteps {
 public:
  /// Steps on a dataset, in the order of its epochs.
  template <Dataset D, class Loss, class Optimizer>
  SINTER_SHARED StepsDone steps(const HostData<D>& kept, StepsWanted wanted, const Loss& loss,
                                const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    using Inputs = BatchInputs<inputs_of<D>>;
    constexpr bool buffers = Program<Model>::buffer_count > 0;
    const D& data = kept.data;
    const std::size_t size = kept.size - wanted.order.held_out.count;
    losses_.clear();
    losses_.reserve(wanted.count * loss_sums<Loss>);
    bool moderate = false;  // weights and states: the caller may have written them since
    for (std::size_t made = 0; made < wanted.count; ++made) {
      if (wanted.first >= size) {
        wanted.first = 0;
        ++wanted.order.epoch;
      }
      follow(wanted.order, size);
      const std::size_t rows = std::min(wanted.batch, size - wanted.first);
      const RowChoice choice{order_.data() + wanted.first};
      const auto targets = batch_targets(data, choice);
      if constexpr (carries_states<Engine>)
        if (begins_sequences(wanted.order, wanted.first)) engine().carried().reset();
      if constexpr (buffers) engine().statistics().drop();
      losses_.resize(losses_.size() + loss_sums<Loss>);
      double* const sums = losses_.data() + (losses_.size() - loss_sums<Loss>);
      const TrainingBatch batch{.inputs = Inputs{data.inputs(), choice, normalize_of(data)},
                                .rows = rows,
                                .targets = targets,
                                .samples = order_.data() + wanted.first,
                                .key = {wanted.order.seed, wanted.order.epoch}};
      const GradientSum<T> to{static_cast<T>(1.0 / static_cast<double>(rows)), arenas.gradient, nullptr, T(0),
                              sums + 1};
      const double mean = engine().accumulate(arenas.parameters, batch, loss, to) / static_cast<double>(rows);
      sums[0] = static_cast<double>(static_cast<T>(mean)) * static_cast<double>(rows);

      // If something is not finite, the update is left out.
      const UpdateStep<Optimizer> next{update.optimizer, update.step + static_cast<long>(made), update.factors};
      if (!is_finite(mean) || !engine().is_sound(next, arenas, moderate)) return {losses_, made};
      moderate = engine().apply_finite(next, arenas);
      if constexpr (buffers) engine().statistics().keep(arenas.parameters);
      wanted.first += rows;
    }
    return {losses_, wanted.count};
  }

  /// `apply` for an update that is known to be finite.
  template <class Optimizer>
  bool apply_finite(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas) {
    return engine().apply(update, arenas);
  }

  /// Whether gradient and weights are finite, and stay so.
  template <class Optimizer>
  bool is_sound(const UpdateStep<Optimizer>& update, const Arenas<T>& arenas, bool /*weights_are_moderate*/) {
    const bool gradient = engine().gradient_is_moderate();
    return (gradient || all_finite(arenas.gradient, static_cast<std::size_t>(Program<Model>::arena_size))) &&
           engine().update_is_finite(update, Arenas<const T>{arenas.parameters, arenas.gradient, arenas.state},
                                     gradient);
  }

 private:
  Engine& engine() { return static_cast<Engine&>(*this); }
  void follow(const EpochOrder& order, std::size_t size) {
    if (order_.size() == size && order == order_of_) return;
    order_of_ = order;
    write_order(order, size, order_);
  }

  std::vector<std::uint32_t> order_;
  EpochOrder order_of_;
  std::vector<double> losses_;
};

SINTER_NAMESPACE_END
