// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "sinter/core/finite.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/device/engine.hpp"
#include "sinter/kernels/step_arguments.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/network/gradient_use.hpp"
#include "sinter/optimizer/clip_grad.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/train/add_batch.hpp"
#include "sinter/train/batch_weight.hpp"
#include "sinter/train/given_batch.hpp"
#include "sinter/train/make_update.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/training_state.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

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

/// What fit asks of a Trainer: steps on the rows of a dataset, checked beforehand; masks are keyed by the row and the
/// epoch.
template <class Net, class Loss, class Optimizer>
class StepsForFit {
  using Scalar = typename Net::Scalar;
  using Engine = typename Net::Engine;

 public:
  /// Whether steps on a dataset are the engine's: it neither sums up weights nor clips.
  template <class D>
  static constexpr bool by_engine = !divides_by_weights<Loss, D> && !ClipsNorm<Optimizer>;
  static constexpr bool keeps_data = KeepsData<Engine>;
  static constexpr std::size_t loss_sums = internal::loss_sums<Loss>;
  /// Whether the device may make many steps without the host.
  template <class D>
  static constexpr bool steps_ahead = keeps_data && by_engine<D>;

  template <class D>
  Scalar step_on(const D& data, RowChoice choice, std::size_t count, const std::uint32_t* samples,
                 std::uint32_t epoch) {
    const Work work = begin();
    at_.rows.clear();
    using Inputs = BatchInputs<std::remove_cvref_t<decltype(data.inputs())>>;
    const Scalar loss = add_batch(at_,
                                  TrainingBatch{.inputs = Inputs{data.inputs(), choice, normalize_of(data)},
                                                .rows = count,
                                                .targets = batch_targets(data, choice),
                                                .samples = samples,
                                                .key = {at_.net->seed(), epoch}},
                                  at_.loss, nullptr);
    make_update(at_);
    return loss;
  }
  /// The mean loss of each head, for the batch of the last step_on.
  std::span<const double> losses_of_heads() const { return at_.losses_of_heads; }
  /// A dataset in the memory of the device, for `steps_on`.
  template <class D>
  auto keep(const D& data) const {
    return at_.engine.keep(data, true);
  }
  template <class Kept>
  std::size_t most_steps(const Kept& kept, std::size_t batch) const {
    return at_.engine.template most_steps<Optimizer::states>(std::min(batch, kept.size));
  }
  /// The sums of the losses of each step's rows, `loss_sums` for each; fewer than wanted, where one was not sound.
  template <class Kept>
  std::span<const double> steps_on(const Kept& kept, const StepsWanted& wanted) {
    const Work work = begin();
    at_.rows.clear();
    at_.rows_kept = 0;
    at_.net->gradient_use().change_weights();
    at_.look();
    at_.problem.clear();
    if (!at_.rate_is_finite()) return {};
    at_.check_optimizer();
    if constexpr (Net::Ops::buffer_count > 0)
      check_statistics<typename Net::Model>(rows_of_shortest(kept.size, wanted));
    StepsWanted possible = wanted;
    std::string problem;  // of the schedule, after the possible ones
    if constexpr (HasSchedule<Optimizer>)
      for (possible.count = std::min<std::size_t>(1, wanted.count); problem.empty() && possible.count < wanted.count;
           possible.count += problem.empty())
        problem = schedule_problem<Scalar>(at_.optimizer, at_.steps + static_cast<long>(possible.count));
    const StepsDone made = at_.engine.steps(kept, possible, at_.loss, at_.next_update(), at_.arenas());
    const std::size_t tried = made.losses.size() / loss_sums;
    const double last = tried > 0 ? made.losses[(tried - 1) * loss_sums] : 0;
    if (tried > 0) at_.last_loss = last / static_cast<double>(rows_of_step(kept.size, wanted, tried - 1));
    at_.steps += static_cast<long>(made.applied);
    at_.attempts += static_cast<long>(made.applied);
    if (made.applied < possible.count) {
      describe_unsound(at_, last);
      ++at_.attempts;
    } else {
      at_.problem = std::move(problem);
    }
    return made.losses.first(made.applied * loss_sums);
  }

 protected:
  using State = TrainingState<Net, Loss, Optimizer>;
  using Work = GradientUse::Work;

  StepsForFit(Net& net, const Loss& loss, const Optimizer& optimizer) : at_(net, loss, optimizer) {}
  StepsForFit(Net& net, const State& state) : at_(net, state) {}
  Work begin() {
    if constexpr (Net::on_host) at_.check_shared_state();
    return Work(at_.net->gradient_use());
  }

  State at_;
};

}  // namespace detail

SINTER_NAMESPACE_END
