// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/kernels/gpu/batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Which of the optimizer's updates a step takes: those from step `first` on are there, and the last of them stays.
struct Changes {
  std::uint32_t first, count;

  SINTER_FN std::uint32_t at(std::uint32_t n) const { return n - first < count ? n - first : count - 1; }
};

/// Steps that follow one another from a place in an epoch on, in the memory of the device: what step n is follows from it
/// there, so launches that were recorded once serve any step of any epoch.
struct Course {
  std::uint32_t size, batch;     // rows of an epoch; of a step, but the last one of an epoch has what is left
  std::uint32_t of_epoch, done;  // steps of an epoch; of the first one, that are made already
  std::uint32_t steps;           // to make
  Changes changes;
  const Epoch* epochs;  // from the first one on

  struct Step {
    const Epoch* epoch;
    std::uint32_t first;  // row, in the order of the epoch
    int rows;
  };
  SINTER_FN Step at(std::uint32_t n) const {
    const std::uint32_t place = done + n, first = place % of_epoch * batch;
    return {epochs + place / of_epoch, first, static_cast<int>(batch < size - first ? batch : size - first)};
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
