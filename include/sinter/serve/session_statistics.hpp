// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/serve/batcher_statistics.hpp"

SINTER_NAMESPACE_BEGIN

/// What Sessions have done since they were made. In BatcherStatistics, a batch is a block and a row is a moment.
struct SessionStatistics : BatcherStatistics {
  std::size_t open = 0;      ///< sessions now; a closed one counts until its last block is answered
  std::uint64_t opened = 0;  ///< sessions
  std::uint64_t expired = 0;
  std::uint64_t refused = 0;  ///< sessions that were not opened, as too many were
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::SessionStatistics;
}  // namespace sinter
