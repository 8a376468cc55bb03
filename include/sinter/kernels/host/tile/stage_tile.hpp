// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/host/plan/given_places.hpp"
#include "sinter/kernels/host/tile/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A tile for a kernel that stages share, the first of them S.
template <class Tile, int S, Pass pass>
struct StageTile : Tile {
  using Places = GivenPlaces<Tile, S, pass>;
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Row = typename Tile::Values::Row;
  Places places;

  SINTER_INLINE StageTile(const Tile& tile, const typename Places::Offsets& given) : Tile(tile), places(given) {}

  SINTER_INLINE T* at(Spot spot) const {
    return this->memory + places.begin(spot.base) + static_cast<std::ptrdiff_t>(spot.offset) * Tile::lanes;
  }
  SINTER_INLINE V load(Spot spot) const { return V::load(at(spot)); }
  SINTER_INLINE void store(Spot spot, V v) const { v.store(at(spot)); }
  SINTER_INLINE std::uint8_t* bytes(Place place, int element) const {
    return reinterpret_cast<std::uint8_t*>(at(place.begin())) + element * Tile::lanes;
  }
  SINTER_INLINE const T* parameter(int i) const { return this->parameters + places.parameter(i); }
  SINTER_INLINE T* parameter_gradient(int i) const { return this->gradient + places.parameter_gradient(i); }
  SINTER_INLINE const T* packed_weight(int s, bool back) const {
    return this->packed + places.packed(Tile::Packed::number(s, back));
  }
  SINTER_INLINE const T* of_batch(int i, Row row) const { return this->batch + places.of_batch(i, row); }
  SINTER_INLINE double* partial_of(int i) const { return this->partial + places.partial(i); }

  static constexpr Place value(int v) { return Places::value(v); }
  static constexpr Place input(int s) { return value(P::stage(s).input); }
  static constexpr Place output(int s) { return value(P::stage(s).output); }
  static constexpr Place gradient_of(int s) { return Places::place(Role::gradient, s); }
  static constexpr Place read_gradient(int read) { return Places::place(Role::read_gradient, read); }
  static constexpr Place saved(int i) { return Places::place(Role::saved, i); }
  static constexpr Place mask(int i) { return Places::place(Role::mask, i); }
  static constexpr Place argmax(int i) { return Places::place(Role::argmax, i); }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
