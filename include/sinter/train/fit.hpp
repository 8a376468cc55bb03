// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/data/check.hpp"
#include "sinter/data/records.hpp"
#include "sinter/data/viewed.hpp"
#include "sinter/optimizer/scheduled.hpp"
#include "sinter/report/history.hpp"
#include "sinter/train/callbacks.hpp"
#include "sinter/train/check.hpp"
#include "sinter/train/check_callback.hpp"
#include "sinter/train/check_loss.hpp"
#include "sinter/train/chunks.hpp"
#include "sinter/train/evaluate.hpp"
#include "sinter/train/fit_options.hpp"
#include "sinter/train/fit_run.hpp"
#include "sinter/train/trainer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// A note for the user about a device, and about batches of this size on it, or nothing.
template <class Net>
std::string note_of(const Net& net, [[maybe_unused]] std::size_t batch) {
  std::string note;
  if constexpr (requires { net.device().note(); }) note = net.device().note();
  if constexpr (requires { net.device().note_of_batch(net, batch); })
    if (const std::string of_batch = net.device().note_of_batch(net, batch); !of_batch.empty())
      note += (note.empty() ? "" : "; ") + of_batch;
  return note;
}

/// trainer_for(rows of an epoch, of a batch): a Trainer of that network and loss, or a reference to one.
template <class Net, TrainingData D, class Loss, class TrainerFor, class Options, class... Callbacks>
SINTER_COLD History fit_checked(Net& net, const D& train, const Loss& loss, const TrainerFor& trainer_for,
                                Options options, Callbacks&&... callbacks) {
  check_fit(train.size(), options.batch_size, options.epochs, options.first_epoch);
  check_held_out(train.size(), options.held_out);
  if (options.chunks != 1) {
    if constexpr (Records<D>) fail_chunks_of_files("fit", options.chunks);
    if (options.chunks > 0)
      options.batch_size =
          std::clamp<std::size_t>((train.size() - options.held_out.count) / options.chunks, 1, options.batch_size);
    check_chunks(train.size(), options.batch_size, options.held_out, options.chunks);
    check_carried<Net>("fit", options.chunks);
  }
  check_learnable<Net>(train, loss);
  if (options.drop_last) check_dropped(train.size() - options.held_out.count, options.batch_size, "fit");
  const std::size_t size = rows_of_epoch(train.size() - options.held_out.count, options);
  const auto held_out = subset(train, options.held_out.first, options.held_out.count);
  if (!options.validation && options.held_out.count > 0) options.validation = &held_out;
  if (options.validation) options.validation.check(loss, options.chunks);
  if constexpr (Net::Ops::buffer_count > 0) check_statistics_of_epoch<typename Net::Model>(size, options.batch_size);

  (check_callback_network(net, callbacks), ...);

  const GradientUse::Work work(net.gradient_use());
  [[maybe_unused]] const std::tuple held{hold_during_fit(callbacks)...};
  auto&& trainer = trainer_for(size, options.batch_size);
  trainer.carry_state(options.chunks > 1);
  call_begin(TrainingInfo{options.first_epoch + options.epochs, size, options.batch_size, Net::Device::name,
                          static_cast<std::size_t>(Net::Ops::trained), net.seed(),
                          detail::note_of(net, std::min(options.batch_size, size)), heads_of_loss<Loss>,
                          static_cast<bool>(options.validation)},
             callbacks...);
  FitRun run(trainer, train, loss, options, callbacks...);
  while (run.continues())
    if (!run.make_steps(callbacks...) || !run.end_epoch(callbacks...)) break;
  if (options.chunks > 1) trainer.carry_state(false);  // of a Trainer that goes on after fit
  call_end(run.history(), callbacks...);
  return std::move(run.history());
}
}  // namespace detail

/// Trains a network on a dataset, or on RecordFiles, in epochs of batches. Each epoch has a new order; its last batch
/// has the remaining rows, or is left out by .drop_last. Returns the history. Fails, before it starts, on an empty
/// dataset, a label out of range, a number in the data that is not finite, and invalid options; rows of files are
/// checked as they are read. If a loss or gradient is not finite, training stops: `history.stopped` says where, and the
/// parameters are those of the last sound step.
///
/// Callbacks are objects with any of on_begin, on_batch_end, on_epoch_end, next_rate, on_end (train/callbacks.hpp); one
/// that returns false stops the training: at once, or, on a device that makes many steps without the host, after those.
/// A function or lambda is taken for the member with its arguments: [](const EpochRecord&, const History&) { .. } for
/// on_epoch_end.
template <class Given, class D, class Loss = detail::LossLeftOut, class Optimizer = FitOptions<detail::NoData>,
          class... Callbacks, detail::IfNetworkIsMeant<Given, D> = 0>
