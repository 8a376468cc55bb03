// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/device/first_exception.hpp"

#if SINTER_THREADS
#include <condition_variable>
#include <mutex>
#include <thread>
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

#if SINTER_THREADS
/// Threads that wait for work: spinning for a time, then asleep (docs/decisions/host.md).
class WaitingThreads {
 public:
  using Call = void (*)(void* context, int thread, int item);

  SINTER_COLD WaitingThreads(int count, std::chrono::microseconds spin)
      : spin_(std::min<std::chrono::microseconds>(spin, std::chrono::hours(1))) {  // a time that can be added to now
#if defined(__cpp_exceptions)
    try {
      start(count);
    } catch (const std::exception& error) {
      const std::size_t started = threads_.size();
      end();
      fail("a device with " + std::to_string(count + 1) + " threads was asked for, and the system gave " +
           std::to_string(started + 1) + " (" + error.what() + "); ask for fewer");
    }
#else
    start(count);
#endif
  }
  WaitingThreads(const WaitingThreads&) = delete;
  WaitingThreads& operator=(const WaitingThreads&) = delete;
  ~WaitingThreads() { end(); }

  int size() const { return static_cast<int>(threads_.size()); }

  /// call(context, thread, item) for each item, by these threads, numbered from 1, and the caller, number 0. One run at
  /// a time.
  void run(std::uint32_t items, Call call, void* context) {
    call_ = call;
    context_ = context;
    done_.store(0);
    announce(items);
    work(0, run_of(ticket_.load()));
    const auto all = [&] { return done_.load(std::memory_order_acquire) == items; };
    if (!spin_until(all))
      while (!all()) std::this_thread::yield();
    problem_.rethrow();
  }

 private:
  SINTER_COLD void start(int count) {
    for (int i = 0; i < count; ++i) threads_.emplace_back([this, i] { wait_and_work(i + 1); });
  }
  void end() {
    ending_.store(true);
    announce(0);
    for (auto& thread : threads_) thread.join();
  }

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  /// Whether the condition became true while the thread was spinning. Reading the clock costs as much as several tests
  /// of the condition.
  template <class Condition>
  bool spin_until(Condition&& condition) const {
    if (condition()) return true;
    if (spin_.count() == 0) return false;
    const auto until = std::chrono::steady_clock::now() + spin_;
    do {
      for (int i = 0; i < 16; ++i) {
        pause();
        if (condition()) return true;
      }
    } while (std::chrono::steady_clock::now() < until);
    return false;
  }

  static std::uint32_t run_of(std::uint64_t ticket) { return static_cast<std::uint32_t>(ticket >> 32); }

  void announce(std::uint32_t items) {
    ticket_.store((std::uint64_t{run_of(ticket_.load()) + 1} << 32) | items);
    if (asleep_.load() > 0) {
      // A thread that has counted itself as asleep reads the ticket again, under the mutex, before it waits.
      {
        const std::lock_guard lock(mutex_);
      }
      wake_.notify_all();
    }
  }

  /// Claims items of a run until none are left.
  void work(int thread, std::uint32_t run) {
    std::uint64_t t = ticket_.load(std::memory_order_acquire);
    while (run_of(t) == run && static_cast<std::uint32_t>(t) != 0) {
      if (!ticket_.compare_exchange_weak(t, t - 1, std::memory_order_acq_rel)) continue;
      problem_.call([&] { call_(context_, thread, static_cast<int>(static_cast<std::uint32_t>(t) - 1)); });
      done_.fetch_add(1, std::memory_order_release);
      t = ticket_.load(std::memory_order_acquire);
    }
  }

  void wait_and_work(int thread) {
    std::uint32_t seen = 0;
    for (;;) {
      const auto announced = [&] { return run_of(ticket_.load()) != seen; };
      if (!spin_until(announced)) {
        asleep_.fetch_add(1);
        std::unique_lock lock(mutex_);
        wake_.wait(lock, announced);
        asleep_.fetch_sub(1);
      }
      seen = run_of(ticket_.load());
      if (ending_.load()) return;  // read after `seen`: a thread that saw the last announcement must see this, too
      work(thread, seen);
    }
  }

  const std::chrono::microseconds spin_;
  FirstException problem_;
  std::mutex mutex_;
  std::condition_variable wake_;
  Call call_ = nullptr;
  void* context_ = nullptr;
  // The number of the run, in the high half, and of unclaimed items. A thread that has claimed an item keeps its run
  // from ending, so that `call_` and `context_` stay valid; a thread that is late claims nothing.
  std::atomic<std::uint64_t> ticket_{0};
  std::atomic<std::uint32_t> done_{0};
  std::atomic<int> asleep_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};
#else
/// There are none.
struct WaitingThreads {
  SINTER_COLD WaitingThreads(int count, std::chrono::microseconds) {
    fail("a device with " + std::to_string(count + 1) +
         " threads was asked for, and this program is compiled for a system without threads; ask for 1, or give it an "
         "executor");
  }
  void run(std::uint32_t, void (*)(void*, int, int), void*) {}
};
#endif

}  // namespace detail

SINTER_NAMESPACE_END
