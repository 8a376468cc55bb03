// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/kernels/gpu/batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Which of the optimizer's updates a step takes: those from step `first` on are on the device, and the last one is
/// also that of all later steps.
struct Changes {
  std::uint32_t first, count;

  SINTER_FN std::uint32_t at(std::uint32_t n) const { return n - first < count ? n - first : count - 1; }
};

/// Consecutive steps from a position in an epoch on, in device memory. What step n does is computed from it on the
/// device, so launches that were recorded once serve any step of any epoch.
struct StepRange {
  std::uint32_t size, batch;     // rows of an epoch; of a step (the last one of an epoch has the remainder)
  std::uint32_t of_epoch, done;  // steps of an epoch; of the first epoch, steps already made
  std::uint32_t steps;           // to make
  Changes changes;
  const Epoch* epochs;       // from the first one on
  std::uint32_t chunks = 1;  // of a sequence: consecutive steps, the first of which is the first of an epoch

  struct Step {
    const Epoch* epoch;
    std::uint32_t first;  // row, in the order of the epoch
    int rows;
    std::uint32_t chunk;
  };
  SINTER_FN Step at(std::uint32_t n) const {
    const std::uint32_t place = done + n, step = place % of_epoch, first = step * batch;
    return {epochs + place / of_epoch, first, static_cast<int>(batch < size - first ? batch : size - first),
            step % chunks};
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
