// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// What a Trainer knows besides its network, between two updates: what a checkpoint keeps.
template <class T>
struct Standing {
  std::vector<T> state;         ///< of the optimizer, [states][arena_size]
  std::vector<double> factors;  ///< on the rate of each parameter; empty: all 1
  double rate = 0;
  long steps = 0, attempts = 0;
};

SINTER_NAMESPACE_END
