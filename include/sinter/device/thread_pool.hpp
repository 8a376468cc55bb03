// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <memory>
#include <utility>

#include "sinter/core/macros.hpp"
#include "sinter/device/executor.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The threads of a device: its own, which wait for work, or an executor's. A value: copies share the threads, and the
/// last copy ends those of its own. One `run` at a time uses them; another one meanwhile, from a second thread or from
/// inside of work, is done by its caller alone; so is all work in the child of a fork(), which has no threads but the
/// one that forked.
class ThreadPool {
 public:
  /// How long a thread without work spins before it sleeps: about as long as it takes to wake it twice.
  static constexpr std::chrono::microseconds default_spin{50};

  /// Fails with a message if the system does not provide that many threads, and for invalid options.
  explicit ThreadPool(int threads = 1, std::chrono::microseconds spin = default_spin, Executor executor = {})
      : state_(make_state(threads, spin, std::move(executor))) {}

  int size() const;

  /// Whether the constructor would make the same from these options; executors are not compared.
  bool is(int threads, std::chrono::microseconds spin, const Executor& executor) const;

  /// work(thread, item) for each item in [0, items), once; returns when all are done. Threads, numbered below size(),
  /// claim an item at a time: if the system suspends a thread, the others do its items. The first exception that `work`
  /// throws, if any, is rethrown by `run` when all threads have finished. Allocates nothing, except what an executor
  /// does.
  template <class Work>
  void run(int items, const Work& work) const {
    run(items, ItemWork::of(work));
  }

 private:
  void run(int items, const ItemWork& work) const;

  struct State;
  SINTER_COLD static std::shared_ptr<State> make_state(int threads, std::chrono::microseconds spin, Executor executor);

  std::shared_ptr<State> state_;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/device/thread_pool.ipp"
#endif
