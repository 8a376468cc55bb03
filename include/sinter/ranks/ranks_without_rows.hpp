// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/plan/schedule.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A text that says how many ranks, of this many threads each, have no rows of a batch; empty if all have some.
template <class Plan>
std::string ranks_without_rows(std::size_t batch, int threads, int ranks) {
  constexpr bool keeps = Schedule<typename Plan::Cut>::count > 1 || Plan::layered;
  const host_kernels::BatchParts<Plan> parts(batch, threads * ranks, keeps, {0, ranks});
  if (parts.count >= ranks) return {};
  return std::to_string(ranks - parts.count) + " of " + std::to_string(ranks) + " ranks have no rows: a batch of " +
         std::to_string(batch) + " has " + std::to_string(parts.count) + " parts; take fewer ranks, or larger batches";
}

}  // namespace detail

SINTER_NAMESPACE_END
