// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "sinter/data/check.hpp"
#include "sinter/train/callbacks.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/clock.hpp"
#include "sinter/train/epoch_steps.hpp"
#include "sinter/train/evaluate.hpp"
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
}  // namespace detail

template <Dataset D>
struct FitOptions {
  std::size_t batch_size = 32;
  int epochs = 1;
  const D* validation = nullptr;  ///< evaluated after each epoch
  bool shuffle = true;            ///< a new order each epoch, keyed by the network's seed and the epoch
  std::size_t interval = 0;       ///< batches between the loss lines of `history.intervals`; 0: none
  int first_epoch = 0;            ///< of the order and the masks: to go on where an earlier call stopped
};

namespace detail {
SINTER_COLD inline void check_fit(std::size_t size, std::size_t batch_size, int epochs) {
  if (size == 0) fail("fit was given a dataset of 0 rows; give it 1 or more");
  if (batch_size == 0) fail("fit was given batch_size = 0; give it 1 or more");
  if (epochs < 0) fail("fit was given epochs = " + std::to_string(epochs) + "; give it 0 or more");
}
SINTER_COLD inline std::string stopped_text(int epoch, const std::string& problem) {
  return "epoch " + std::to_string(epoch) + ": " + problem;
}

template <class Net, Dataset D, class Loss, class Optimizer, class... Callbacks>
History fit_checked(Net& net, const D& train, Loss loss, Optimizer optimizer, const FitOptions<D>& options,
                    Callbacks&... callbacks) {
  const std::size_t size = train.size();
  check_size(train);
  check_fit(size, options.batch_size, options.epochs);
  if constexpr (has_labels<D>) check_labels(train.targets(), Net::output_size);
  check_finite(train);
  if (options.validation) {
    if (options.validation->size() == 0)
      fail("fit was given a validation dataset of 0 rows; give it 1 or more, or leave it out");
    check_size(*options.validation);
    if constexpr (has_labels<D>) check_labels(options.validation->targets(), Net::output_size);
    check_finite(*options.validation);
  }

  Trainer trainer(net, loss, optimizer);
  History history;
  history.samples_per_epoch = size;
  call_begin(TrainingInfo{options.epochs, size, options.batch_size, Net::Device::name,
                          static_cast<std::size_t>(Net::Ops::trained), net.seed(), detail::note_of(net.device())},
             callbacks...);

  const bool ahead = keeps_data<typename Net::Engine> && sizeof...(callbacks) == 0 && options.validation == nullptr;
  EpochSteps steps(trainer, train, options.batch_size, options.shuffle, ahead);
  auto judge = [&] {
    if constexpr (keeps_data<typename Net::Engine>)
      return [&net, loss, engine = typename Net::Engine(net.device()),
              kept = options.validation ? std::optional(trainer.keep(*options.validation)) : std::nullopt]() mutable {
        return evaluate_kept<has_labels<D>>(engine, net, *kept, loss);
      };
    else
      return [&net, loss, &options] { return evaluate(net, *options.validation, loss); };
  }();
  for (int epoch = 1; epoch <= options.epochs; ++epoch) {
    const double begin = monotonic_seconds();
    steps.begin(static_cast<std::uint32_t>(options.first_epoch + epoch - 1), options.epochs - epoch + 1);

    double loss_sum = 0, interval_sum = 0;
    std::size_t interval_rows = 0, first = 0;
    while (first < size && steps.sound()) {
      for (const double sum : steps.next(first)) {
        const std::size_t count = std::min(options.batch_size, size - first);
        loss_sum += sum;
        interval_sum += sum;
        interval_rows += count;
        if (options.interval != 0 && (first / options.batch_size + 1) % options.interval == 0) {
          history.intervals.push_back({epoch, first + count, interval_sum / static_cast<double>(interval_rows)});
          interval_sum = 0;
          interval_rows = 0;
        }
        first += count;
        call_batch_end(BatchInfo{epoch, options.epochs, first, size, loss_sum / static_cast<double>(first)},
                       callbacks...);
      }
    }
    if (first < size) {
      history.stopped = stopped_text(epoch, trainer.problem());
      break;
    }

    EpochRecord record;
    record.epoch = epoch;
    record.train_loss = loss_sum / static_cast<double>(size);
    record.seconds = ahead ? steps.seconds() : monotonic_seconds() - begin;
    record.learning_rate = trainer.optimizer().lr;
    if (options.validation) {
      const Evaluation result = judge();
      record.validation_loss = result.loss;
      record.validation_accuracy = result.accuracy;
    }
    history.epochs.push_back(record);
    if (!call_epoch_end(record, history, callbacks...)) break;
  }
  call_end(history, callbacks...);
  return history;
}
}  // namespace detail

/// Trains a network on a dataset: epochs of batches in a new order each, the last batch of an epoch as long as what is
/// left. Returns what happened. Fails, before it starts, on an empty dataset, a label out of range, a number in the
/// data that is not finite, and impossible options. When a loss or gradient is not finite, training stops:
/// `history.stopped` says where, and the parameters are those of the last step that was sound.
///
/// Callbacks are objects with any of on_begin, on_batch_end, on_epoch_end, on_end (train/callbacks.hpp).
template <class Net, Dataset D, class Loss, class Optimizer, class... Callbacks>
History fit(Net& net, const D& train, Loss loss, Optimizer optimizer, std::type_identity_t<FitOptions<D>> options = {},
            Callbacks&&... callbacks) {
  if constexpr (check_inputs<Net, inputs_of<D>>() && check_loss<typename Net::Model, Loss>() &&
                check_targets<Net, Loss, targets_of<D>>())
    return detail::fit_checked(net, train, loss, optimizer, options, callbacks...);
  else
    return {};
}

SINTER_NAMESPACE_END
