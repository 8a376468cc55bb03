// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The precision in which a network computes and stores its parameters.
struct Float32 {
  using Scalar = float;
};
/// Double precision.
struct Float64 {
  using Scalar = double;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Float32;
using internal::Float64;
}  // namespace sinter
