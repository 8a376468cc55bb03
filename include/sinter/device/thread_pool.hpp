// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// Threads that wait for work: briefly spinning (handing over costs 0.1 us), then asleep (tens of us). A value: copies
/// share the threads, and the last copy ends them. One `run` at a time; others wait their turn.
class ThreadPool {
 public:
  explicit ThreadPool(int threads = 1) : state_(threads > 1 ? std::make_shared<State>(threads - 1) : nullptr) {}

  int size() const { return state_ ? static_cast<int>(state_->threads.size()) + 1 : 1; }

  /// work(0), .. work(workers - 1), each once, spread over the threads and the caller; returns when all are done.
  /// `work` must not throw. No allocation.
  template <class Work>
  void run(int workers, Work&& work) const {
    if (!state_ || workers <= 1) {
      for (int i = 0; i < workers; ++i) work(i);
      return;
    }
    const std::lock_guard turn(state_->turn);
    state_->begin(
        workers, [](void* context, int worker) { (*static_cast<std::remove_reference_t<Work>*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  using Call = void (*)(void*, int);
  static constexpr int spins = 20000;  // some tens of microseconds

  static void pause() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
  }

  struct State {
    std::mutex turn;
    std::mutex mutex;
    std::condition_variable wake;
    Call call = nullptr;
    void* context = nullptr;
    int workers = 0;
    std::atomic<unsigned> round{0};  // grows by one with every run
    std::atomic<int> busy{0};        // threads that have not finished the round
    std::atomic<int> asleep{0};
    bool ending = false;             // under `mutex`, before `round` grows
    std::vector<std::thread> threads;

    explicit State(int count) {
      for (int i = 0; i < count; ++i) threads.emplace_back([this, i] { loop(i); });
    }
    ~State() {
      {
        const std::lock_guard lock(mutex);
        ending = true;
        round.fetch_add(1, std::memory_order_release);
      }
      wake.notify_all();
      for (auto& thread : threads) thread.join();
    }

    // The caller is worker 0; thread i takes workers i + 1, i + 1 + size, ..
    void work_through(int first) {
      const int size = static_cast<int>(threads.size()) + 1;
      for (int worker = first; worker < workers; worker += size) call(context, worker);
    }

    void begin(int count, Call function, void* argument) {
      call = function;
      context = argument;
      workers = count;
      busy.store(static_cast<int>(threads.size()), std::memory_order_relaxed);
      round.fetch_add(1, std::memory_order_seq_cst);
      if (asleep.load(std::memory_order_seq_cst) > 0) {
        // A thread that counts itself asleep looks at `round` again under the mutex before it waits.
        { const std::lock_guard lock(mutex); }
        wake.notify_all();
      }
      work_through(0);
      for (int i = 0; busy.load(std::memory_order_acquire) != 0; ++i) {
        if (i < spins) pause();
        else std::this_thread::yield();
      }
    }

    void loop(int index) {
      unsigned seen = 0;
      for (;;) {
        for (int i = 0; i < spins && round.load(std::memory_order_acquire) == seen; ++i) pause();
        if (round.load(std::memory_order_acquire) == seen) {
          asleep.fetch_add(1, std::memory_order_seq_cst);
          std::unique_lock lock(mutex);
          wake.wait(lock, [&] { return round.load(std::memory_order_seq_cst) != seen; });
          asleep.fetch_sub(1, std::memory_order_relaxed);
        }
        ++seen;
        if (ending) return;  // raised only by the destructor, before `round` grew
        work_through(index + 1);
        busy.fetch_sub(1, std::memory_order_release);
      }
    }
  };

  std::shared_ptr<State> state_;
};

SINTER_NAMESPACE_END
