// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A loss that not every number can be a target of.
template <class Loss>
concept LimitsTargets = requires(const Loss& loss) {
  { loss.takes_target(0.0) } -> std::same_as<bool>;
  { loss.targets_taken() } -> std::same_as<const char*>;
};

/// Probabilities may have been rounded. A target that is NaN is not judged here.
inline constexpr double target_slack = 1e-5;
constexpr bool is_probability(double target) { return !(target < -target_slack || target > 1 + target_slack); }

[[noreturn]] void fail_target(const char* loss, std::size_t row, int number, double target, const char* taken);

/// Fails at a target that the loss cannot compare with.
template <class Loss, class T>
void check_target(const Loss& loss, std::size_t row, int number, T target) {
  if constexpr (LimitsTargets<Loss>)
    if (!loss.takes_target(static_cast<double>(target)))
      fail_target(Loss::name, row, number, static_cast<double>(target), loss.targets_taken());
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/loss/target_range.ipp"
#endif
