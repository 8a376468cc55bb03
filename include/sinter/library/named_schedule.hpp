// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "sinter/library/call_text.hpp"
#include "sinter/optimizer/cosine_annealing_lr.hpp"
#include "sinter/optimizer/linear_lr.hpp"
#include "sinter/optimizer/one_cycle_lr.hpp"
#include "sinter/optimizer/step_lr.hpp"

SINTER_NAMESPACE_BEGIN

/// One of the schedules, chosen when the program runs, after a warm-up if one is asked for; none keeps the rate.
struct NamedSchedule {
  enum class Kind { none, step, exponential, linear, cosine, one_cycle } kind = Kind::none;
  StepLR step = {};
  ExponentialLR exponential = {};
  LinearLR linear = {};
  CosineAnnealingLR cosine = {};
  OneCycleLR one_cycle = {};
  long warm_up = 0;  // total_iters of WarmUp
  double start_factor = 1. / 3;

  static constexpr const char* name = "NamedSchedule";
  static constexpr bool anywhere = true;

  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    if (t < warm_up) return LinearLR{.start_factor = start_factor, .end_factor = 1, .total_iters = warm_up}(lr, t);
    const long at = t - warm_up;
    switch (kind) {
      case Kind::step:
        return step(lr, at);
      case Kind::exponential:
        return exponential(lr, at);
      case Kind::linear:
        return linear(lr, at);
      case Kind::cosine:
        return cosine(lr, at);
      case Kind::one_cycle:
        return one_cycle(lr, at);
      default:
        return lr;
    }
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("warm_up", warm_up);
  }
  void check() const {}  // when it was set

  static constexpr const char* names =
      "StepLR, ExponentialLR, LinearLR, CosineAnnealingLR, OneCycleLR, WarmUp, ReduceLROnPlateau, and per_step(..) or "
      "per_epoch(..) of one";
  /// Fails unless the text is that of a schedule: `WarmUp(total_iters=5, then=CosineAnnealingLR(T_max=50))`, say.
  void set(detail::CallText call) {
    if (call.name == "WarmUp") {
      const std::optional<std::string> then = call.take("then");
      WarmUp<LinearLR> rising{.total_iters = 5, .then = {}};
      detail::set_options(rising, call);
      warm_up = rising.total_iters;
      start_factor = rising.start_factor;
      if (!then) return;
      call = detail::read_call("schedule", *then);
      for (const char* wrong : {"WarmUp", "ReduceLROnPlateau", "per_step", "per_epoch"})
        if (call.name == wrong)
          fail(call.name +
               " was given after a WarmUp, which is followed by a schedule that is none of these; write "
               "per_step(..) round the WarmUp");
    }
    if (!(try_to_set(call, step, Kind::step) || try_to_set(call, exponential, Kind::exponential) ||
          try_to_set(call, linear, Kind::linear) || try_to_set(call, cosine, Kind::cosine) ||
          try_to_set(call, one_cycle, Kind::one_cycle)))
      detail::fail_name("schedule", call.name, names);
  }

 private:
  template <class Schedule>
  bool try_to_set(const detail::CallText& call, Schedule& schedule, Kind of_schedule) {
    if (call.name != Schedule::name) return false;
    kind = of_schedule;
    detail::set_options(schedule, call);
    return true;
  }
};

SINTER_NAMESPACE_END
