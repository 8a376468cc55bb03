// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <atomic>
#include <string>

#include "sinter/device/executor.hpp"

#if SINTER_THREADS
#include <thread>
#endif

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void run_on(const Executor& executor, int threads, int items, const ItemWork& work) {
  FirstException problem;
  std::atomic<int> next{0}, begun{0}, ended{0};
  auto claim = [&](int thread) {
    begun.fetch_add(1);
    for (int item; (item = next.fetch_add(1)) < items;) problem.call([&] { work(thread, item); });
    ended.fetch_add(1, std::memory_order_release);
  };
  const int n = std::min(threads, items);
  executor(n, Task(claim));
  if (const int calls = ended.load(std::memory_order_acquire); calls != n) {
#if SINTER_THREADS
    while (ended.load(std::memory_order_acquire) != begun.load()) std::this_thread::yield();
#endif
    fail("the executor of a device was given " + std::to_string(n) + " calls to make and returned when " +
         std::to_string(calls) + " had returned; it must return when all have");
  }
  problem.rethrow();
}

}  // namespace detail

SINTER_NAMESPACE_END
