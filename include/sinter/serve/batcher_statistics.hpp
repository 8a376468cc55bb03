// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sinter/core/macros.hpp"
#include "sinter/serve/latency_histogram.hpp"
#include "sinter/serve/request.hpp"

SINTER_NAMESPACE_BEGIN

/// What a Batcher has done since it was made.
struct BatcherStatistics {
  std::array<std::uint64_t, request_status_count> requests{};  ///< by their RequestStatus
  std::uint64_t batches = 0, rows = 0;                         ///< that were computed
  std::uint64_t callback_errors = 0;                           ///< callbacks that threw
  std::size_t waiting_rows = 0;                                ///< that wait now
  LatencyHistogram waiting{};                                  ///< of each computed request, until its batch left
  LatencyHistogram computing{};                                ///< of each batch

  std::uint64_t operator[](RequestStatus status) const { return requests[static_cast<std::size_t>(status)]; }
};

namespace detail {

/// The same while it is counted, by any thread.
struct BatchCounters {
  std::array<std::atomic<std::uint64_t>, request_status_count> requests{};
  std::atomic<std::uint64_t> batches{0}, rows{0}, callback_errors{0};
  LatencyHistogram waiting, computing;

  void count(RequestStatus status) noexcept {
    requests[static_cast<std::size_t>(status)].fetch_add(1, std::memory_order_relaxed);
  }
  BatcherStatistics read(std::size_t waiting_rows) const {
    BatcherStatistics now{{}, batches, rows, callback_errors, waiting_rows, waiting, computing};
    for (std::size_t i = 0; i < request_status_count; ++i)
      now.requests[i] = requests[i].load(std::memory_order_relaxed);
    return now;
  }
};

}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::BatcherStatistics;
}  // namespace sinter
