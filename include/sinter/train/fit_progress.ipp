// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/train/fit_progress.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void FitProgress::add(const double* sums, std::size_t batch, std::size_t interval) {
  const std::size_t rows = std::min(batch, history.samples_per_epoch - first), step = first / batch + 1;
  loss_sum += sums[0];
  interval_sum += sums[0];
  for (std::size_t h = 0; h < head_sums.size(); ++h) head_sums[h] += sums[1 + h];
  interval_rows += rows;
  first += rows;
  if (interval == 0 || step % interval != 0) return;
  history.intervals.push_back({epoch, first, interval_sum / static_cast<double>(interval_rows)});
  interval_sum = 0;
  interval_rows = 0;
}

SINTER_FUNCTION EpochRecord& FitProgress::record_epoch(double seconds_taken, double rate) {
  EpochRecord& record = history.epochs.emplace_back();
  record.epoch = epoch;
  record.train_loss = mean_loss();
  record.seconds = seconds_taken;
  record.learning_rate = rate;
  for (const double& sum : head_sums)
    record.heads.push_back({.train_loss = sum / static_cast<double>(history.samples_per_epoch)});
  return record;
}

SINTER_FUNCTION void FitProgress::begin_next_epoch() {
  ++epoch;
  first = interval_rows = 0;
  loss_sum = interval_sum = seconds = 0;
  std::fill(head_sums.begin(), head_sums.end(), 0.0);
}

SINTER_FUNCTION void keep_record(KeptNumbers& keep, EpochRecord& record, std::size_t heads) {
  keep(record.epoch);
  double unused = EpochRecord::not_counted;  // its place in checkpoints is that of a number that was never measured
  for (const auto& column : history_columns) {
    keep(record.*column.value);
    if (column.value == &EpochRecord::train_loss) keep(unused);
  }
  if (keep.taking()) record.heads.resize(heads);
  for (HeadRecord& head : record.heads)
    for (const auto& column : head_columns) keep(head.*column.value);
}

SINTER_FUNCTION void keep_record(KeptNumbers& keep, IntervalRecord& record, std::size_t /*heads*/) {
  keep(record.epoch);
  keep(record.samples);
  keep(record.loss);
}

}  // namespace detail

SINTER_NAMESPACE_END
