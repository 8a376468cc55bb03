// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/core/macros.hpp"
#include "sinter/report/history.hpp"
#include "sinter/train/callbacks.hpp"
#include "sinter/train/kept_numbers.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The state of the loop of fit() between two steps, besides its Trainer.
struct FitProgress {
  std::size_t training_rows = 0;  // to train on, with those of a last batch that is dropped
  int epoch = 1;                  // the current one
  std::size_t first = 0;          // row of its order that the next step begins with
  double loss_sum = 0, interval_sum = 0;
  std::vector<double> head_sums;  // as loss_sum, of each head
  std::size_t interval_rows = 0;
  double seconds = 0;  // of this epoch, before the checkpoint that it was resumed from
  History history;

  double mean_loss() const { return loss_sum / static_cast<double>(first); }
  /// Adds the losses of the next step, which has `batch` rows, or the rest of the epoch, followed by those of
  /// heads.
  void add(const double* sums, std::size_t batch, std::size_t interval = 0);
  bool epoch_done() const { return first == history.samples_per_epoch; }
  /// The record of the epoch, without validation.
  EpochRecord& record_epoch(double seconds_taken, double rate);
  void begin_next_epoch();
};

void keep_record(KeptNumbers& keep, EpochRecord& record, std::size_t heads);
void keep_record(KeptNumbers& keep, IntervalRecord& record, std::size_t /*heads*/);
template <class Record>
void keep_records(KeptNumbers& keep, std::vector<Record>& records, std::size_t heads = 0) {
  std::size_t size = records.size();
  keep(size);
  for (std::size_t i = 0; i < size; ++i) {
    if (keep.taking()) records.emplace_back();
    keep_record(keep, records[i], heads);
  }
}

/// Writes or reads what a checkpoint of fit() keeps: options that must be the same, progress, and the numbers of the
/// callbacks that have some.
template <class Options, class... Callbacks>
void keep_fit(KeptNumbers& keep, const Options& options, FitProgress& at, Callbacks&... callbacks) {
  keep.same("format", 1);
  keep.same("rows of training data", static_cast<double>(at.training_rows));
  keep.same("batch_size", static_cast<double>(options.batch_size));
  keep.same("held_out.first", static_cast<double>(options.held_out.first));
  keep.same("held_out.count", static_cast<double>(options.held_out.count));
  keep.same("shuffle", options.shuffle);
  keep.same("interval", static_cast<double>(options.interval));
  keep.same("first_epoch", options.first_epoch);
  keep.same("a validation dataset", options.validation ? 1 : 0);
  keep.option("fit.drop_last", options.drop_last);
  keep.option("fit.chunks", options.chunks);

  keep(at.epoch);
  keep(at.first);
  const std::size_t rows = at.history.samples_per_epoch;
  keep.check(at.epoch > options.first_epoch && at.first <= rows &&
             (at.first == rows || at.first % options.batch_size == 0));
  keep(at.loss_sum);
  for (double& sum : at.head_sums) keep(sum);
  keep(at.interval_sum);
  keep(at.interval_rows);
  keep(at.seconds);
  keep_records(keep, at.history.epochs, at.head_sums.size());
  keep_records(keep, at.history.intervals);
  const auto keep_callback = [&](auto& callback) {
    if constexpr (HasState<std::remove_reference_t<decltype(callback)>>) callback.keep_state(keep);
  };
  (keep_callback(callbacks), ...);
  keep.end();
}

/// Offers the state of fit to the callbacks that take it. False if one asked to stop.
template <class Trainer, class Options, class... Callbacks>
bool take_snapshots([[maybe_unused]] const Trainer& trainer, [[maybe_unused]] const Options& options,
                    [[maybe_unused]] FitProgress& at, [[maybe_unused]] double seconds, [[maybe_unused]] bool epoch_end,
                    [[maybe_unused]] bool last, Callbacks&... callbacks) {
  if constexpr ((HasSnapshot<Callbacks, Trainer> || ...)) {
    const auto kept = [&] {
      FitProgress now = at;
      now.seconds = seconds;
      KeptNumbers keep;
      keep_fit(keep, options, now, callbacks...);
      return keep;
    };
    return call_snapshot(trainer, epoch_end, last, kept, at.history, callbacks...);
  }
  return true;
}
/// Restores fit, its Trainer and its callbacks to the state of an earlier fit, if a callback has such a snapshot.
template <class Trainer, class Options, class... Callbacks>
void resume_fit([[maybe_unused]] Trainer& trainer, [[maybe_unused]] const Options& options,
                [[maybe_unused]] FitProgress& at, Callbacks&... callbacks) {
  if constexpr ((HasResume<Callbacks, Trainer> || ...)) {
    const auto take = [&](std::vector<double> numbers) {
      KeptNumbers keep(std::move(numbers));
      keep_fit(keep, options, at, callbacks...);
      return keep.options();
    };
    if (call_resume(trainer, take, callbacks...) && trainer.steps() > 0) trainer.store_average();
  }
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/fit_progress.ipp"
#endif
