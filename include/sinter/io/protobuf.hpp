// SPDX-License-Identifier: MIT
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Writes a message in the wire format of protocol buffers, field by field.
class Protobuf {
 public:
  void number(unsigned field, std::int64_t value) {
    varint(field << 3);
    varint(static_cast<std::uint64_t>(value));
  }
  void real(unsigned field, float value) {
    varint(field << 3 | 5);
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (int i = 0; i < 4; ++i) bytes_ += static_cast<char>(bits >> 8 * i & 255);
  }
  void text(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(unsigned field, const Protobuf& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace detail

SINTER_NAMESPACE_END
