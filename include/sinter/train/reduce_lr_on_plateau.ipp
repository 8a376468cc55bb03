// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/optimizer/apply.hpp"
#include "sinter/train/reduce_lr_on_plateau.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION double ReduceLROnPlateau::operator()(double lr, double loss) {
  check();
  const double wanted = absolute ? best - threshold : best * (1 - threshold);
  if (loss < wanted) {
    best = loss;
    bad_epochs = 0;
  } else {
    ++bad_epochs;
  }
  if (cooling > 0) {
    --cooling;
    bad_epochs = 0;
  }
  if (bad_epochs <= patience) return lr;
  cooling = cooldown;
  bad_epochs = 0;
  const double lower = std::max(lr * factor, min_lr);
  return lr - lower > epsilon ? lower : lr;
}

SINTER_FUNCTION void ReduceLROnPlateau::check() const {
  detail::require_below_one("ReduceLROnPlateau", "factor", factor);
  detail::require_at_least_zero("ReduceLROnPlateau", "patience", patience);
  detail::require_at_least_zero("ReduceLROnPlateau", "threshold", threshold);
  if (threshold >= 1 && !absolute)
    fail("ReduceLROnPlateau was given threshold = " + exact_text(threshold) +
         ", which no loss above 0 is better by; give less than 1, or .absolute = true for a difference");
  detail::require_at_least_zero("ReduceLROnPlateau", "cooldown", cooldown);
  detail::require_at_least_zero("ReduceLROnPlateau", "min_lr", min_lr);
  detail::require_at_least_zero("ReduceLROnPlateau", "epsilon", epsilon);
}

SINTER_FUNCTION void ReduceLROnPlateau::on_begin(const TrainingInfo& info) {
  check();
  best = std::numeric_limits<double>::max();
  bad_epochs = cooling = 0;
  validates = info.validates;
}

SINTER_FUNCTION double ReduceLROnPlateau::next_rate(const EpochRecord& record, double lr) {
  return (*this)(lr, record.judged_loss(validates));
}

SINTER_FUNCTION void ReduceLROnPlateau::keep_state(KeptNumbers& keep) {
  keep.of("ReduceLROnPlateau");
  keep.option("ReduceLROnPlateau.factor", factor);
  keep.option("ReduceLROnPlateau.patience", patience);
  keep.option("ReduceLROnPlateau.threshold", threshold);
  keep.option("ReduceLROnPlateau.absolute", absolute);
  keep.option("ReduceLROnPlateau.cooldown", cooldown);
  keep.option("ReduceLROnPlateau.min_lr", min_lr);
  keep.option("ReduceLROnPlateau.epsilon", epsilon);
  keep(best);
  keep(bad_epochs);
  keep(cooling);
}

SINTER_NAMESPACE_END
