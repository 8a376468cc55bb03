// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// The checksum of iSCSI and of TensorFlow's records: polynomial 0x1edc6f41, bits reflected. For short texts.
SINTER_COLD inline std::uint32_t crc32c(std::string_view text) {
  std::uint32_t sum = 0xffffffffu;
  for (const char letter : text) {
    sum ^= static_cast<unsigned char>(letter);
    for (int bit = 0; bit < 8; ++bit) sum = sum >> 1 ^ ((sum & 1) != 0 ? 0x82f63b78u : 0);
  }
  return ~sum;
}

}  // namespace detail

SINTER_NAMESPACE_END
