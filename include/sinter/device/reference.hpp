// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The naive device: one row after another, plain loops, any scalar type. Slow, and easy to check by eye. Tests compare
/// the other devices with it.
struct Reference {
  static constexpr const char* name = "reference";
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Reference;
}  // namespace sinter
