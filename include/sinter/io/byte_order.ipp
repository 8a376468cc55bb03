// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/io/byte_order.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void reverse_numbers(ElementType type, std::span<std::byte> bytes) {
  reverse_each(type == ElementType::c64 ? 4 : bits_of(type) / 8, bytes);  // a complex number is two numbers
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
