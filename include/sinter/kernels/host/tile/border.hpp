// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/tile/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Zeroes a border.
template <class Tile>
void clear_border(const Tile& tile, Place place) {
  place.each_of_border([&](Spot at, int packs) {
    for (int i = 0; i < packs; ++i) tile.store(at + i, typename Tile::V(0));
  });
}
/// To be called before a stored value is written: in inference its memory, border and all, has been another's (Layout).
template <class Tile, int Value>
SINTER_INLINE void begin_value(const Tile& tile) {
  constexpr Place place = Tile::value(Value);
  if constexpr (!Tile::training && place.bordered()) clear_border(tile, place);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
