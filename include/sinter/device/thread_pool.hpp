// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Threads that wait for work: briefly spinning (handing over costs 0.1 us), then asleep (tens of us). A value: copies
/// share the threads, and the last copy ends them. One `run` at a time has them; another that comes meanwhile, from a
/// second thread or from inside of work, is done by its caller alone; so is all work in the child of a fork(), which has
/// no threads but the one that forked.
class ThreadPool {
 public:
  explicit ThreadPool(int threads = 1) : state_(make_state(threads)) {}

  int size() const { return state_ ? static_cast<int>(state_->threads.size()) + 1 : 1; }

  /// work(thread, item) for each item in [0, items), once; returns when all are done. Threads, the caller being thread
  /// 0, claim an item at a time: where the machine gives a thread no time, the others do its share. The first exception
  /// that `work` throws, if any, comes out of `run` when no thread is at work any more. No allocation.
  template <class Work>
  void run(int items, Work&& work) const {
    if (!state_ || items <= 1 || state_->lost() || state_->taken.test_and_set(std::memory_order_acquire)) {
      for (int i = 0; i < items; ++i) work(0, i);
      return;
    }
    const Taken until_the_end{state_->taken};
    state_->run(
        static_cast<std::uint32_t>(items),
        [](void* context, int thread, int item) {
          (*static_cast<std::remove_reference_t<Work>*>(context))(thread, item);
        },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  using Call = void (*)(void*, int, int);
  static constexpr int spins = 20000;  // some tens of microseconds

  struct Taken {
    std::atomic_flag& flag;
    ~Taken() { flag.clear(std::memory_order_release); }
  };

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  /// How often this process is the child of a fork(), counted from the first pool on.
  static int forks() {
#if !defined(_WIN32)
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++fork_count; });
#endif
    return fork_count;
  }
  static inline int fork_count = 0;

  struct State;
  static std::shared_ptr<State> make_state(int threads) {
    if (threads < 1) fail("a device with " + std::to_string(threads) + " threads was asked for; ask for 1 or more");
    if (threads == 1) return nullptr;
    // The threads of the parent cannot be joined in the child of a fork, nor what they wait on be destroyed: left as it is.
    return {new State(threads - 1), [](State* state) {
              if (!state->lost()) delete state;
            }};
  }

  struct State {
    const int born = forks();
    bool lost() const { return born != fork_count; }

    std::atomic_flag taken;      // by a run
    std::atomic_flag threw;      // an item of the run
    std::exception_ptr problem;  // what it threw
    std::mutex mutex;
    std::condition_variable wake;
    Call call = nullptr;
    void* context = nullptr;
    // The number of the run, in the high half, and of items that nobody has claimed yet. Whoever has claimed an item
    // keeps its run from ending, so that `call` and `context` hold; a thread that comes late claims nothing.
    std::atomic<std::uint64_t> ticket{0};
    std::atomic<std::uint32_t> done{0};
    std::atomic<int> asleep{0};
    std::atomic<bool> ending{false};
    std::vector<std::thread> threads;

    explicit State(int count) {
#if defined(__cpp_exceptions)
      try {
        start(count);
      } catch (const std::exception& error) {
        const std::size_t started = threads.size();
        end();
        fail("a device with " + std::to_string(count + 1) + " threads was asked for, and the system gave " +
             std::to_string(started + 1) + " (" + error.what() + "); ask for fewer");
      }
#else
      start(count);
#endif
    }
    ~State() { end(); }

    void start(int count) {
      for (int i = 0; i < count; ++i) threads.emplace_back([this, i] { wait_and_work(i + 1); });
    }
    void end() {
      ending.store(true);
      announce(0);
      for (auto& thread : threads) thread.join();
    }

    static std::uint32_t run_of(std::uint64_t t) { return static_cast<std::uint32_t>(t >> 32); }

    void announce(std::uint32_t items) {
      ticket.store((std::uint64_t{run_of(ticket.load()) + 1} << 32) | items);
      if (asleep.load() > 0) {
        // A thread that counts itself asleep looks at the ticket again, under the mutex, before it waits.
        {
          const std::lock_guard lock(mutex);
        }
        wake.notify_all();
      }
    }

    void run(std::uint32_t items, Call function, void* argument) {
      call = function;
      context = argument;
      done.store(0);
      announce(items);
      work(0, run_of(ticket.load()));
      for (int i = 0; done.load(std::memory_order_acquire) != items; ++i) {
        if (i < spins)
          pause();
        else
          std::this_thread::yield();
      }
#if defined(__cpp_exceptions)
      if (problem) {
        threw.clear();
        std::rethrow_exception(std::exchange(problem, nullptr));
      }
#endif
    }

    /// Claims items of a run until there are none.
    void work(int thread, std::uint32_t run) {
      std::uint64_t t = ticket.load(std::memory_order_acquire);
      while (run_of(t) == run && static_cast<std::uint32_t>(t) != 0) {
        if (!ticket.compare_exchange_weak(t, t - 1, std::memory_order_acq_rel)) continue;
        call_one(thread, static_cast<int>(static_cast<std::uint32_t>(t) - 1));
        done.fetch_add(1, std::memory_order_release);
        t = ticket.load(std::memory_order_acquire);
      }
    }

    void call_one(int thread, int item) {
#if defined(__cpp_exceptions)
      try {
        call(context, thread, item);
      } catch (...) {
        if (!threw.test_and_set()) problem = std::current_exception();
      }
#else
      call(context, thread, item);
#endif
    }

    void wait_and_work(int thread) {
      std::uint32_t seen = 0;
      for (;;) {
        for (int i = 0; i < spins && run_of(ticket.load(std::memory_order_acquire)) == seen; ++i) pause();
        if (run_of(ticket.load()) == seen) {
          asleep.fetch_add(1);
          std::unique_lock lock(mutex);
          wake.wait(lock, [&] { return run_of(ticket.load()) != seen; });
          asleep.fetch_sub(1);
        }
        if (ending.load()) return;
        seen = run_of(ticket.load(std::memory_order_acquire));
        work(thread, seen);
      }
    }
  };

  std::shared_ptr<State> state_;
};

SINTER_NAMESPACE_END
