// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <limits>
#include <sinter/train/callbacks.hpp>

/// A callback of fit(): a line for each epoch, the lowest loss and the highest accuracy so far marked by a star.
class EpochTable {
 public:
  void on_begin(const sinter::TrainingInfo&) {
    std::printf("%7s %12s %12s %8s %12s %9s\n", "epoch", "train loss", "valid loss", "ratio", "accuracy, %", "seconds");
  }
  bool on_epoch_end(const sinter::EpochRecord& epoch, const sinter::History&) {
    std::printf("%7d %12.5f%c%12.5f%c%8.3f %11.2f%c%10.3f\n", epoch.epoch, epoch.train_loss,
                mark(epoch.train_loss, train_), epoch.validation_loss, mark(epoch.validation_loss, validation_),
                epoch.train_loss / epoch.validation_loss, 100 * epoch.validation_accuracy,
                mark(-epoch.validation_accuracy, accuracy_), epoch.seconds);
    return true;
  }

 private:
  static char mark(double value, double& best) {
    if (!(value < best)) return ' ';
    best = value;
    return '*';
  }
  double train_ = std::numeric_limits<double>::infinity(), validation_ = train_, accuracy_ = train_;
};
