// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/optimizer/computed_anywhere.hpp"
#include "sinter/optimizer/facts.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

void require_at_least_zero(const char* optimizer, const char* what, double value);
void require_below_one(const char* optimizer, const char* what, double value);
void require_fraction(const char* optimizer, const char* what, double value);
void require_above_zero(const char* optimizer, const char* what, double value);
void require_count(const char* optimizer, const char* what, long value);
[[noreturn]] SINTER_COLD void fail_rate(const char* schedule, double lr);
[[noreturn]] SINTER_COLD void fail_time(const char* schedule, long t);
/// The first line of a schedule's call, which a program may make on its own. What a kernel calls has been checked.
SINTER_ANY_CALLEE
template <class Schedule>
SINTER_HOST_DEVICE void check_on_host([[maybe_unused]] const Schedule& schedule, [[maybe_unused]] double lr,
                                      [[maybe_unused]] long t) {
#if !defined(__CUDA_ARCH__)
  schedule.check();
  if (!(lr >= 0)) fail_rate(Schedule::name, lr);
  if (t < 0) fail_time(Schedule::name, t);
#endif
}

/// One step of an optimizer on one parameter, outside a network. `state` holds Optimizer::states numbers for each
/// number of the parameter, [states][parameter], and starts as zeros.
template <class Optimizer, class T>
void apply(const Optimizer& optimizer, std::span<T> parameter, std::type_identity_t<std::span<const T>> gradient,
           std::type_identity_t<std::span<T>> state, long step) {
  constexpr int states = Optimizer::states;
  const std::size_t n = parameter.size();
  optimizer.check();
  if (gradient.size() != n || state.size() != n * states)
    fail(std::string(Optimizer::name) + ".step was given " + std::to_string(n) + " weights, " +
         std::to_string(gradient.size()) + " gradients and " + std::to_string(state.size()) +
         " numbers of state, expected as many gradients as weights and " + std::to_string(states) +
         " times as many numbers of state; resize them (state starts as zeros)");
  if (step < 0)
    fail(std::string(Optimizer::name) + ".step was given step " + std::to_string(step) +
         ", expected 0 or more; count steps from 0");
  const auto update = optimizer.template at<T>(step);
  for (std::size_t i = 0; i < n; ++i) {
    T own[states];
    for (int s = 0; s < states; ++s) own[s] = state[static_cast<std::size_t>(s) * n + i];
    update(parameter[i], gradient[i], own);
    for (int s = 0; s < states; ++s) state[static_cast<std::size_t>(s) * n + i] = own[s];
  }
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/optimizer/apply.ipp"
#endif
