// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/device/first_exception.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

class ExecutorCalls;

/// What an executor calls: `task(i)`. It may be copied and kept; called when its run has ended, it does nothing.
class Task {
 public:
  Task(std::shared_ptr<ExecutorCalls> calls, std::uint32_t run) : calls_(std::move(calls)), run_(run) {}
  void operator()(int i) const;

 private:
  std::shared_ptr<ExecutorCalls> calls_;
  std::uint32_t run_;
};

/// The caller's threads: `executor(n, task)` calls `task(i)` for each i in [0, n) once, on any threads, at the same
/// time where it can, and returns when all calls have returned. Calls in sequence give the same results.
using Executor = std::function<void(int, Task)>;

/// work(thread, item) of any type. Compiled once and never inlined: a pool calls it at several places.
struct ItemWork {
  using Call = void (*)(void* context, int thread, int item);

  template <class Work>
  static ItemWork of(const Work& work) {
    return {const_cast<Work*>(&work), call_of<Work>};
  }
  void operator()(int thread, int item) const { call(context, thread, item); }

  void* context;
  Call call;

 private:
  template <class Work>
  SINTER_SHARED static void call_of(void* context, int thread, int item) {
    (*static_cast<const Work*>(context))(thread, item);
  }
};

/// The calls that an executor makes in one run after another. Tasks share it, and each has the number of its run.
class ExecutorCalls : public std::enable_shared_from_this<ExecutorCalls> {
 public:
  /// work(i, item) for each item in [0, items), once, where i is that of a call of an executor's task: each call claims
  /// an item at a time, so a thread that starts late or never leaves its items to the others. The first exception that
  /// `work` throws is rethrown when all items are done. Fails if the executor returned before its calls did. Whether it
  /// returns or throws, the calls that have started end first. One run at a time.
  void run(const Executor& executor, int threads, int items, const ItemWork& work);

 private:
  friend class Task;
  static std::uint32_t run_of(std::uint64_t inside) { return static_cast<std::uint32_t>(inside >> 32); }
  static std::uint32_t count_of(std::uint64_t inside) { return static_cast<std::uint32_t>(inside); }

  void call(std::uint32_t run, int i);
  void end_run();

  // The number of the run, in the high half, and of calls inside of it. A call that is inside keeps its run from
  // ending, and may use the other members; a call that is late finds another number, and leaves them alone.
  std::atomic<std::uint64_t> inside_{0};
  std::atomic<int> next_{0}, returned_{0};
  int items_ = 0;
  const ItemWork* work_ = nullptr;
  FirstException problem_;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/device/executor.ipp"
#endif
