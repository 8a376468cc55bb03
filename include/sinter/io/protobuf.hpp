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
    fixed(std::bit_cast<std::uint32_t>(value), 4);
  }
  void real64(unsigned field, double value) {
    varint(field << 3 | 1);
    fixed(std::bit_cast<std::uint64_t>(value), 8);
  }
  void text(unsigned field, std::string_view value) {
    varint(field << 3 | 2);
    varint(value.size());
    bytes_ += value;
  }
  void message(unsigned field, const Protobuf& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void fixed(std::uint64_t bits, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(bits >> 8 * i & 255);
  }
  void varint(std::uint64_t value) {
    for (; value >= 128; value >>= 7) bytes_ += static_cast<char>((value & 127) | 128);
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

}  // namespace detail

SINTER_NAMESPACE_END
