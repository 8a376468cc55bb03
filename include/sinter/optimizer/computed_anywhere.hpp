// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// An optimizer or a schedule that can also compute its steps in GPU code: one of your own declares
/// `static constexpr bool anywhere = true`, and has SINTER_HOST_DEVICE before the functions that compute a step.
template <class OptimizerOrSchedule>
concept ComputedAnywhere = requires { requires OptimizerOrSchedule::anywhere; };

SINTER_NAMESPACE_END
