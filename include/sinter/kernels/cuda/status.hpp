// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// How training goes, in the memory of the device: the host looks at it when it wants to know, not at every step.
struct Status {
  std::uint32_t stopped = 0;  // a loss or a gradient was not finite: nothing is updated from then on
  std::uint32_t steps = 0;    // updates made since the host last set it
};

/// Whether an earlier kernel saw something that was not finite. `status` may be null.
template <class X>
SINTER_FN bool has_stopped(X& x, const Status* status) {
  return status != nullptr && x.global(&status->stopped)[0] != 0;
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
