// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/network/initialize.hpp"

SINTER_NAMESPACE_BEGIN

/// The initial weights of a network: their distribution, and the seed, which also determines the order of the data and
/// the masks.
struct NetworkOptions {
  std::uint64_t seed = 1;
  Initialization initialization = Initialization::pytorch;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::NetworkOptions;
}  // namespace sinter
