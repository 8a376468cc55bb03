// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace sinter_serve {

/// How long requests to a model took, from their arrival in its queue to their answer. Any thread may count.
class RequestTimes {
 public:
  using Clock = std::chrono::steady_clock;

  struct Sum {
    std::uint64_t count = 0, ns = 0;
  };
  void add(bool answered, Clock::duration time) noexcept {
    Counted& to = answered ? answered_ : failed_;
    to.count.fetch_add(1, std::memory_order_relaxed);
    to.ns.fetch_add(static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count()),
                    std::memory_order_relaxed);
    if (answered) last_.store(std::chrono::system_clock::now().time_since_epoch(), std::memory_order_relaxed);
  }
  Sum answered() const { return answered_.read(); }
  Sum failed() const { return failed_.read(); }
  /// Milliseconds since 1970 of the last answer; 0 before the first.
  std::uint64_t last() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::milliseconds>(last_.load(std::memory_order_relaxed)).count());
  }

 private:
  struct Counted {
    std::atomic<std::uint64_t> count{0}, ns{0};
    Sum read() const { return {count.load(std::memory_order_relaxed), ns.load(std::memory_order_relaxed)}; }
  };
  Counted answered_, failed_;
  std::atomic<std::chrono::system_clock::duration> last_{};
};

}  // namespace sinter_serve
