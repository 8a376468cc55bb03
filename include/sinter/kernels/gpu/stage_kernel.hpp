// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"
#include "sinter/plan/kinds.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Phases that not all kinds of stages have.
struct OwnPhases {
  bool moments = false, batch_moments = false, step_inputs = false;            // before forward
  bool slopes = false, batch_slopes = false, steps_back = false, row = false;  // before the gradient of the input
};
template <Source Kind>
inline constexpr OwnPhases own_phases{};

/// The kernels of a kind of stage: `forward` (but for statistics), `input_gradient`, `weight_gradient` where the
/// gradient of its weights has a phase of its own, and those of its own phases, by their names.
template <Source Kind>
struct StageKernel {
  static_assert(static_cast<int>(Kind) < 0, "sinter: the Cuda device has no kernels for this kind of op");
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
