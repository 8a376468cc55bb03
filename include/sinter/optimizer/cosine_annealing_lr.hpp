// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/optimizer/apply.hpp"
#include "sinter/optimizer/power.hpp"

SINTER_NAMESPACE_BEGIN

/// eta_min + (lr - eta_min) (1 + cos(pi t / T_max)) / 2: from lr to eta_min in T_max, and, as PyTorch's, back again.
struct CosineAnnealingLR {
  long T_max = 1;
  double eta_min = 0;

  static constexpr const char* name = "CosineAnnealingLR";
  static constexpr bool anywhere = true;
  SINTER_HOST_DEVICE double operator()(double lr, long t) const {
    detail::check_on_host(*this, lr, t);
    const double half_turns = static_cast<double>(t) / static_cast<double>(T_max);
    return eta_min + (lr - eta_min) * (1 + detail::cosine_of_half_turns(half_turns)) / 2;
  }
  template <class Each>
  void for_each_option(Each&& each) const {
    each("T_max", T_max);
    each("eta_min", eta_min);
  }
  void check() const {
    detail::require_count(name, "T_max", T_max);
    detail::require_at_least_zero(name, "eta_min", eta_min);
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::CosineAnnealingLR;
}  // namespace sinter
