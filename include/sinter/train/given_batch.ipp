// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/train/given_batch.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void check_counts(std::size_t rows, std::size_t targets) {
  if (rows == 0) fail("a training step was given a batch of 0 rows; give it 1 or more");
  if (rows != targets)
    fail("a training step was given " + std::to_string(rows) + " rows and " + std::to_string(targets) +
         " targets; give it one target for each row");
}

}  // namespace detail

SINTER_NAMESPACE_END
