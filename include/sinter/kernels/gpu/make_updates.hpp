// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/kernels/apply_optimizer.hpp"
#include "sinter/kernels/gpu/status.hpp"
#include "sinter/optimizer/computed_anywhere.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The optimizer's updates of the current step, where they differ from step to step and the host does not know which
/// step is next.
template <class Optimizer, class T>
struct MakeUpdates {
  using Update = typename Optimizer::template Update<T>;
  static constexpr bool whole_grid = false;
  static constexpr int threads = 32;

  struct Args {
    const StepStatus* status;
    const Optimizer* optimizer;
    const double* factors;  // [groups] on its rate
    int groups;
    Update* to;  // [groups]
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto step = static_cast<long>(std::uint32_t(x.global(&a.status->steps)[0]));
    const auto to = x.global(a.to);
    x.items(a.groups,
            [&](int group) { to[group] = with_rate_factor(*a.optimizer, a.factors[group]).template at<T>(step); });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
