// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "sinter/core/clock.hpp"
#include "sinter/core/finite.hpp"
#include "sinter/data/changes_by_epoch.hpp"
#include "sinter/data/records.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/report/history.hpp"
#include "sinter/train/callbacks.hpp"
#include "sinter/train/epoch_steps.hpp"
#include "sinter/train/fit_progress.hpp"
#include "sinter/train/problem.hpp"
#include "sinter/train/record_steps.hpp"
#include "sinter/train/validation.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The epochs of a call of fit: its arguments are checked, and the callbacks have begun.
template <class Trainer, TrainingData D, class Options>
class FitRun {
 public:
  template <class Loss, class... Callbacks>
  SINTER_COLD FitRun(Trainer& trainer, const D& train, const Loss& loss, const Options& options,
                     Callbacks&... callbacks)
      : trainer_(trainer),
        options_(options),
        steps_before_(trainer.steps()),
        size_(rows_of_epoch(train.size() - options.held_out.count, options)),
        last_epoch_(options.first_epoch + options.epochs),
        ahead_(Dataset<D> && Trainer::template steps_ahead<D> && !ChangesByEpoch<D> && sizeof...(callbacks) == 0 &&
               !options.validation),
        steps_(trainer, train, loss, options, ahead_),
        judge_(options.validation ? options.validation.judge(trainer.network(), loss, options.chunks) : nullptr) {
    at_.epoch = options.first_epoch + 1;
    at_.training_rows = train.size() - options.held_out.count;
    at_.history.samples_per_epoch = size_;
    at_.head_sums.resize(Trainer::loss_sums - 1);
    resume_fit(trainer_, options_, at_, callbacks...);
  }

  bool continues() const { return at_.epoch <= last_epoch_ && continues_; }
  History& history() { return at_.history; }

  /// The steps of an epoch, or the rest of it. Returns whether the epoch was completed.
  template <class... Callbacks>
  SINTER_COLD bool make_steps(Callbacks&... callbacks) {
    begun_ = monotonic_seconds() - at_.seconds;
    steps_.begin(static_cast<std::uint32_t>(at_.epoch - 1), last_epoch_ - at_.epoch + 1);

    // If the engine works in host memory, a callback at a batch may change the weights after it.
    constexpr bool one_by_one =
        !Trainer::keeps_data && ((HasBatchEnd<Callbacks> || HasSnapshot<Callbacks, Trainer>) || ...);
    bool cut = false, full = false;  // full: a checkpoint could not be written
    while (!at_.epoch_done() && continues_ && steps_.sound() && !full) {
      // Steps that a device has already made count even if a callback asks to stop.
      const std::span<const double> sums = steps_.next(at_.first, one_by_one);
      for (std::size_t i = 0; i < sums.size(); i += Trainer::loss_sums) {
        at_.add(&sums[i], options_.batch_size, options_.interval);
        if (!continues_) continue;
        continues_ = call_batch_end(BatchInfo{at_.epoch, last_epoch_, at_.first, size_, at_.mean_loss()}, at_.history,
                                    callbacks...);
        if constexpr ((StopsBatches<Callbacks> || ...)) continues_ = all_continue(device(), continues_, at_.history);
        cut = !continues_ && !at_.epoch_done();
      }
      const bool between_sequences = at_.first / options_.batch_size % options_.chunks == 0;
      if (steps_.sound() && between_sequences && (cut || !at_.epoch_done()))
        full = !all_take_snapshots(monotonic_seconds() - begun_, false, !continues_, callbacks...);
    }
    if (!cut && !full && at_.epoch_done()) return true;
    if (continues_ && !full) at_.history.stopped = stopped_text(at_.epoch, trainer_.problem());
    return false;
  }

  /// Record, validation, callbacks and the rate of the next epoch. Returns whether everything could be written.
  template <class... Callbacks>
  SINTER_COLD bool end_epoch(Callbacks&... callbacks) {
    const long steps_of_epoch = static_cast<long>((size_ - 1) / options_.batch_size + 1);
    EpochRecord& record = at_.record_epoch(
        ahead_ ? steps_.seconds() : monotonic_seconds() - begun_,
        rate_of(trainer_.optimizer(), steps_before_ + (at_.epoch - options_.first_epoch) * steps_of_epoch - 1));
    if (judge_) judge_(record);
    trainer_.store_average();
    bool wanted = call_epoch_end(record, at_.history, callbacks...);
    if constexpr (sizeof...(Callbacks) > 0) wanted = all_continue(device(), wanted, at_.history);
    continues_ = continues_ && wanted;
    const double rate = next_rate(record, trainer_.optimizer().lr, callbacks...);
    if (is_finite(rate) && rate >= 0)
      trainer_.optimizer().lr = rate;
    else if (std::exchange(continues_, false))
      at_.history.stopped = wrong_next_rate(record.epoch, rate);
    at_.begin_next_epoch();
    // A callback that asks to stop after an epoch will ask again when fit resumes before it.
    return !wanted || all_take_snapshots(0, true, !continues_ || at_.epoch > last_epoch_, callbacks...);
  }

 private:
  const auto& device() const { return trainer_.network().device(); }
  template <class... Callbacks>
  bool all_take_snapshots(double seconds, bool epoch_end, bool last, Callbacks&... callbacks) {
    bool wanted = take_snapshots(trainer_, options_, at_, seconds, epoch_end, last, callbacks...);
    if constexpr ((HasSnapshot<Callbacks, Trainer> || ...)) wanted = all_continue(device(), wanted, at_.history);
    return wanted;
  }

  Trainer& trainer_;
  const Options& options_;
  long steps_before_;
  std::size_t size_;
  int last_epoch_;
  bool ahead_, continues_ = true;
  EpochSteps<Trainer, D> steps_;
  std::function<void(EpochRecord&)> judge_;
  FitProgress at_;
  double begun_ = 0;
};

}  // namespace detail

SINTER_NAMESPACE_END
