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
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether the device makes a whole step on a batch by itself, and the host does not wait for it.
template <class Loss, class Optimizer, class Engine, class Targets>
inline constexpr bool stepped_on_device = KeepsData<Engine> && !divides_by_classes<Loss> && !HasRowWeights<Targets> &&
                                          !ClipsNorm<Optimizer> && std::is_trivially_copyable_v<Optimizer>;

template <class State, class View, class Targets>
auto step_on_device(State& at, const BatchInputs<View>& inputs, const Targets& targets) {
  at.net->gradient_use().begin_sum();
  at.optimizer.check();
  if constexpr (State::Ops::buffer_count > 0) check_statistics<typename State::Model>(inputs.view.rows);
  at.expect_rows(inputs.view.rows);
  return at.engine.step(
      TrainingBatch{
          .inputs = inputs, .rows = inputs.view.rows, .targets = targets, .samples = nullptr, .key = at.mask_key()},
      at.loss, at.next_update(), at.arenas());
}

/// Why a step of the engine was not sound. On a device, the kernel that checks the gradient checks nothing else.
template <class State>
SINTER_COLD void describe_unsound(State& at, double loss) {
  if (!is_finite(loss))
    at.describe_problem("the loss");
  else if (KeepsData<typename State::Engine> || !at.engine.all_finite(at.net->gradient()))
    at.describe_problem("a gradient");
  else
    at.problem = weight_problem(at.attempts);
}

/// Rows of step `made` of the requested ones: the last batch of an epoch has the remaining rows.
inline std::size_t rows_of_step(std::size_t kept, const StepsWanted& wanted, std::size_t made) {
  const std::size_t size = kept - wanted.order.held_out.count, of_epoch = (size + wanted.batch - 1) / wanted.batch,
                    number = (wanted.first + wanted.batch - 1) / wanted.batch + made;
  return std::min(wanted.batch, size - number % of_epoch * wanted.batch);
}

/// Rows of the shortest of the steps wanted.
inline std::size_t rows_of_shortest(std::size_t kept, const StepsWanted& wanted) {
  const std::size_t size = kept - wanted.order.held_out.count, rows = std::min(wanted.batch, size);
  const bool to_the_end = wanted.first + wanted.count * wanted.batch >= size;
  return to_the_end && size % rows != 0 ? size % rows : rows;
}

/// Steps by the engine on a dataset that it keeps: the `loss_sums` of those that were sound.
template <class State, class Kept>
std::span<const double> steps_on_kept(State& at, const Kept& kept, const StepsWanted& wanted) {
  at.rows.clear();
  at.rows_kept = 0;
  at.net->gradient_use().begin_sum();
  at.look();
  at.problem.clear();
  if (!at.rate_is_finite()) return {};
  at.optimizer.check();  // its rate may have been assigned to
  if constexpr (State::Ops::buffer_count > 0)
    check_statistics<typename State::Model>(rows_of_shortest(kept.size, wanted));
  const StepsDone made = at.engine.steps(kept, wanted, at.loss, at.next_update(), at.arenas());
  constexpr std::size_t sums = loss_sums<decltype(at.loss)>;
  const std::size_t tried = made.losses.size() / sums;
  const double last = tried > 0 ? made.losses[(tried - 1) * sums] : 0;
  if (tried > 0) at.last_loss = last / static_cast<double>(rows_of_step(kept.size, wanted, tried - 1));
  at.steps += static_cast<long>(made.applied);
  at.attempts += static_cast<long>(made.applied);
  if (made.applied < wanted.count) {
    describe_unsound(at, last);
    ++at.attempts;
  }
  return made.losses.first(made.applied * sums);
}

}  // namespace detail

SINTER_NAMESPACE_END
