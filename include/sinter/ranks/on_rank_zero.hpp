// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>

#include "sinter/core/named_options.hpp"
#include "sinter/train/callbacks.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A callback that is called on rank 0 alone. It resumes on all ranks, each from the file.
template <class C>
class RankZeroCallback {
 public:
  RankZeroCallback(C& callback, bool zero) : callback_(callback), zero_(zero) {}

  void on_begin(const TrainingInfo& info)
    requires HasBegin<C>
  {
    if (zero_) callback_.on_begin(info);
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
    if (zero_) callback_.on_end(history);
  }
  std::string reason() const
    requires HasReason<C>
  {
    return callback_.reason();
  }
  auto hold_during_fit()
    requires HasHold<C>
  {
    using Held = decltype(callback_.hold_during_fit());
    return zero_ ? std::unique_ptr<Held>(new Held(callback_.hold_during_fit())) : nullptr;
  }
  template <class Trainer, class TakeNumbers>
    requires HasResume<C, Trainer>
  bool resume_fit(Trainer& trainer, TakeNumbers&& take_numbers) {
    return callback_.resume_fit(trainer, take_numbers);
  }
  template <class Trainer, class Kept>
    requires HasSnapshot<C, Trainer>
  auto on_snapshot(const Trainer& trainer, bool epoch_end, bool last, Kept&& kept) {
    return call([&] { return callback_.on_snapshot(trainer, epoch_end, last, kept); });
  }

 private:
  template <class Call>
  auto call(Call&& one) {
    if constexpr (std::same_as<decltype(one()), bool>)
      return !zero_ || one();
    else if (zero_)
      one();
  }

  C& callback_;
  bool zero_;
};

}  // namespace detail

SINTER_NAMESPACE_END
