// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// How a GPU trains a network.
enum class CudaPlan : unsigned char {
  automatic,  ///< the one that should take the least time
  resident,   ///< one block keeps everything in its shared memory, for many steps per launch
  pair,       ///< a block for each slot of the batch goes through all layers; then slots are added up, weights updated
  layers,     ///< each phase of each layer is a launch over the whole grid: fits everything
};

/// The name of a plan: "pair".
constexpr const char* name_of(CudaPlan plan) {
  constexpr const char* names[] = {"automatic", "resident", "pair", "layers"};
  return names[static_cast<int>(plan)];
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::CudaPlan;
}  // namespace sinter
