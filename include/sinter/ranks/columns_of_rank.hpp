// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/kernels/host/batch_gradient.hpp"
#include "sinter/kernels/host/batch_parts.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// ColumnRange [first, last) of a weight.
struct ColumnRange {
  int first = 0, last = 0;
  int count() const { return last - first; }
};

/// The first of the panels of a plan's weights whose gradients a rank takes from the whole batch.
template <class Plan>
constexpr int first_panel(int rank, int ranks) {
  return static_cast<int>(host_kernels::part_of(host_kernels::panels_of_batch<Plan>, rank, ranks));
}
/// What these are of the weight of stage s.
template <class Plan>
constexpr ColumnRange columns_of_rank(int s, int rank, int ranks) {
  constexpr const auto& stages = host_kernels::ProductsOfBatch<Plan>::stages;
  constexpr int width = host_kernels::panel<typename Plan::ISA, typename Plan::V>;
  int last = s;  // of the stages that share the weight: its panels are counted there
  for (int later = s + 1; later < Plan::stage_count; ++later)
    if (Plan::Cut::share_parameters(s, later)) last = later;
  int before = 0;
  for (int i = 0; i < last; ++i) before += stages[static_cast<std::size_t>(i)].panels;
  const int in = Plan::source(s).in.size(), panels = stages[static_cast<std::size_t>(last)].panels;
  const auto column = [&](int panel) { return std::min(std::clamp(panel - before, 0, panels) * width, in); };
  return {column(first_panel<Plan>(rank, ranks)), column(first_panel<Plan>(rank + 1, ranks))};
}

}  // namespace detail

SINTER_NAMESPACE_END
