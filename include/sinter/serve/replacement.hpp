// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <memory>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A value that any thread hands to another, which uses it from its next piece of work. Neither waits.
template <class T>
class Replacement {
 public:
  using Shared = std::shared_ptr<T>;

  Replacement() = default;
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  ~Replacement() { delete next_.load(); }

  void give(const Shared& shared) {
    auto next = std::make_unique<Shared>(shared);
    delete next_.exchange(next.release(), std::memory_order_acq_rel);
  }
  /// Replaces `current` if there is something new.
  bool take(Shared& current) {
    if (next_.load(std::memory_order_relaxed) == nullptr) return false;
    const std::unique_ptr<Shared> next(next_.exchange(nullptr, std::memory_order_acquire));
    if (next) current = *next;
    return next != nullptr;
  }

 private:
  std::atomic<Shared*> next_{nullptr};
};

}  // namespace detail

SINTER_NAMESPACE_END
