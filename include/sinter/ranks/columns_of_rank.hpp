// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/stages/batch_gradient.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// ColumnRange [first, last) of a weight.
struct ColumnRange {
  int first = 0, last = 0;
  int count() const { return last - first; }
};

/// The first panel that a rank takes, of the weights whose gradients are computed from the whole batch. Each rank gets
/// about the same work: a panel costs as much as its weight has rows.
template <class Plan>
constexpr int first_panel(int rank, int ranks) {
  constexpr const auto& stages = host_kernels::ProductsOfBatch<Plan>::stages;
  const auto rows = [](int s) -> std::int64_t { return Plan::source(s).out.size(); };
  const auto panels = [](int s) { return stages[static_cast<std::size_t>(s)].panels; };
  std::int64_t before = 0;  // work
  for (int s = 0; s < Plan::stage_count; ++s) before += panels(s) * rows(s);
  before = before * rank / ranks;
  int first = 0;
  for (int s = 0; s < Plan::stage_count; first += panels(s), before -= panels(s) * rows(s), ++s)
    if (panels(s) > 0 && before <= panels(s) * rows(s))
      return first + static_cast<int>((before + rows(s) / 2) / rows(s));
  return first;
}
/// The panels of the weight of stage s among them.
template <class Plan>
constexpr ColumnRange columns_of_rank(int s, int rank, int ranks) {
  constexpr const auto& stages = host_kernels::ProductsOfBatch<Plan>::stages;
  constexpr int width = host_kernels::panel<typename Plan::ISA, typename Plan::V>;
  int last = s;  // of the stages that share the weight: its panels are counted in this one
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
