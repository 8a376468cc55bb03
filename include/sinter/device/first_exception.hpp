// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <exception>
#include <utility>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Keeps the first exception thrown by several threads, for the thread that waits for them. Without exceptions
/// (-fno-exceptions) it only calls the functions.
class FirstException {
 public:
  template <class Work>
  void call(Work&& work) {
#if defined(__cpp_exceptions)
    try {
      work();
    } catch (...) {
      if (!threw_.test_and_set()) problem_ = std::current_exception();
    }
#else
    work();
#endif
  }

  /// Throws it, if any, and clears it. All threads must have finished.
  void rethrow() {
#if defined(__cpp_exceptions)
    if (!problem_) return;
    threw_.clear();
    std::rethrow_exception(std::exchange(problem_, nullptr));
#endif
  }
  void forget() {
    threw_.clear();
    problem_ = nullptr;
  }

 private:
  std::atomic_flag threw_;
  std::exception_ptr problem_;
};

}  // namespace detail

SINTER_NAMESPACE_END
