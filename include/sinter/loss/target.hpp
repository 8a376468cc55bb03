// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What a loss compares a row of outputs with, as `Loss::Target`: the number of a class, held in a floating value,
/// or a row of numbers of the same length.
struct ClassTarget {};
struct RowTarget {};

SINTER_NAMESPACE_END
