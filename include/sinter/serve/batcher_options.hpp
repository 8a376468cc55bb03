// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

#include "sinter/data/normalize.hpp"
#include "sinter/serve/expect_option.hpp"

SINTER_NAMESPACE_BEGIN

/// How a Batcher puts requests together.
struct BatcherOptions {
  int workers = 1;                           ///< threads that compute batches, each with its own workspace
  std::size_t max_batch = 32;                ///< rows of a batch, and of one request, at most
  std::chrono::microseconds max_delay{200};  ///< how long a request waits for others before its batch leaves
  std::size_t max_waiting = 1024;            ///< rows that may wait; further requests are refused at once
  Normalize normalize{};                     ///< how the network's inputs are scaled, as `forward` takes it

  /// Fails unless every number is valid.
  SINTER_COLD void check() const {
    const auto expect = [](bool right, const char* name, auto given, const char* expected) {
      detail::expect_option(right, "a Batcher", name, std::to_string(given), expected);
    };
    expect(workers >= 1 && workers <= 1024, "workers", workers, "1 to 1024 threads");
    expect(max_batch >= 1 && max_batch <= (1u << 20), "max_batch", max_batch, "1 to 1048576 rows");
    expect(max_delay >= max_delay.zero() && max_delay <= std::chrono::hours(1), "max_delay", max_delay.count(),
           "0 microseconds to 1 hour");
    expect(max_waiting >= max_batch, "max_waiting", max_waiting, "at least the rows of a batch, .max_batch");
    normalize.check();
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::BatcherOptions;
}  // namespace sinter
