// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#if !defined(_WIN32)
#include <unistd.h>
#endif

#include "sinter/core/clock.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback of fit() on ranks that names the slowest rank after each epoch, if it computes much longer than others:
///
///     fit(net, data, loss, optimizer, {.epochs = 10}, SlowRank{world});
///
/// The computing time of a rank is the time of an epoch without exchanging and waiting. Rank 0 prints a line to `file`,
/// with the name of the machine; every rank has the numbers.
class SlowRank {
 public:
  /// Names a rank that takes `factor` times as long as the median (of two ranks, as the other one).
  explicit SlowRank(Communicator& world, double factor = 1.25, std::FILE* file = stderr)
      : world_(world), factor_(factor), file_(file) {}

  void on_begin(const TrainingInfo&) { begin(); }
  void on_epoch_end(const EpochRecord& record, const History&) {
    Own own{monotonic_seconds() - begun_ - (world_.seconds_exchanging() - exchanged_), {}};
#if !defined(_WIN32)
    if (gethostname(own.machine, sizeof(own.machine) - 1) != 0) own.machine[0] = '\0';
#endif
    const std::vector<Own> all = world_.retry([&] { return detail::gather(world_, own); });
    seconds_.clear();
    for (const Own& one : all) seconds_.push_back(one.seconds);
    judge();
    if (slowest_ >= 0 && world_.rank() == 0 && file_ != nullptr) print(record.epoch, all);
    begin();
  }

  /// The slow rank of the last epoch; -1 if there was none.
  int slowest() const { return slowest_; }
  /// The seconds that each rank computed in the last epoch.
  const std::vector<double>& seconds() const { return seconds_; }

 private:
  struct Own {
    double seconds;
    char machine[64];
  };
  void begin() {
    begun_ = monotonic_seconds();
    exchanged_ = world_.seconds_exchanging();
  }
  void judge() {
    std::vector<double> sorted = seconds_;
    std::ranges::sort(sorted);
    middle_ = sorted[(sorted.size() - 1) / 2];
    const auto most = std::ranges::max_element(seconds_);
    slowest_ = *most > factor_ * middle_ ? static_cast<int>(most - seconds_.begin()) : -1;
  }
  void print(int epoch, const std::vector<Own>& all) const {
    const Own& slow = all[static_cast<std::size_t>(slowest_)];
    const std::string machine = slow.machine[0] == '\0' ? "" : std::string(" on ") + slow.machine;
    std::fprintf(file_, "epoch %d waited for rank %d%s, which computed for %.2f s; the median rank for %.2f s\n", epoch,
                 slowest_, machine.c_str(), slow.seconds, middle_);
    std::fflush(file_);
  }

  Communicator& world_;
  double factor_;
  std::FILE* file_;
  double begun_ = 0, exchanged_ = 0, middle_ = 0;
  int slowest_ = -1;
  std::vector<double> seconds_;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::SlowRank;
}  // namespace sinter
