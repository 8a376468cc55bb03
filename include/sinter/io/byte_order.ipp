// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>

#include "sinter/io/byte_order.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void reverse_numbers(ElementType type, std::span<std::byte> bytes) {
  // A complex number is two numbers.
  const std::size_t size = type == ElementType::c64 ? 4 : bits_of(type) / 8;
  if (size < 2) return;
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const auto number = bytes.subspan(at, size);
    std::reverse(number.begin(), number.end());
  }
}

SINTER_FUNCTION std::span<const std::byte> in_file_order(ElementType type, std::span<const std::byte> bytes,
                                                         std::vector<std::byte>& copy) {
  if constexpr (!reverses_numbers) return bytes;
  copy.assign(bytes.begin(), bytes.end());
  reverse_numbers(type, copy);
  return copy;
}

SINTER_FUNCTION std::uint64_t whole_number_in(std::span<const std::byte> bytes) {
  std::uint64_t number = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) number = number << 8 | static_cast<std::uint64_t>(bytes[i]);
  return number;
}

SINTER_FUNCTION void put_whole_number(std::uint64_t number, std::span<std::byte> to) {
  for (std::byte& byte : to) {
    byte = static_cast<std::byte>(number & 255);
    number >>= 8;
  }
}

}  // namespace detail

SINTER_NAMESPACE_END
