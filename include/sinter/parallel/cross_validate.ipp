// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/parallel/cross_validate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION MeanOfFolds mean_of(const std::vector<History>& folds, double EpochRecord::* value, double otherwise) {
  MeanOfFolds all;
  const double n = static_cast<double>(folds.size());
  for (const History& fold : folds) {
    if (!fold.stopped.empty() || fold.epochs.empty() || !is_finite(fold.epochs.back().*value))
      return {otherwise, std::numeric_limits<double>::quiet_NaN()};
    all.mean += fold.epochs.back().*value / n;
  }
  double squares = 0;
  for (const History& fold : folds) {
    const double distance = fold.epochs.back().*value - all.mean;
    squares += distance * distance;
  }
  all.error = fn::sqrt(squares / (n - 1) / n);
  return all;
}

}  // namespace detail

SINTER_NAMESPACE_END
