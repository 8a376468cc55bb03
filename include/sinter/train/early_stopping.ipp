// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/optimizer/apply.hpp"
#include "sinter/train/early_stopping.hpp"

SINTER_NAMESPACE_BEGIN

SINTER_FUNCTION void EarlyStopping::on_begin(const TrainingInfo& info) {
  detail::require_count("EarlyStopping", "patience", patience);
  detail::require_at_least_zero("EarlyStopping", "least_gain", least_gain);
  best_loss = std::numeric_limits<double>::max();
  best_epoch = waited = 0;
  validates = info.validates;
}

SINTER_FUNCTION bool EarlyStopping::on_epoch_end(const EpochRecord& record, const History&) {
  const double& loss = record.judged_loss(validates);
  if (is_finite(loss) && (best_epoch == 0 || loss < best_loss - least_gain)) {
    best_loss = loss;
    best_epoch = record.epoch;
    waited = 0;
  } else {
    ++waited;
  }
  return waited < patience;
}

SINTER_FUNCTION void EarlyStopping::keep_state(KeptNumbers& keep) {
  keep.of("EarlyStopping");
  keep.option("EarlyStopping.patience", patience);
  keep.option("EarlyStopping.least_gain", least_gain);
  keep(best_loss);
  keep(best_epoch);
  keep(waited);
}

SINTER_FUNCTION std::string EarlyStopping::reason() const {
  return "no better loss for " + std::to_string(waited) + " epochs, the best was " +
         (best_epoch ? exact_text(best_loss) + " in epoch " + std::to_string(best_epoch) : std::string("never finite"));
}

SINTER_NAMESPACE_END
