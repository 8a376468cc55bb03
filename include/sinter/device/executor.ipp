// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <string>

#include "sinter/device/executor.hpp"

#if SINTER_THREADS
#include <thread>
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void Task::operator()(int i) const { calls_->call(run_, i); }

SINTER_FUNCTION void ExecutorCalls::run(const Executor& executor, int threads, int items, const ItemWork& work) {
  problem_.forget();  // that of a run whose executor threw, too
  next_.store(0);
  returned_.store(0);
  items_ = items;
  work_ = &work;
  const int n = std::min(threads, items);
  int returned = 0;
  {
    struct Ended {
      ExecutorCalls& calls;
      ~Ended() { calls.end_run(); }
    } const in_any_case{*this};
    executor(n, Task(shared_from_this(), run_of(inside_.load())));
    returned = returned_.load();
  }
  if (returned != n)
    fail("the executor of a device was given " + std::to_string(n) + " calls to make and returned when " +
         std::to_string(returned) + " had returned; it must return when all have");
  problem_.rethrow();
}

SINTER_FUNCTION void ExecutorCalls::call(std::uint32_t run, int i) {
  std::uint64_t inside = inside_.load();
  do {
    if (run_of(inside) != run) return;
  } while (!inside_.compare_exchange_weak(inside, inside + 1));
  for (int item; (item = next_.fetch_add(1)) < items_;) problem_.call([&] { (*work_)(i, item); });
  returned_.fetch_add(1);
  inside_.fetch_sub(1);
}

/// Calls that have not started will do nothing; those that have end.
SINTER_FUNCTION void ExecutorCalls::end_run() {
  inside_.fetch_add(std::uint64_t{1} << 32);
#if SINTER_THREADS
  while (count_of(inside_.load()) != 0) std::this_thread::yield();
#endif
}

}  // namespace detail

SINTER_NAMESPACE_END
