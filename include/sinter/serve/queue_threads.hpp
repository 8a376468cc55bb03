// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/text.hpp"
#include "sinter/serve/batcher_statistics.hpp"
#include "sinter/serve/request.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The threads of a queue of requests: how they answer, and how they end.
template <class Scalar>
class QueueThreads {
 public:
  using Request = QueuedRequest<Scalar>;

  QueueThreads(const QueueThreads&) = delete;
  QueueThreads& operator=(const QueueThreads&) = delete;

  /// Passes on an answer, whatever its callback throws.
  void pass(Request& request, RequestStatus status, std::span<const Scalar> y, std::string_view error) noexcept {
    try {
      request.answer(status, y, error);
    } catch (...) {
      counters_.callback_errors.fetch_add(1, std::memory_order_relaxed);
    }
  }
  /// Refuses new requests, answers those that wait, and returns when all are answered.
  void stop() {
    if (of_this_thread() == this)
      fail(joined({owner_,
                   " was stopped, or destroyed, by an answer of its own, for which it would wait; do so in "
                   "another thread"}));
    {
      const std::scoped_lock lock(mutex_);
      stopping_ = true;
    }
    wake_.notify_all();
    const std::scoped_lock lock(stop_mutex_);
    for (auto& thread : threads_)
      if (thread.joinable()) thread.join();
  }

 protected:
  /// `owner` is its name in messages: "a Batcher".
  explicit QueueThreads(const char* owner) : owner_(owner) {}
  ~QueueThreads() = default;  // those of the threads' functions must have called stop()

  /// work(index) returns when the queue is stopped and nothing waits.
  void start(std::size_t count, const std::function<void(std::size_t index)>& work) {
    threads_.reserve(count);
    try {
      for (std::size_t i = 0; i < count; ++i)
        threads_.emplace_back([this, work, i] {
          of_this_thread() = this;
          work(i);
        });
    } catch (...) {
      stop();
      throw;
    }
  }
  /// Under mutex_.
  std::optional<RequestError> refusal_if_stopped() const {
    if (!stopping_) return std::nullopt;
    return RequestError(RequestStatus::stopped,
                        joined({"sinter: ", owner_, " was stopped, and takes no more requests"}));
  }
  void answer(Request& request, RequestStatus status, std::span<const Scalar> y, std::string_view error) noexcept {
    counters_.count(status);
    pass(request, status, y, error);
  }
  void answer_late(Request& request) noexcept {
    answer(request, RequestStatus::deadline_exceeded, {}, "sinter: the request's deadline passed while it waited");
  }
  void answer_cancelled(Request& request) noexcept {
    answer(request, RequestStatus::cancelled, {}, "sinter: the request was cancelled");
  }

  BatchCounters counters_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;  // under mutex_

 private:
  /// The queue whose thread this is.
  static const QueueThreads*& of_this_thread() {
    static thread_local const QueueThreads* queue = nullptr;
    return queue;
  }

  const char* owner_;
  std::mutex stop_mutex_;
  std::vector<std::thread> threads_;
};

}  // namespace detail

SINTER_NAMESPACE_END
