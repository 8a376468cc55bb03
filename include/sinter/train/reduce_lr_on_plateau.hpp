// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <limits>

#include "sinter/optimizer/apply.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// PyTorch's ReduceLROnPlateau in mode 'min', as a callback of fit(): multiplies the rate by `factor` after more than
/// `patience` epochs in a row whose validation loss (training loss where nothing is validated) is not better than the
/// best so far by `threshold`, a share of it or, with `absolute`, a difference. Then it waits for `cooldown` epochs.
struct ReduceLROnPlateau {
  double factor = 0.1;
  int patience = 10;
  double threshold = 1e-4;
  bool absolute = false;  ///< PyTorch's threshold_mode='abs'
  int cooldown = 0;
  double min_lr = 0;
  double epsilon = 1e-8;  ///< a smaller step of the rate is not taken

  // Its state.
  double best = std::numeric_limits<double>::max();
  int bad_epochs = 0;
  int cooling = 0;

  /// The rate after an epoch with that loss, from the rate in it.
  double operator()(double lr, double loss) {
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

  void check() const {
    detail::require_below_one("ReduceLROnPlateau", "factor", factor);
    detail::require_at_least_zero("ReduceLROnPlateau", "patience", patience);
    detail::require_at_least_zero("ReduceLROnPlateau", "threshold", threshold);
    detail::require_at_least_zero("ReduceLROnPlateau", "cooldown", cooldown);
    detail::require_at_least_zero("ReduceLROnPlateau", "min_lr", min_lr);
  }

  void on_begin(const TrainingInfo&) {
    check();
    best = std::numeric_limits<double>::max();
    bad_epochs = cooling = 0;
  }
  double next_rate(const EpochRecord& record, double lr) {
    const double& loss = is_finite(record.validation_loss) ? record.validation_loss : record.train_loss;
    return (*this)(lr, loss);
  }
  void keep_state(KeptNumbers& keep) {
    keep.of("ReduceLROnPlateau");
    keep(best);
    keep(bad_epochs);
    keep(cooling);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ReduceLROnPlateau;
}  // namespace sinter
