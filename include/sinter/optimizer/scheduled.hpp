// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <span>

#include "sinter/core/named_options.hpp"
#include "sinter/optimizer/apply.hpp"

SINTER_NAMESPACE_BEGIN

/// An optimizer whose rate follows a schedule: a function `schedule(lr, t)` of the rate that the optimizer was given
/// and of the time, which counts steps or epochs from 0. It is an optimizer as any other, on every device: the rate of
/// each step is known beforehand. Made by per_step() and per_epoch().
template <class Optimizer, class Schedule>
struct Scheduled : Optimizer {
  Schedule schedule;
  long steps;           ///< of a unit of time; 0: of an epoch of unknown length
  long first_step = 0;  ///< steps before those of this training

  using FactsOf = FactsIfOf<Scheduled, Optimizer>;
  static constexpr long settled = std::numeric_limits<long>::max();
  static constexpr bool anywhere = ComputedAnywhere<Optimizer> && ComputedAnywhere<Schedule>;

  Scheduled(const Optimizer& optimizer, const Schedule& schedule_, long steps_)
      : Optimizer(optimizer), schedule(schedule_), steps(steps_) {}

  /// The rate of one step; steps count from 0. One that was given and cannot be right stays as it is.
  SINTER_HOST_DEVICE double rate(long step) const
    requires anywhere
  {
    check_schedule();
    return this->lr >= 0 ? schedule(this->lr, (first_step + step) / steps) : this->lr;
  }
  double rate(long step) const
    requires(!anywhere)
  {
    check_schedule();
    return this->lr >= 0 ? schedule(this->lr, (first_step + step) / steps) : this->lr;
  }

  /// The update of one step.
  template <class T>
    requires anywhere
  SINTER_HOST_DEVICE auto at(long step) const {
    return with_rate(rate(step)).template at<T>(step);
  }
  template <class T>
    requires(!anywhere)
  auto at(long step) const {
    return with_rate(rate(step)).template at<T>(step);
  }

  /// Known to fit().
  void tell_epoch(long steps_of_epoch, long epochs_before) {
    if (steps == 0) steps = steps_of_epoch;
    first_step = epochs_before * steps_of_epoch;
  }

  template <class Each>
  void for_each_option(Each&& each) const {
    detail::for_each_option<Optimizer>(*this, each);
    each("schedule", schedule);
    each("schedule_steps", steps);
  }
  SINTER_COLD void check() const {
    Optimizer::check();
    check_schedule();
  }

  /// One step on one parameter, outside a network, as of the optimizer.
  template <class Parameter, class Gradient, class State>
  void step(Parameter&& parameter, const Gradient& gradient, State&& state, long step) const {
    detail::apply(*this, std::span(parameter), std::span(gradient), std::span(state), step);
  }

 private:
  SINTER_HOST_DEVICE Optimizer with_rate(double rate) const
    requires anywhere
  {
    Optimizer now = *this;
    now.lr = rate;
    return now;
  }
  Optimizer with_rate(double rate) const
    requires(!anywhere)
  {
    Optimizer now = *this;
    now.lr = rate;
    return now;
  }
  SINTER_ANY_CALLEE
  SINTER_HOST_DEVICE void check_schedule() const {
#if !defined(__CUDA_ARCH__)
    schedule.check();
    if (steps == 0)
      fail([] {
        return "per_epoch() was not given the number of steps of an epoch, which fit() knows; give it a number of 1 or "
               "more after the schedule";
      });
    detail::require_count("per_epoch()", "steps", steps);
#endif
  }
};

template <class Optimizer>
concept HasSchedule = requires(const Optimizer& optimizer) { optimizer.schedule; };

namespace detail {
template <class Optimizer>
constexpr void check_no_schedule() {
  static_assert(!HasSchedule<Optimizer>,
                "sinter: per_step or per_epoch is given an optimizer that has a schedule already; give it one, "
                "WarmUp{.then = ..} for one after another");
}
}  // namespace detail

/// A schedule whose time counts steps.
template <class Optimizer, class Schedule>
Scheduled<Optimizer, Schedule> per_step(const Optimizer& optimizer, const Schedule& schedule) {
  detail::check_no_schedule<Optimizer>();
  return {optimizer, schedule, 1};
}
/// A schedule whose time counts epochs of `steps` steps each; fit() supplies the number.
template <class Optimizer, class Schedule>
Scheduled<Optimizer, Schedule> per_epoch(const Optimizer& optimizer, const Schedule& schedule, long steps = 0) {
  detail::check_no_schedule<Optimizer>();
  return {optimizer, schedule, steps};
}

namespace detail {
/// The rate of one step of an optimizer, with a schedule or without.
template <class Optimizer>
double rate_of(const Optimizer& optimizer, [[maybe_unused]] long step) {
  if constexpr (requires { optimizer.rate(step); })
    return optimizer.rate(step);
  else
    return optimizer.lr;
}
template <class Optimizer>
void tell_epoch([[maybe_unused]] Optimizer& optimizer, [[maybe_unused]] std::size_t rows,
                [[maybe_unused]] std::size_t batch, [[maybe_unused]] int epochs_before) {
  if constexpr (requires { optimizer.tell_epoch(1, 0); })
    optimizer.tell_epoch(static_cast<long>(rows / batch + (rows % batch != 0)), epochs_before);
}
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::per_epoch;
using internal::per_step;
}  // namespace sinter
