// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#if !defined(_WIN32)
#include <pthread.h>
#endif

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/device/executor.hpp"
#include "sinter/device/waiting_threads.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The threads of a device: its own, which wait for work, or an executor's. A value: copies share the threads, and the
/// last copy ends those of its own. One `run` at a time uses them; another one meanwhile, from a second thread or from
/// inside of work, is done by its caller alone; so is all work in the child of a fork(), which has no threads but the
/// one that forked.
class ThreadPool {
 public:
  /// How long a thread without work waits busily before it sleeps: about as long as it takes to wake it twice.
  static constexpr std::chrono::microseconds default_spin{50};

  /// Fails in words if the system does not give as many threads, and for options that make no sense.
  explicit ThreadPool(int threads = 1, std::chrono::microseconds spin = default_spin, Executor executor = {})
      : state_(make_state(threads, spin, std::move(executor))) {}

  int size() const { return state_ ? state_->size : 1; }

  /// Whether it is what the constructor would make of these; executors are not compared.
  bool is(int threads, std::chrono::microseconds spin, const Executor& executor) const {
    return threads == size() && (!state_ || (spin == state_->spin && !executor == !state_->executor));
  }

  /// work(thread, item) for each item in [0, items), once; returns when all are done. Threads, numbered below size(),
  /// claim an item at a time: if the system suspends a thread, the others do its items. The first exception that `work`
  /// throws, if any, is rethrown by `run` when all threads have finished. Allocates nothing, except what an executor
  /// does.
  template <class Work>
  void run(int items, const Work& work) const {
    run(items, ItemWork::of(work));
  }

 private:
  static constexpr int most_threads = 4096;  // beyond it is a mistake

  void run(int items, const ItemWork& work) const {
    if (!state_ || items <= 1 || state_->lost() || state_->taken.test_and_set(std::memory_order_acquire)) {
      for (int i = 0; i < items; ++i) work(0, i);
      return;
    }
    const Taken until_the_end{state_->taken};
    if (state_->executor) return run_on(state_->executor, state_->size, items, work);
    state_->own->run(static_cast<std::uint32_t>(items), work.call, work.context);
  }

  struct Taken {
    std::atomic_flag& flag;
    ~Taken() { flag.clear(std::memory_order_release); }
  };

  /// How often this process is the child of a fork(), counted from the first pool on.
  static int forks() {
#if !defined(_WIN32)
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++fork_count; });
#endif
    return fork_count;
  }
  static inline int fork_count = 0;

  struct State {
    const int size;
    const std::chrono::microseconds spin;
    const Executor executor;
    const int born = forks();
    std::atomic_flag taken{};  // by a run
    std::optional<WaitingThreads> own{};

    bool lost() const { return born != fork_count; }
  };

  SINTER_COLD static std::shared_ptr<State> make_state(int threads, std::chrono::microseconds spin, Executor executor) {
    if (threads < 1) fail("a device with " + std::to_string(threads) + " threads was asked for; ask for 1 or more");
    if (threads > most_threads)
      fail("a device with " + std::to_string(threads) +
           " threads was asked for; ask for one for each core, and at most " + std::to_string(most_threads));
    if (spin.count() < 0)
      fail("a device was given .spin of " + std::to_string(spin.count()) + " microseconds; give it 0 or more");
    if (threads == 1) {
      if (executor)
        fail(
            "a device was given an executor and 1 thread, which is the caller's: say with .threads how many calls at "
            "once "
            "the executor is to make");
      return nullptr;
    }
    // The threads of the parent cannot be joined in the child of a fork, nor what they wait on be destroyed: so they
    // are abandoned.
    std::shared_ptr<State> state(new State{threads, spin, std::move(executor)}, [](State* it) {
      if (!it->lost()) delete it;
    });
    if (!state->executor) state->own.emplace(threads - 1, spin);
    return state;
  }

  std::shared_ptr<State> state_;
};

}  // namespace detail

SINTER_NAMESPACE_END
