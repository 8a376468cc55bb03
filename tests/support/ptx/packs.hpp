// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "support/ptx/instruction.hpp"
#include "support/ptx/warp.hpp"

namespace sinter_test::ptx {

/// mov of `vector` registers to one, and back: parts of `bytes`, the lowest first.
template <class Whole, bool Packs>
void move_parts(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  Whole* whole = warp.row<Whole>(i.a);
  const auto copy = [&](auto part, int lane) {
    using Part = decltype(part);
    Whole bits = 0;
    for (unsigned k = 0; k < i.vector; ++k) {
      Part* own = warp.row<Part>(i.rows[k]);
      const unsigned shift = 8 * static_cast<unsigned>(sizeof(Part)) * k;
      if constexpr (Packs)
        bits = static_cast<Whole>(bits | static_cast<Whole>(own[lane]) << shift);
      else
        own[lane] = static_cast<Part>(whole[lane] >> shift);
    }
    if constexpr (Packs) whole[lane] = bits;
  };
  for (int lane = 0; lane < lanes_of_warp; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    if (i.bytes == 1)
      copy(std::uint8_t{}, lane);
    else if (i.bytes == 2)
      copy(std::uint16_t{}, lane);
    else
      copy(std::uint32_t{}, lane);
  }
}
inline Compute pack_function(int bytes) {
  return bytes == 8 ? &move_parts<std::uint64_t, true> : &move_parts<std::uint32_t, true>;
}
inline Compute unpack_function(int bytes) {
  return bytes == 8 ? &move_parts<std::uint64_t, false> : &move_parts<std::uint32_t, false>;
}

template <bool ToGeneric>
void move_window(Warp& warp, const Instruction& i, std::uint32_t lanes) {
  for (int lane = 0; lane < lanes_of_warp; ++lane)
    if ((lanes >> lane & 1) != 0) {
      const std::uint64_t address = warp.row<std::uint64_t>(i.a)[lane];
      warp.row<std::uint64_t>(i.to)[lane] = ToGeneric ? address + shared_window : address - shared_window;
    }
}
inline constexpr Compute shared_to_generic = &move_window<true>, generic_to_shared = &move_window<false>;

}  // namespace sinter_test::ptx
