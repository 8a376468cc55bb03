// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "sinter/serve/expect_option.hpp"

SINTER_NAMESPACE_BEGIN

/// How Sessions are kept and computed.
struct SessionOptions {
  int workers = 1;                         ///< threads that compute blocks
  std::size_t max_sessions = 1024;         ///< that may be open at a time; further ones are refused at once
  std::size_t max_waiting = 16384;         ///< moments of one session that may wait; further blocks are refused at once
  std::chrono::milliseconds idle_time{0};  ///< a session without a block for this long is closed; 0: never

  /// Fails unless every number is valid.
  SINTER_COLD void check() const {
    const auto expect = [](bool right, const char* name, auto given, const char* expected) {
      detail::expect_option(right, "Sessions", name, std::to_string(given), expected);
    };
    expect(workers >= 1 && workers <= 1024, "workers", workers, "1 to 1024 threads");
    expect(max_sessions >= 1 && max_sessions <= (1u << 24), "max_sessions", max_sessions, "1 to 16777216 sessions");
    expect(max_waiting >= 1 && max_waiting <= (1u << 24), "max_waiting", max_waiting, "1 to 16777216 moments");
    expect(idle_time >= idle_time.zero() && idle_time <= std::chrono::hours(24 * 365), "idle_time", idle_time.count(),
           "0 milliseconds to 1 year");
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::SessionOptions;
}  // namespace sinter
