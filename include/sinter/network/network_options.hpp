// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/network/initialize.hpp"

SINTER_NAMESPACE_BEGIN

/// The first weights of a network: their distribution, and the seed, by which data are shuffled and masks drawn as
/// well.
struct NetworkOptions {
  std::uint64_t seed = 1;
  Initialization initialization = Initialization::pytorch;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::NetworkOptions;
}  // namespace sinter
