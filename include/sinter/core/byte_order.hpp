// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <span>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

// Numbers in files are little-endian. They are reversed where a big-endian machine reads or writes a file, so
// everything else has those of the machine.
static_assert(std::endian::native == std::endian::little || std::endian::native == std::endian::big);
inline constexpr bool reverses_numbers = std::endian::native == std::endian::big;

/// Reverses the bytes of each number of so many bytes.
inline void reverse_each(std::size_t size, std::span<std::byte> bytes) {
  if (size < 2) return;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const auto number = bytes.subspan(at, size);
    std::reverse(number.begin(), number.end());
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
