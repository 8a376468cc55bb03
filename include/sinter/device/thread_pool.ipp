// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/device/waiting_threads.hpp"

#if SINTER_THREADS && !defined(_WIN32)
#include <pthread.h>
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

struct ThreadPool::State {
  const int size;
  const std::chrono::microseconds spin;
  const Executor executor;
  const std::shared_ptr<ExecutorCalls> calls = executor ? std::make_shared<ExecutorCalls>() : nullptr;
  const int born = forks();
  std::atomic_flag taken{};  // by a run
  std::optional<WaitingThreads> own{};

  bool lost() const { return born != fork_count; }

  /// How often this process is the child of a fork(), counted from the first pool on.
  static int forks() {
#if SINTER_THREADS && !defined(_WIN32)
    [[maybe_unused]] static const int registered = pthread_atfork(nullptr, nullptr, [] { ++fork_count; });
#endif
    return fork_count;
  }
  static inline int fork_count = 0;

  static constexpr int most_threads = 4096;  // beyond it is a mistake
};

SINTER_FUNCTION int ThreadPool::size() const { return state_ ? state_->size : 1; }

SINTER_FUNCTION bool ThreadPool::is(int threads, std::chrono::microseconds spin, const Executor& executor) const {
  return threads == size() && (!state_ || (spin == state_->spin && !executor == !state_->executor));
}

SINTER_FUNCTION void ThreadPool::run(int items, const ItemWork& work) const {
  if (!state_ || items <= 1 || state_->lost() || state_->taken.test_and_set(std::memory_order_acquire)) {
    for (int i = 0; i < items; ++i) work(0, i);
    return;
  }
  struct Taken {
    std::atomic_flag& flag;
    ~Taken() { flag.clear(std::memory_order_release); }
  } const until_the_end{state_->taken};
  if (state_->executor) return state_->calls->run(state_->executor, state_->size, items, work);
  state_->own->run(static_cast<std::uint32_t>(items), work.call, work.context);
}

SINTER_FUNCTION std::shared_ptr<ThreadPool::State> ThreadPool::make_state(int threads, std::chrono::microseconds spin,
                                                                          Executor executor) {
  if (threads < 1) fail("a device with " + std::to_string(threads) + " threads was asked for; ask for 1 or more");
  if (threads > State::most_threads)
    fail("a device with " + std::to_string(threads) +
         " threads was asked for; ask for one for each core, and at most " + std::to_string(State::most_threads));
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

}  // namespace detail

SINTER_NAMESPACE_END
