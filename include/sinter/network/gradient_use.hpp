// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>

#include "sinter/core/error.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Guards the gradient of a network, which all of its Trainers share: one thread at a time, and one sum of rows at a
/// time, of the weights that the network has. A copy of the network has its own.
class GradientUse {
 public:
  GradientUse() = default;
  GradientUse(const GradientUse&) noexcept {}
  GradientUse& operator=(const GradientUse&) noexcept { return change_weights(), *this; }

  /// A thread's work on the gradient, for as long as the result lives. Fails if another thread uses it; a thread may
  /// begin again within its own work, as a callback does.
  class Work {
   public:
    explicit Work(GradientUse& use) : thread_(use.thread_) {
      const void* at_work = nullptr;
      begun_ = thread_.compare_exchange_strong(at_work, this_thread(), std::memory_order_acquire);
      if (!begun_ && at_work != this_thread())
        fail(
            "a network was to be trained while another thread is training it; train it on one thread at a time, or a "
            "copy of it on each");
    }
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;
    ~Work() {
      if (begun_) thread_.store(nullptr, std::memory_order_release);
    }

   private:
    static const void* this_thread() {
      static thread_local char mark;
      return &mark;
    }
    std::atomic<const void*>& thread_;
    bool begun_;
  };

  /// Begins a new sum of rows, which overwrites the previous one. Returns its number.
  std::uint64_t begin_sum() { return ++sum_; }
  /// Fails unless the sum of that number is the last one.
  void check_sum(std::uint64_t sum) const {
    if (sum != sum_)
      fail(
          "the gradient that a Trainer has accumulated is gone: another Trainer of the same network has made a step "
          "since, or the network was given other weights; call update() or clear() before that, or train a copy of the "
          "network");
  }

  /// The network has other weights from now on: a sum of rows that has begun is not theirs.
  void change_weights() noexcept { ++weights_, ++sum_; }
  /// A number that changes with them, unless they are written to in place.
  std::uint64_t weights() const { return weights_; }

 private:
  std::atomic<const void*> thread_{nullptr};
  std::uint64_t sum_ = 0, weights_ = 0;  // changed only by the thread that works on it
};

}  // namespace detail

SINTER_NAMESPACE_END
