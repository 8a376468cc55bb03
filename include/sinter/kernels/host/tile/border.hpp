// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/tile/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Zeroes a border.
template <class Tile>
void clear_border(const Tile& tile, Place place) {
  Spot at = place.begin();
  const auto clear = [&](int packs) {
    for (int i = 0; i < packs; ++i) tile.store(at + i, typename Tile::V(0));
    at = at + packs;
  };
  clear(place.first());
  for (int channel = 0; channel < place.dims.channels; ++channel) {
    for (int y = 0; y < place.dims.height; ++y) {
      at = at + place.dims.width;
      clear(place.border_width);
    }
    clear(place.border_height * place.stride_y());
  }
}
/// To be called before a stored value is written: in inference its memory, border and all, has been another's (Layout).
template <class Tile, int Value>
SINTER_INLINE void begin_value(const Tile& tile) {
  constexpr Place place = Tile::value(Value);
  if constexpr (!Tile::training && place.bordered()) clear_border(tile, place);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