History fit(
    Given&& net, const D& train, Loss loss = {}, Optimizer optimizer = {},
    detail::fit_has_batch_size_epochs_validation_held_out_shuffle_drop_last_interval_first_epoch_chunks<D, Given, Loss>
        options = {},
    Callbacks&&... callbacks) {
  using Net = std::remove_reference_t<Given>;
  constexpr bool network = requires { typename Net::Model; };
  constexpr bool networks = requires { typename Net::Member; } || requires { typename Net::Networks; };
  constexpr bool data_first = TrainingData<Net>, data = TrainingData<D>, named = std::is_lvalue_reference_v<Given>;
  static_assert(!networks,
                "sinter: fit() of an Ensemble or an AnyOf is found by its argument: call it without sinter:: in front");
  static_assert(!data_first,
                "sinter: the network comes before the data: fit(net, train, CrossEntropyLoss{}, SGD{.lr = 0.1})");
  static_assert(network || networks || data_first,
                "sinter: fit trains a network: make a Network<Model> of a model; of a pointer give *pointer");
  static_assert(data || !network,
                "sinter: after the network fit takes a dataset: fit(net, dataset(x, labels), CrossEntropyLoss{}, "
                "SGD{.lr = 0.1})");
  static_assert(named || !network || !data, "sinter: fit trains a network that has a name, and this one is temporary");
  if constexpr (!network || !data || !named)
    return {};
  else if constexpr (!check_is_loss<Loss, typename Net::Scalar>())
    return {};
  else if constexpr (!check_is_optimizer<Optimizer>())
    return {};
  else if constexpr (check_trainable<Net>() && (check_callback<std::remove_reference_t<Callbacks>>() && ... && true) &&
                     check_inputs<Net, inputs_of<detail::rows_given<D>>>() && check_scale<detail::rows_given<D>>() &&
                     check_loss<typename Net::Model, Loss>() &&
                     check_targets<Net, Loss, targets_of<detail::rows_given<D>>>())
    return detail::fit_checked(
        net, detail::viewed(train), loss,
        [&](std::size_t rows, std::size_t batch) {
          detail::tell_epoch(optimizer, rows, batch, options.first_epoch);
          return Trainer(net, loss, optimizer);
        },
        options, detail::callback_on(net.device(), detail::as_callback(callbacks))...);
  else
    return {};
}

namespace trainers {
/// The same with a Trainer, whose loss, optimizer and state it takes: training goes on where an earlier call, or a step
/// of the Trainer, ended. With .first_epoch, the number of epochs so far, many calls are to the bit the same as one.
template <class Net, class Loss, class Optimizer, class D, class... Callbacks>
  requires(!std::same_as<Loss, SuppliedGradient>)
History fit(
    Trainer<Net, Loss, Optimizer>& trainer, const D& train,
    detail::fit_has_batch_size_epochs_validation_held_out_shuffle_drop_last_interval_first_epoch_chunks<D, Net, Loss>
        options = {},
    Callbacks&&... callbacks) {
  if constexpr ((check_callback<std::remove_reference_t<Callbacks>>() && ... && true) &&
                check_inputs<Net, inputs_of<detail::rows_given<D>>>() && check_scale<detail::rows_given<D>>() &&
                check_targets<Net, Loss, targets_of<detail::rows_given<D>>>()) {
    const auto& device = trainer.network().device();
    return detail::fit_checked(
        trainer.network(), detail::viewed(train), trainer.criterion(),
        [&](std::size_t, std::size_t) -> auto& { return trainer; }, options,
        detail::callback_on(device, detail::as_callback(callbacks))...);
  } else {
    return {};
  }
}
}  // namespace trainers

SINTER_NAMESPACE_END

namespace sinter {
using internal::fit;
}  // namespace sinter
