// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Writes a message in the wire format of protocol buffers, field by field.
class Protobuf {
 public:
  void number(unsigned field, std::int64_t value);
  void real(unsigned field, float value);
  void real64(unsigned field, double value);
  void text(unsigned field, std::string_view value);
  void message(unsigned field, const Protobuf& value) { text(field, value.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  void fixed(std::uint64_t bits, int size) {
    for (int i = 0; i < size; ++i) bytes_ += static_cast<char>(bits >> 8 * i & 255);
  }
  void varint(std::uint64_t value);
  std::string bytes_;
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/protobuf.ipp"
#endif
