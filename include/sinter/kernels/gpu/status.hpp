// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The progress of training, in device memory: the host reads it on demand, not at every step. Kernels read from it
/// which step is next, so the same launches serve every step. No kernel changes a word that other blocks of it read.
struct StepStatus {
  std::uint32_t stopped = 0;  // a loss or a gradient was not finite: nothing is updated from then on
  std::uint32_t steps = 0;    // updates made since the host last set it
  std::uint32_t tried = 0;    // the same, and those that were left out
  std::uint32_t unsound = 0;  // the last of these that was left out, counted from 1; 0: none
  std::uint32_t now = 0;      // the current step, for its later kernels: `steps` as its first one found it

  static constexpr std::uint32_t none = 0xffffffff;  // `now`, if no step is left
};

/// Whether an earlier kernel saw something that was not finite. `status` may be null.
template <class X>
SINTER_FN bool has_stopped(X& x, const StepStatus* status) {
  return status != nullptr && x.global(&status->stopped)[0] != 0;
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
