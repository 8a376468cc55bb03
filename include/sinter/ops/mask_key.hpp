// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The key of the random decisions of a training step, in addition to the sample, the layer and the element.
struct MaskKey {
  std::uint64_t seed = 0;
  std::uint32_t step = 0;
};

SINTER_NAMESPACE_END
