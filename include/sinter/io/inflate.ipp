// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>

#include "sinter/io/inflate.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

SINTER_FUNCTION bool Inflate::Code::make(std::span<const std::uint8_t> lengths) {
  std::array<unsigned, 16> count{}, next{};
  for (const std::uint8_t length : lengths) ++count[length];
  count[0] = 0;
  for (unsigned length = 1; length < 16; ++length) {
    next[length] = (next[length - 1] + count[length - 1]) << 1;
    if (next[length] + count[length] > 1u << length) return false;
    if (count[length] > 0) longest = length;
  }
  entries.assign(std::size_t{1} << longest, 0);
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    const unsigned length = lengths[symbol];
    if (length == 0) continue;
    unsigned code = next[length]++, reversed = 0;  // codes begin with their highest bit
    for (unsigned i = 0; i < length; ++i, code >>= 1) reversed = reversed << 1 | (code & 1);
    for (std::size_t i = reversed; i < entries.size(); i += std::size_t{1} << length)
      entries[i] = static_cast<std::uint16_t>(symbol << 4 | length);
  }
  return true;
}

SINTER_FUNCTION unsigned Inflate::peek(unsigned count) {
  for (; held_ < count; held_ += 8, ++at_)
    if (at_ < from_.size()) bits_ |= static_cast<std::uint64_t>(from_[at_]) << held_;
  return static_cast<unsigned>(bits_ & ((std::uint64_t{1} << count) - 1));
}

SINTER_FUNCTION unsigned Inflate::take(unsigned count) {
  const unsigned number = peek(count);
  bits_ >>= count;
  held_ -= count;
  return number;
}

SINTER_FUNCTION int Inflate::decode(const Code& code) {
  const unsigned entry = code.entries[peek(code.longest)];
  take(entry & 15);
  return entry == 0 ? -1 : static_cast<int>(entry >> 4);
}

SINTER_FUNCTION bool Inflate::copy_stored() {
  take(held_ % 8);
  const unsigned size = take(16), inverted = take(16);
  at_ -= held_ / 8;
  bits_ = held_ = 0;
  if (size != (inverted ^ 0xffffu) || at_ > from_.size() || size > from_.size() - at_ || size > to_.size() - written_)
    return false;
  std::copy_n(from_.data() + at_, size, to_.data() + written_);
  at_ += size;
  written_ += size;
  return true;
}

SINTER_FUNCTION bool Inflate::read_codes(Code& literals, Code& distances) {
  const unsigned literal_count = take(5) + 257, distance_count = take(5) + 1, length_count = take(4) + 4;
  constexpr std::uint8_t order[] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  std::array<std::uint8_t, 19> of_lengths{};
  for (unsigned i = 0; i < length_count; ++i) of_lengths[order[i]] = static_cast<std::uint8_t>(take(3));
  Code code;
  if (!code.make(of_lengths)) return false;
  std::array<std::uint8_t, 320> lengths{};
  const std::span<std::uint8_t> all = std::span(lengths).first(literal_count + distance_count);
  for (std::size_t i = 0; i < all.size();) {
    const int symbol = decode(code);
    if (symbol < 0 || (symbol == 16 && i == 0)) return false;
    const std::uint8_t length = symbol < 16 ? static_cast<std::uint8_t>(symbol) : symbol == 16 ? all[i - 1] : 0;
    const unsigned times = symbol < 16 ? 1 : symbol == 16 ? 3 + take(2) : symbol == 17 ? 3 + take(3) : 11 + take(7);
    if (times > all.size() - i) return false;
    std::fill_n(all.begin() + static_cast<std::ptrdiff_t>(i), times, length);
    i += times;
  }
  return literals.make(all.first(literal_count)) && distances.make(all.subspan(literal_count));
}

SINTER_FUNCTION bool Inflate::repeat(int length_symbol, const Code& distances) {
  const unsigned s = static_cast<unsigned>(length_symbol - 257);
  if (s > 28) return false;
  const unsigned extra = s < 8 || s == 28 ? 0 : (s >> 2) - 1;
  const std::size_t length = (s == 28 ? 258 : s < 8 ? 3 + s : 3 + ((4 + (s & 3)) << extra)) + take(extra);
  const int distance_symbol = decode(distances);
  if (distance_symbol < 0 || distance_symbol > 29) return false;
  const unsigned d = static_cast<unsigned>(distance_symbol), more = d < 4 ? 0 : (d >> 1) - 1;
  const std::size_t distance = (d < 4 ? 1 + d : 1 + ((2 + (d & 1)) << more)) + take(more);
  if (distance > written_ || length > to_.size() - written_) return false;
  for (std::size_t i = 0; i < length; ++i, ++written_) to_[written_] = to_[written_ - distance];
  return true;
}

SINTER_FUNCTION bool Inflate::read_symbols(const Code& literals, const Code& distances) {
  for (;;) {
    const int symbol = decode(literals);
    if (symbol == 256) return true;
    if (symbol > 256) {
      if (!repeat(symbol, distances)) return false;
    } else if (symbol < 0 || written_ == to_.size()) {
      return false;
    } else {
      to_[written_++] = static_cast<std::byte>(symbol);
    }
  }
}

SINTER_FUNCTION bool Inflate::run() {
  for (bool last = false; !last;) {
    last = take(1) != 0;
    const unsigned kind = take(2);
    Code literals, distances;
    if (kind == 1) {
      std::array<std::uint8_t, 320> lengths;
      lengths.fill(8);
      std::fill(lengths.begin() + 144, lengths.begin() + 256, std::uint8_t{9});
      std::fill(lengths.begin() + 256, lengths.begin() + 280, std::uint8_t{7});
      std::fill(lengths.begin() + 288, lengths.end(), std::uint8_t{5});
      literals.make(std::span(lengths).first(288));
      distances.make(std::span(lengths).last(32));
    }
    const bool good = kind == 0   ? copy_stored()
                      : kind == 1 ? read_symbols(literals, distances)
                                  : kind == 2 && read_codes(literals, distances) && read_symbols(literals, distances);
    if (!good || beyond_end()) return false;
  }
  return written_ == to_.size() && at_ - held_ / 8 == from_.size();
}

}  // namespace detail

SINTER_NAMESPACE_END
