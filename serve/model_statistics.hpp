// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>

#include "models.hpp"
#include "request_times.hpp"

namespace sinter_serve {

/// What Triton's statistics say about a model. Each request counts the whole time of its batch.
struct ModelStatistics {
  std::uint64_t rows = 0, batches = 0, last = 0;  // the last answer, in milliseconds since 1970
  RequestTimes::Sum success{}, fail{}, queue{}, compute{};

  ModelStatistics() = default;
  explicit ModelStatistics(const RunningModel& model) {
    const sinter::BatcherStatistics now = model.queue.statistics();
    success = model.times.answered(), fail = model.times.failed(), last = model.times.last();
    rows = now.rows, batches = now.batches;
    queue = {now.waiting.count(), static_cast<std::uint64_t>(now.waiting.sum().count())};
    queue.ns = std::min(queue.ns, success.ns);
    compute = {success.count, success.ns - queue.ns};
  }
};

}  // namespace sinter_serve
