// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "sinter/core/error.hpp"
#include "sinter/core/macros.hpp"
#include "sinter/device/first_exception.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// What an executor calls: `task(i)`. It refers to the work and may be copied; it is valid until the executor returns.
class Task {
 public:
  template <class Work>
  explicit Task(Work& work) : context_(&work), call_([](void* context, int i) { (*static_cast<Work*>(context))(i); }) {}
  void operator()(int i) const { call_(context_, i); }

 private:
  void* context_;
  void (*call_)(void*, int);
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

/// work(i, item) for each item in [0, items), once, where i is that of a call of an executor's task: each call claims
/// an item at a time, so a thread that starts late or never leaves its items to the others. The first exception that
/// `work` throws is rethrown when all items are done. Fails if the executor returned before its calls did.
void run_on(const Executor& executor, int threads, int items, const ItemWork& work);

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/device/executor.ipp"
#endif
