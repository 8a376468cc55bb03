// SPDX-License-Identifier: MIT
#pragma once

#include <bit>

#include "sinter/io/protobuf.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION void Protobuf::number(unsigned field, std::int64_t value) {
  varint(field << 3);
  varint(static_cast<std::uint64_t>(value));
}

SINTER_FUNCTION void Protobuf::real(unsigned field, float value) {
  varint(field << 3 | 5);
  fixed(std::bit_cast<std::uint32_t>(value), 4);
}

SINTER_FUNCTION void Protobuf::real64(unsigned field, double value) {
  varint(field << 3 | 1);
  fixed(std::bit_cast<std::uint64_t>(value), 8);
}

SINTER_FUNCTION void Protobuf::text(unsigned field, std::string_view value) {
  varint(field << 3 | 2);
  varint(value.size());
  bytes_ += value;
}

SINTER_FUNCTION void Protobuf::varint(std::uint64_t value) {
  for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
  bytes_ += static_cast<char>(value);
}

}  // namespace detail

SINTER_NAMESPACE_END
