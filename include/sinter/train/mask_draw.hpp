// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "sinter/ops/mask_key.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The key of further masks for the rows and the step of a key; those of draw 0 are its own.
constexpr MaskKey key_of_draw(MaskKey key, std::uint32_t draw) {
  key.seed ^= draw * std::uint64_t{0x9e3779b97f4a7c15};  // odd: no two draws have one seed
  return key;
}

}  // namespace detail

SINTER_NAMESPACE_END
