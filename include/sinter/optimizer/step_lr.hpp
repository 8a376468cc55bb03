// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/optimizer/apply.hpp"
#include "sinter/optimizer/power.hpp"

SINTER_NAMESPACE_BEGIN

/// lr gamma^(t / step_size), rounded down: a rate that falls every step_size.
struct StepLR {
  long step_size = 1;
  double gamma = 0.1;

  static constexpr const char* name = "StepLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    return lr * detail::power(gamma, t / step_size).value;
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("step_size", step_size);
    each("gamma", gamma);
  }
  void check() const {
    detail::require_count(name, "step_size", step_size);
    detail::require_at_least_zero(name, "gamma", gamma);
  }
};

/// lr gamma^k, k being how many of the milestones t has reached; they ascend.
template <int Milestones>
struct MultiStepLR {
  long milestones[Milestones];
  double gamma = 0.1;

  static constexpr const char* name = "MultiStepLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    long reached = 0;
    for (const long milestone : milestones) reached += t >= milestone ? 1 : 0;
    return lr * detail::power(gamma, reached).value;
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("milestones", milestones);
    each("gamma", gamma);
  }
  void check() const {
    detail::require_at_least_zero(name, "gamma", gamma);
    if (milestones[0] < 0)
      fail([&] {
        return "MultiStepLR was given the milestone " + std::to_string(milestones[0]) +
               ", expected 0 or more; correct that option";
      });
    for (int i = 1; i < Milestones; ++i)
      if (milestones[i] < milestones[i - 1])
        fail([&] {
          return "MultiStepLR was given the milestones " + std::to_string(milestones[i - 1]) + " and " +
                 std::to_string(milestones[i]) + " in this order, expected them to ascend; sort them";
        });
  }
};

/// lr gamma^t.
struct ExponentialLR {
  double gamma = 0.9;

  static constexpr const char* name = "ExponentialLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    return lr * detail::power(gamma, t).value;
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("gamma", gamma);
  }
  void check() const { detail::require_at_least_zero(name, "gamma", gamma); }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ExponentialLR;
using internal::MultiStepLR;
using internal::StepLR;
}  // namespace sinter
