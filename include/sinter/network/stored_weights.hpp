// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/network/stored.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Weights that are stored in fewer bits or in panels, as the kernels of one row read them, in place.
template <class Model, Storage Kind>
struct StoredWeights {
  using Plan = StoragePlan<Model>;
  using Ops = Program<Model>;
  using Number = NumberOf<Kind>;
  using Size = typename Plan::Size;

  const Number* numbers;
  const float* floats;

  /// The beginning of each parameter, followed by those of the buffers.
  static constexpr std::size_t count = static_cast<std::size_t>(Ops::parameter_count + Ops::buffer_count);
  static constexpr std::array<Size, count> places = [] {
    std::array<Size, count> all{};
    Size at;
    std::size_t i = 0;
    const auto place = [&](const Parameter& p) {
      all[i++] = at;
      const Size own = Plan::size_of(p, Kind);
      at = {at.numbers + own.numbers, at.floats + own.floats};
    };
    for (const Parameter& p : Ops::parameters) place(p);
    for (const Parameter& p : Ops::buffers) place(p);
    return all;
  }();

  template <int Index>
  SINTER_INLINE auto parameter() const {
    constexpr Size at = places[static_cast<std::size_t>(Index)];
    if constexpr (Kind == Storage::panels) {
      if constexpr (Plan::in_panels(Ops::parameters[static_cast<std::size_t>(Index)]))
        return host_kernels::PanelWeight{&numbers[at.numbers].value};
      else
        return &numbers[at.numbers].value;
    } else if constexpr (!Plan::in_fewer_bits(Ops::parameters[static_cast<std::size_t>(Index)]))
      return floats + at.floats;
    else if constexpr (Kind == Storage::int8)
      return host_kernels::ByteWeight{numbers + at.numbers, floats + at.floats};
    else
      return host_kernels::HalfWeight{numbers + at.numbers};
  }
  /// Of one dimension.
  const float* numbers_of(int i) const {
    const Size at = places[static_cast<std::size_t>(i)];
    if constexpr (Kind == Storage::panels)
      return &numbers[at.numbers].value;
    else
      return floats + at.floats;
  }
};

}  // namespace detail

SINTER_NAMESPACE_END
