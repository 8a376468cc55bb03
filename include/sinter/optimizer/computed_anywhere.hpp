// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// An optimizer or a schedule that can compute any step also in GPU code: one of your own declares it by `static
/// constexpr bool anywhere = true`, and has SINTER_HOST_DEVICE before its functions of the step.
template <class OptimizerOrSchedule>
concept ComputedAnywhere = requires { requires OptimizerOrSchedule::anywhere; };

SINTER_NAMESPACE_END
