// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "sinter/core/macros.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// PyTorch's ReduceLROnPlateau in mode 'min', as a callback of fit(): multiplies the rate by `factor` after more than
/// `patience` epochs in a row whose validation loss (training loss where nothing is validated) is not better than the
/// best so far by `threshold`, a fraction of it or, with `absolute`, a difference. Then it waits for `cooldown` epochs.
struct ReduceLROnPlateau {
  double factor = 0.1;
  int patience = 10;
  double threshold = 1e-4;
  bool absolute = false;  ///< PyTorch's threshold_mode='abs'
  int cooldown = 0;
  double min_lr = 0;
  double epsilon = 1e-8;  ///< a smaller change of the rate is not made

  // Its state.
  double best = std::numeric_limits<double>::max();
  int bad_epochs = 0;
  int cooling = 0;
  bool validates = false;

  /// The rate after an epoch with that loss, from the rate in it.
  double operator()(double lr, double loss);
  template <class Each>
  void for_each_option(Each&& each) const {
    each("factor", factor);
    each("patience", patience);
    each("threshold", threshold);
    each("absolute", absolute);
    each("cooldown", cooldown);
    each("min_lr", min_lr);
    each("epsilon", epsilon);
  }
  void check() const;
  void on_begin(const TrainingInfo&);
  double next_rate(const EpochRecord& record, double lr);
  void keep_state(KeptNumbers& keep);
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::ReduceLROnPlateau;
}  // namespace sinter

#if SINTER_BODIES
#include "sinter/train/reduce_lr_on_plateau.ipp"
#endif
