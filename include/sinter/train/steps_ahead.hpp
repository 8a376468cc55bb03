// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>

#include "sinter/core/finite.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/loss/weight.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the device makes a whole step on a batch by itself, and the host does not wait for it.
template <class Loss, class Optimizer, class Engine, class Targets>
inline constexpr bool stepped_there = KeepsData<Engine> && !WeighsClasses<Loss> && !HasRowWeights<Targets> &&
                                      !ClipsNorm<Optimizer> && std::is_trivially_copyable_v<Optimizer>;

template <class State, class View, class Targets>
auto step_there(State& at, const BatchInputs<View>& inputs, const Targets& targets) {
  at.optimizer.check();
  if constexpr (State::Ops::buffer_count > 0) check_statistics<typename State::Model>(inputs.view.rows);
  return at.engine.step(
      TrainingBatch{
          .inputs = inputs, .rows = inputs.view.rows, .targets = targets, .samples = nullptr, .key = at.mask_key()},
      at.loss, at.next_update(), at.arenas());
}

/// Steps on a dataset that the device keeps: the sums of the losses of those that were sound.
template <class State, class Kept>
std::span<const double> steps_on_kept(State& at, const Kept& kept, const StepsWanted& wanted) {
  at.rows.clear();
  at.look();
  at.problem.clear();
  if (!at.rate_is_finite()) return {};
  if constexpr (State::Ops::buffer_count > 0)
    check_statistics_of_epoch<typename State::Model>(kept.size - wanted.order.held_out.count, wanted.batch);
  const StepsDone made = at.engine.steps(kept, wanted, at.loss, at.next_update(), at.arenas());
  at.steps += static_cast<long>(made.applied);
  at.attempts += static_cast<long>(made.applied);
  if (made.applied < wanted.count) {
    at.describe_problem(is_finite(made.losses.back()) ? "a gradient" : "the loss");
    ++at.attempts;
  }
  return made.losses.first(made.applied);
}

}  // namespace detail

SINTER_NAMESPACE_END
