// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <vector>

#include "sinter/ranks/communicator.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Whether `own` is true on all ranks. All call it. Null: one rank.
inline bool true_on_all(Communicator* world, bool own) {
  if (world == nullptr) return own;
  const std::vector<unsigned char> said = gather(*world, static_cast<unsigned char>(own));
  return std::ranges::all_of(said, [](unsigned char one) { return one != 0; });
}

}  // namespace detail

SINTER_NAMESPACE_END
