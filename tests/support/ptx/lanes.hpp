// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "support/ptx/instruction.hpp"

namespace sinter_test::ptx {

/// shfl.sync and vote.sync.ballot, which move numbers between the lanes of a warp; null for anything else. A shuffle's
/// operands are `a`, its lane `b` and `c`, the mask of lanes in rows[0]; where `vector` is 2, the number of a predicate,
/// whether the lane was in range, in rows[1]. All lanes of the mask must be there: throws Fault otherwise.
Compute exchange_of(const std::vector<std::string>& words);
/// The same for the lanes that bar.warp.sync waits for.
void require_lanes(const Warp& warp, std::uint32_t wanted, std::uint32_t lanes);

}  // namespace sinter_test::ptx
