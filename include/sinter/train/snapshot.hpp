// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// The state of a Trainer between two updates, apart from its network, for a checkpoint.
template <class T>
struct Snapshot {
  std::vector<T> state;         ///< of the optimizer, [states][arena_size]
  std::vector<double> factors;  ///< on the rate of each parameter; empty: all 1
  double rate = 0;
  long steps = 0, attempts = 0;
  std::string optimizer;    ///< its name
  std::uint64_t model = 0;  ///< its fingerprint
};

SINTER_NAMESPACE_END
