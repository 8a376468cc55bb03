// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sinter/core/finite.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/core/number_text.hpp"
#include "sinter/model/program.hpp"
#include "sinter/optimizer/scheduled.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// `layer` and its name are those of the first with a gradient that is not finite, if one is.
SINTER_COLD std::string not_finite(const char* what, long step, bool embeds, int layer = -1,
                                   std::string_view name = {});

/// The same, which is looked for. `gradient` is the arena of a model, in the memory of the host.
template <class T>
SINTER_COLD std::string problem_text(const char* what, long step, bool embeds, std::span<const Parameter> parameters,
                                     const char* const* layer_names, const T* gradient) {
  for (const Parameter& p : parameters)
    if (!all_finite(gradient + p.offset, static_cast<std::size_t>(p.size)))
      return not_finite(what, step, embeds, p.layer, layer_names[p.layer]);
  return not_finite(what, step, embeds);
}
/// Why the update of a step was skipped: `what` was not finite.
template <class Model, class Arena>
std::string problem_text(const char* what, long step, const Arena& gradient) {
  using Ops = Program<Model>;
  constexpr bool embeds =
      std::any_of(Ops::ops.begin(), Ops::ops.end(), [](const Op& op) { return op.kind == OpKind::lookup; });
  return problem_text(what, step, embeds, std::span<const Parameter>(Ops::parameters), Ops::layer_names.data(),
                      gradient.data());
}

[[noreturn]] SINTER_COLD void fail_option_in_float(const char* optimizer, std::string_view option, double value);
/// Fails at an option that is infinite in the precision of the network. A rate is looked at in each step.
template <class T, class Optimizer>
void check_options_in(const Optimizer& optimizer) {
  for_each_option(optimizer, [](std::string_view name, const auto& value) {
    if constexpr (std::is_same_v<std::remove_cvref_t<decltype(value)>, double> && sizeof(T) < sizeof(double))
      if (name != "lr" && is_finite(value) && !is_finite(static_cast<T>(value)))
        fail_option_in_float(Optimizer::name, name, value);
  });
}

SINTER_COLD std::string weight_problem(long step);
SINTER_COLD std::string stopped_text(int epoch, const std::string& problem);
SINTER_COLD std::string infinite_rate(double rate, long step);
SINTER_COLD std::string wrong_next_rate(int epoch, double rate);
SINTER_COLD std::string wrong_rate_of_schedule(double rate, long step);

/// Empty, or why an update with this rate is skipped.
template <class T>
std::string rate_problem(double rate, long step) {
  return is_finite(static_cast<T>(rate)) ? std::string() : infinite_rate(rate, step);
}
/// The same of a rate that the schedule gives to step `step` of the optimizer, if it has one.
template <class T, class Optimizer>
std::string schedule_problem([[maybe_unused]] const Optimizer& optimizer, [[maybe_unused]] long step) {
  if constexpr (HasSchedule<Optimizer>)
    if (const double rate = optimizer.rate(step); !(is_finite(static_cast<T>(rate)) && rate >= 0))
      return wrong_rate_of_schedule(rate, step);
  return {};
}

/// Whether both are; else `problem` says which is not.
template <class T, class Optimizer>
SINTER_SHARED bool rate_is_finite(const Optimizer& optimizer, long steps, long attempts, std::string& problem) {
  std::string text = rate_problem<T>(optimizer.lr, attempts);
  if (text.empty() && optimizer.lr >= 0) text = schedule_problem<T>(optimizer, steps);  // else refused by check()
  if (text.empty()) return true;
  problem = std::move(text);
  return false;
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/problem.ipp"
#endif
