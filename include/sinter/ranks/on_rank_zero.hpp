// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "sinter/core/named_options.hpp"
#include "sinter/ranks/communicator.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A callback that is called on rank 0 alone, or on the rank that is number 0 after others were lost. It resumes on all
/// ranks, each from the file.
template <class C>
class RankZeroCallback {
 public:
  /// Null: one rank. A silent one is called on none of these ranks.
  RankZeroCallback(C& callback, Communicator* world, bool silent = false)
      : callback_(callback), world_(world), silent_(silent) {}

  void on_begin(const TrainingInfo& info) {
    info_ = info;
    begin();
  }
  auto on_batch_end(const BatchInfo& info)
    requires HasBatchEnd<C>
  {
    return call([&] { return callback_.on_batch_end(info); });
  }
  auto on_epoch_end(const EpochRecord& record, const History& history)
    requires HasEpochEnd<C>
  {
    return call([&] { return callback_.on_epoch_end(record, history); });
  }
  void on_end(const History& history)
    requires HasEnd<C>
  {
    call_surely([&] { callback_.on_end(history); });
  }
  std::string reason() const
    requires HasReason<C>
  {
    return callback_.reason();
  }
  /// It is held by this object, which ends when fit() does.
  int hold_during_fit()
    requires HasHold<C>
  {
    hold();
    return 0;
  }
  template <class Trainer, class TakeNumbers>
    requires HasResume<C, Trainer>
  bool resume_fit(Trainer& trainer, TakeNumbers&& take_numbers) {
    return callback_.resume_fit(trainer, take_numbers);
  }
  template <class Trainer, class Kept>
    requires HasSnapshot<C, Trainer>
  auto on_snapshot(const Trainer& trainer, bool epoch_end, bool last, Kept&& kept) {
    const auto snapshot = [&] { return callback_.on_snapshot(trainer, epoch_end, last, kept); };
    return last ? call_surely(snapshot) : call(snapshot);
  }

 private:
  bool zero() const { return !silent_ && (world_ == nullptr || world_->rank() == 0); }
  void hold() {
    if constexpr (HasHold<C>)
      if (zero()) held_ = std::shared_ptr<void>(new auto(callback_.hold_during_fit()));
  }
  void begin() {
    if (!zero() || begun_) return;
    if (held_ == nullptr) hold();
    begun_ = true;
    if constexpr (HasBegin<C>) callback_.on_begin(info_);
  }
  template <class Call>
  auto call(Call&& one) {
    begin();
    if constexpr (std::same_as<decltype(one()), bool>)
      return !zero() || one();
    else if (zero())
      one();
  }
  /// A call that no other follows: if rank 0 is lost in it, the next one makes it.
  template <class Call>
  auto call_surely(Call&& one) {
    if (world_ == nullptr || !world_->survives()) return call(one);
    bool go_on = true, made = false;
    world_->retry([&] {
      if constexpr (std::same_as<decltype(one()), bool>)
        go_on = made ? go_on : call(one);
      else if (!made)
        call(one);
      made = zero();
      return gather(*world_, 0);
    });
    if constexpr (std::same_as<decltype(one()), bool>) return go_on;
  }

  C& callback_;
  Communicator* world_;
  bool silent_;
  TrainingInfo info_;
  bool begun_ = false;
  std::shared_ptr<void> held_;
};

}  // namespace detail

SINTER_NAMESPACE_END
