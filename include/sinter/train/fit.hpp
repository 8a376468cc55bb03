// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/data/check.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/train/callbacks.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_callback.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/clock.hpp"
#include "sinter/train/epoch_steps.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit_options.hpp"
#include "sinter/train/fit_progress.hpp"
#include "sinter/train/history.hpp"
#include "sinter/train/trainer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// What the user should know once about a device, or nothing.
template <class Device>
std::string note_of(const Device& device) {
  if constexpr (requires { device.note(); })
    return device.note();
  else
    return {};
}
SINTER_COLD inline std::string stopped_text(int epoch, const std::string& problem) {
  return "epoch " + std::to_string(epoch) + ": " + problem;
}

template <class Net, Dataset D, class Loss, class Optimizer, class... Callbacks>
History fit_checked(Net& net, const D& train, Loss loss, Optimizer optimizer, const FitOptions<D, Net, Loss>& options,
                    Callbacks&... callbacks) {
  check_fit(train.size(), options.batch_size, options.epochs, options.first_epoch);
  check_held_out(train.size(), options.held_out);
  check_learnable<Net>(train, loss);
  const std::size_t size = train.size() - options.held_out.count;
  if (options.validation) options.validation.check(loss);
  if constexpr (Net::Ops::buffer_count > 0) check_statistics_of_epoch<typename Net::Model>(size, options.batch_size);

  tell_epoch(optimizer, size, options.batch_size, options.first_epoch);
  Trainer trainer(net, loss, optimizer);
  FitProgress at;
  at.epoch = options.first_epoch + 1;
  History& history = at.history;
  history.samples_per_epoch = size;
  const long steps_of_epoch = static_cast<long>((size + options.batch_size - 1) / options.batch_size);
  const int last_epoch = options.first_epoch + options.epochs;
  call_begin(TrainingInfo{last_epoch, size, options.batch_size, Net::Device::name,
                          static_cast<std::size_t>(Net::Ops::trained), net.seed(), detail::note_of(net.device())},
             callbacks...);

  const bool ahead = decltype(trainer)::template steps_ahead<D> && !ChangesByEpoch<D> && sizeof...(callbacks) == 0 &&
                     !options.validation;
  EpochSteps steps(trainer, train, options, ahead);
  const std::unique_ptr<Judge> judge = options.validation ? options.validation.judge(net, loss) : nullptr;
  resume_fit(trainer, options, at, callbacks...);
  bool go_on = true;
  while (at.epoch <= last_epoch && go_on) {
    const double begin = monotonic_seconds() - at.seconds;
    steps.begin(static_cast<std::uint32_t>(at.epoch - 1), last_epoch - at.epoch + 1);

    bool cut = false, full = false;  // full: a checkpoint could not be written
    while (!at.epoch_done() && go_on && steps.sound()) {
      // Those that a device has made already count also where a callback asks to stop.
      for (const double sum : steps.next(at.first)) {
        at.add(sum, options.batch_size, options.interval);
        if (!go_on) continue;
        go_on = call_batch_end(BatchInfo{at.epoch, last_epoch, at.first, size, at.mean_loss()}, history, callbacks...);
        cut = !go_on && !at.epoch_done();
      }
      if (steps.sound() && (cut || !at.epoch_done()))
        full = !stand(trainer, options, at, monotonic_seconds() - begin, false, !go_on, callbacks...);
      if (full) break;
    }
    if (cut || full || !at.epoch_done()) {
      if (go_on && !full) history.stopped = stopped_text(at.epoch, trainer.problem());
      break;
    }

    EpochRecord& record =
        at.record_epoch(ahead ? steps.seconds() : monotonic_seconds() - begin,
                        rate_of(trainer.optimizer(), (at.epoch - options.first_epoch) * steps_of_epoch - 1));
    if (judge) note_validation(record, (*judge)());
    trainer.store_average();
    const bool wanted = call_epoch_end(record, history, callbacks...);
    go_on = go_on && wanted;
    trainer.optimizer().lr = next_rate(record, trainer.optimizer().lr, callbacks...);
    at.begin_next_epoch();
    // What asks to stop behind an epoch asks again where fit resumes before it.
    if (wanted && !stand(trainer, options, at, 0, true, !go_on || at.epoch > last_epoch, callbacks...)) break;
  }
  call_end(history, callbacks...);
  return std::move(history);
}
}  // namespace detail

/// Trains a network on a dataset: epochs of batches in a new order each, the last batch of an epoch as long as what is
/// left. Returns what happened. Fails, before it starts, on an empty dataset, a label out of range, a number in the
/// data that is not finite, and impossible options. When a loss or gradient is not finite, training stops:
/// `history.stopped` says where, and the parameters are those of the last step that was sound.
///
/// Callbacks are objects with any of on_begin, on_batch_end, on_epoch_end, next_rate, on_end (train/callbacks.hpp); one that returns
/// false stops the training: at once, or, on a device that makes many steps without the host, after those.
template <class Net, Dataset D, class Loss, class Optimizer, class... Callbacks>
History fit(Net& net, const D& train, Loss loss, Optimizer optimizer,
            std::type_identity_t<FitOptions<D, Net, Loss>> options = {}, Callbacks&&... callbacks) {
  if constexpr (check_trainable<Net>() && (check_callback<std::remove_reference_t<Callbacks>>() && ... && true) &&
                check_inputs<Net, inputs_of<D>>() && check_scale<D>() && check_loss<typename Net::Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>())
    return detail::fit_checked(net, train, loss, optimizer, options, callbacks...);
  else
    return {};
}

SINTER_NAMESPACE_END
