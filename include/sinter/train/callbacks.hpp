// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "sinter/report/history.hpp"
#include "sinter/report/training_info.hpp"
#include "sinter/train/kept_numbers.hpp"

SINTER_NAMESPACE_BEGIN

/// A callback is an object with any of these. on_batch_end and on_epoch_end may return bool: false stops fit; an
/// optional reason() says why.
template <class C>
concept HasBegin = requires(C& callback, const TrainingInfo& info) { callback.on_begin(info); };
template <class C>
concept HasBatchEnd = requires(C& callback, const BatchInfo& info) { callback.on_batch_end(info); };
template <class C>
concept HasEpochEnd = requires(C& callback, const EpochRecord& record, const History& history) {
  callback.on_epoch_end(record, history);
};
template <class C>
concept HasEnd = requires(C& callback, const History& history) { callback.on_end(history); };
template <class C>
concept HasReason = requires(const C& callback) {
  { callback.reason() } -> std::convertible_to<std::string>;
};
/// After an epoch, and after on_epoch_end: returns the optimizer's rate for the next epochs.
template <class C>
concept HasNextRate = requires(C& callback, const EpochRecord& record, double lr) {
  { callback.next_rate(record, lr) } -> std::convertible_to<double>;
};
/// Numbers for a checkpoint: keep_state calls keep.of(name), and keep(x) for each, also for a std::vector
/// of them; and keep.option(name, x) for each option that must be the same on resuming.
template <class C>
concept HasState = requires(C& callback, KeptNumbers& keep) { callback.keep_state(keep); };
/// Called where fit() can continue later: between two sound steps, and after an epoch. `last` says that fit ends there;
/// kept() makes what fit needs to continue. It may return bool: false stops fit.
template <class C, class Trainer>
concept HasSnapshot = requires(C& callback, const Trainer& trainer, KeptNumbers (*kept)()) {
  callback.on_snapshot(trainer, /*epoch_end=*/true, /*last=*/false, kept);
};
/// Before the first step: restores the state of an earlier fit, after take(numbers), which returns the options of the
/// callbacks. False if there is none.
template <class C, class Trainer>
concept HasResume = requires(C& callback, Trainer& trainer, NamedOptions (*take)(std::vector<double>)) {
  { callback.resume_fit(trainer, take) } -> std::same_as<bool>;
};
/// Called first: returns what fit() keeps until it ends in any way, such as the lock of a file.
template <class C>
concept HasHold = requires(C& callback) { callback.hold_during_fit(); };
/// Prints or writes: where several ranks train, rank 0 alone calls it (but for resume_fit).
template <class C>
concept OnRankZero = C::on_rank_zero;
template <class C>
concept Callback = HasBegin<C> || HasBatchEnd<C> || HasEpochEnd<C> || HasEnd<C> || HasNextRate<C>;

namespace detail {
template <class C>
void stop(const C& callback, History& history, const std::string& where) {
  if constexpr (HasReason<C>)
    history.stopped = callback.reason();
  else
    history.stopped = "a callback asked for it";
  history.stopped += " (" + where + ")";
}
template <class C>
auto hold_during_fit([[maybe_unused]] C& callback) {
  if constexpr (HasHold<C>)
    return callback.hold_during_fit();
  else
    return 0;
}
}  // namespace detail

namespace detail {
/// Lets a callback that has been given a network compare it with the one that fit() trains.
template <class Net, class C>
void check_callback_network([[maybe_unused]] const Net& net, [[maybe_unused]] const C& callback) {
  if constexpr (requires { callback.check_network(&net); }) callback.check_network(&net);
}
}  // namespace detail

namespace detail {
/// What fit() calls on a device: the callback, or the device's wrapper of it.
template <class Device, class C>
decltype(auto) callback_on([[maybe_unused]] const Device& device, C&& callback) {
  if constexpr (requires { device.callback(callback); })
    return device.callback(callback);
  else
    return std::forward<C>(callback);
}
/// Whether to continue: on several ranks, if all of them do.
template <class Device>
bool all_continue([[maybe_unused]] const Device& device, bool go_on, [[maybe_unused]] History& history) {
  if constexpr (requires { device.all(go_on); }) {
    const bool all = device.all(go_on);
    if (go_on && !all) history.stopped = "another rank asked for it";
    return all;
  } else {
    return go_on;
  }
}
template <class C>
concept StopsBatches = requires(C& callback, const BatchInfo& info) {
  { callback.on_batch_end(info) } -> std::same_as<bool>;
};
}  // namespace detail

