// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The states that the rows of a batch begin with, and those that they leave to the same rows of the next one, each
/// [rows][CarriedNumbers::size].
template <class T>
struct Carried {
  T* before = nullptr;
  T* after = nullptr;    // null: nothing is carried
  bool follows = false;  // else the layers say what a row begins with

  /// Those of step `chunk` of a sequence, if these are of its first one.
  SINTER_FN Carried at(std::uint32_t chunk) const {
    const bool odd = chunk % 2 != 0;
    return {odd ? after : before, odd ? before : after, chunk > 0};
  }
  /// Tells a tile where those of its rows are, the first of which is row `first` of the batch.
  template <class X, class Tile>
  SINTER_FN void give(X& x, Tile& tile, int first) const {
    constexpr int size = CarriedNumbers<Program<typename Tile::Model>>::size;
    if constexpr (size > 0) {
      if (after == nullptr) return;
      const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(first) * size;
      tile.states_before = x.global(before) + place;
      tile.states_after = x.global(after) + place;
      tile.follows_states = follows;
      tile.keeps_states = true;
    }
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
