// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Where the parameter after i begins in the arena.
template <class Plan>
constexpr int end_of_parameter(int i) {
  return i + 1 < Plan::Ops::parameter_count ? Plan::parameter(i + 1).offset : Plan::Ops::arena_size;
}

/// Where a slot has the gradient of each parameter, and where it ends: in the order of the arena, without those that
/// are taken from the whole batch. A wide weight after convolutions would otherwise waste memory in every slot.
template <class Plan>
inline constexpr auto slot_places = [] {
  std::array<int, static_cast<std::size_t>(Plan::Ops::parameter_count) + 1> places{};
  for (std::size_t k = 0; k + 1 < places.size(); ++k) {
    const int i = static_cast<int>(k);
    const bool of_batch = Plan::parameter_of_batch(i);
    places[k + 1] = places[k] + (of_batch ? 0 : end_of_parameter<Plan>(i) - Plan::parameter(i).offset);
  }
  return places;
}();
template <class Plan>
inline constexpr int slot_size = slot_places<Plan>.back();

}  // namespace host_kernels

SINTER_NAMESPACE_END