/// Calls on_begin of those callbacks that have it.
template <class... Callbacks>
void call_begin(const TrainingInfo& info, Callbacks&... callbacks) {
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasBegin<std::remove_reference_t<decltype(callback)>>) callback.on_begin(info);
  };
  (call(callbacks), ...);
}

/// Calls all of them. False if one asked to stop: then `history.stopped` says why and when.
template <class... Callbacks>
bool call_batch_end(const BatchInfo& info, History& history, Callbacks&... callbacks) {
  bool go_on = true;
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasBatchEnd<std::remove_reference_t<decltype(callback)>>) {
      if constexpr (std::same_as<decltype(callback.on_batch_end(info)), bool>) {
        if (callback.on_batch_end(info) || !go_on) return;
        go_on = false;
        detail::stop(callback, history,
                     "after " + std::to_string(info.samples_done) + " rows of epoch " + std::to_string(info.epoch));
      } else {
        callback.on_batch_end(info);
      }
    }
  };
  (call(callbacks), ...);
  return go_on;
}
/// Calls on_epoch_end of those that have it. Returns whether to continue.
template <class... Callbacks>
bool call_epoch_end(const EpochRecord& record, History& history, Callbacks&... callbacks) {
  bool go_on = true;
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasEpochEnd<std::remove_reference_t<decltype(callback)>>) {
      if constexpr (std::same_as<decltype(callback.on_epoch_end(record, history)), bool>) {
        if (callback.on_epoch_end(record, history) || !go_on) return;
        go_on = false;
        detail::stop(callback, history, "after epoch " + std::to_string(record.epoch));
      } else {
        callback.on_epoch_end(record, history);
      }
    }
  };
  (call(callbacks), ...);
  return go_on;
}

/// The rate that callbacks compute from `lr`, in their order.
template <class... Callbacks>
double next_rate(const EpochRecord& record, double lr, Callbacks&... callbacks) {
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasNextRate<std::remove_reference_t<decltype(callback)>>) lr = callback.next_rate(record, lr);
  };
  (call(callbacks), ...);
  return lr;
}

/// False if one asked to stop: then `history.stopped` says why and when.
template <class Trainer, class Kept, class... Callbacks>
bool call_snapshot(const Trainer& trainer, bool epoch_end, bool last, const Kept& kept, History& history,
                   Callbacks&... callbacks) {
  bool go_on = true;
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasSnapshot<std::remove_reference_t<decltype(callback)>, Trainer>) {
      if constexpr (std::same_as<decltype(callback.on_snapshot(trainer, epoch_end, last, kept)), bool>) {
        if (callback.on_snapshot(trainer, epoch_end, last, kept)) return;
        go_on = false;
        const std::string before = history.stopped;
        detail::stop(callback, history, "after step " + std::to_string(trainer.steps()));
        if (!before.empty()) history.stopped = before + "; " + history.stopped;
      } else {
        callback.on_snapshot(trainer, epoch_end, last, kept);
      }
    }
  };
  (call(callbacks), ...);
  return go_on;
}
/// Resumes from the first callback that has something to resume.
template <class Trainer, class Take, class... Callbacks>
bool call_resume(Trainer& trainer, const Take& take, Callbacks&... callbacks) {
  bool resumed = false;
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasResume<std::remove_reference_t<decltype(callback)>, Trainer>)
      resumed = resumed || callback.resume_fit(trainer, take);
  };
  (call(callbacks), ...);
  return resumed;
}

/// Calls on_end of those that have it.
template <class... Callbacks>
void call_end(const History& history, Callbacks&... callbacks) {
  [[maybe_unused]] const auto call = [&](auto& callback) {
    if constexpr (HasEnd<std::remove_reference_t<decltype(callback)>>) callback.on_end(history);
  };
  (call(callbacks), ...);
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::Callback;
}  // namespace sinter
