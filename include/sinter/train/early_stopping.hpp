// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string>

#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// Stops after `patience` epochs in a row whose validation loss (training loss where nothing is validated) is not
/// below the best so far by more than `least_gain`.
struct EarlyStopping {
  int patience = 3;
  double least_gain = 0;

  // Its state.
  double best_loss = std::numeric_limits<double>::max();
  int best_epoch = 0;
  int waited = 0;

  void on_begin(const TrainingInfo&) {
    best_loss = std::numeric_limits<double>::max();
    best_epoch = waited = 0;
  }
  bool on_epoch_end(const EpochRecord& record, const History&) {
    const double& loss = is_finite(record.validation_loss) ? record.validation_loss : record.train_loss;
    if (is_finite(loss) && loss < best_loss - least_gain) {
      best_loss = loss;
      best_epoch = record.epoch;
      waited = 0;
    } else {
      ++waited;
    }
    return waited < patience;
  }
  void keep_state(KeptNumbers& keep) {
    keep.of("EarlyStopping");
    keep(best_loss);
    keep(best_epoch);
    keep(waited);
  }
  std::string reason() const {
    return "no better loss for " + std::to_string(waited) + " epochs, the best was " +
           (best_epoch ? exact_text(best_loss) + " in epoch " + std::to_string(best_epoch)
                       : std::string("never finite"));
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::EarlyStopping;
}  // namespace sinter
