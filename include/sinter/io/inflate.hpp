// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Reads what deflate compressed (RFC 1951).
class Inflate {
 public:
  /// How many times as long as its compressed bytes something can be.
  static constexpr std::uint64_t most = 1032;

  Inflate(std::span<const std::byte> from, std::span<std::byte> to) : from_(from), to_(to) {}
  /// False unless the bytes are whole, and give as many as there is room for.
  SINTER_COLD bool run();

 private:
  /// A prefix code: by the next bits, 16 times the symbol plus the length of its code; 0 where there is none.
  struct Code {
    unsigned longest = 0;
    std::vector<std::uint16_t> entries;
    SINTER_COLD bool make(std::span<const std::uint8_t> lengths);
  };

  /// The next bits, of which the first is the lowest; zeros beyond the end.
  unsigned peek(unsigned count);
  unsigned take(unsigned count);
  /// A symbol, or -1.
  int decode(const Code& code);
  /// Whether more bits were taken than there are.
  bool beyond_end() const { return 8 * at_ - held_ > 8 * from_.size(); }
  SINTER_COLD bool copy_stored();
  SINTER_COLD bool read_codes(Code& literals, Code& distances);
  SINTER_COLD bool read_symbols(const Code& literals, const Code& distances);
  bool repeat(int length_symbol, const Code& distances);

  std::span<const std::byte> from_;
  std::span<std::byte> to_;
  std::size_t at_ = 0, written_ = 0;
  std::uint64_t bits_ = 0;
  unsigned held_ = 0;  // of `bits_`
};

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/io/inflate.ipp"
#endif
