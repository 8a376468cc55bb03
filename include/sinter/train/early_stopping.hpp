// SPDX-License-Identifier: MIT
#pragma once

#include <limits>
#include <string>

#include "sinter/core/macros.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// Stops after `patience` epochs in a row whose validation loss (training loss without validation) is not below the
/// best so far by more than `least_gain`.
struct EarlyStopping {
  int patience = 3;
  double least_gain = 0;

  // Its state.
  double best_loss = std::numeric_limits<double>::max();
  int best_epoch = 0;
  int waited = 0;
  bool validates = false;

  void on_begin(const TrainingInfo&);
  bool on_epoch_end(const EpochRecord& record, const History&);
  void keep_state(KeptNumbers& keep);
  std::string reason() const;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::EarlyStopping;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/early_stopping.ipp"
#endif
