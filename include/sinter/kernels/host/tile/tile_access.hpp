// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/element_kernels.hpp"
#include "sinter/kernels/host/tile/ride.hpp"
#include "sinter/ops/index_sum.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Calls f(position) for every element of an image, or of a row.
template <class F>
SINTER_INLINE void for_each_position(Dims dims, F&& f) {
  for (int c = 0; c < dims.channels; ++c)
    for (int y = 0; y < dims.height; ++y)
      for (int x = 0; x < dims.width; ++x) f(Position{c, y, x});
}

/// The operands of stage S in a tile: samples in the lanes, so that a lane more or less does not matter here. See
/// element_kernels.
template <class Tile, int S>
struct TileAccess {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  static constexpr int first = P::stage(S).first, inputs = P::source(S).input_count;
  using Op = typename P::Ops::template OpType<first>;

  const Tile& tile;

  template <int K, class F>
  SINTER_INLINE void each(F&& f) const {
    for_each_position(P::source(S).seen(K), [&](Position p) SINTER_LAMBDA { f(p, Tile::lanes); });
  }
  template <class F>
  SINTER_INLINE void each_part_back(F&& f) const {
    unroll<inputs>([&](auto k) SINTER_LAMBDA {
      constexpr std::integral_constant<int, inputs - 1 - decltype(k)::value> part{};
      for_each_position(P::source(S).seen(part.value), [&](Position p) SINTER_LAMBDA { f(part, p); });
    });
  }
  template <int K>
  SINTER_INLINE V load(Position p) const {
    return tile.load(value_at<Tile, P::source(S).inputs[K]>(p, P::source(S).seen(K)));
  }
  template <int K>
  SINTER_INLINE static Position in_output(Position p) {
    return {p.channel + P::source(S).first_channel(K), p.y, p.x};
  }
  SINTER_INLINE void finish(Position p, V v, int) const {
    V one[1] = {v};
    ride<Tile, S, P::stage(S).first_rider()>(tile, p, one);
  }
  SINTER_INLINE V slope(Position p) const { return tile.load(Tile::gradient_of(S).at(p.channel, p.y, p.x)); }
  template <int K>
  SINTER_INLINE void give(Position p, V g) const {
    give_gradient<Tile, first, K>(tile, p, g);
  }

  /// Of an index map, in one direction. (nvcc looks for the indices of any op unless O is an argument.)
  template <bool Transposed, class O = Op>
  using Sum = IndexSum<typename O::Indices, P::source(S).in, Transposed, P::Ops::hash>;
  template <class F>
  SINTER_INLINE void each_output(F&& f) const {
    for_each_position(P::source(S).out, f);
  }
  template <class OfSum>
  SINTER_INLINE V read(Position p) const {
    return OfSum::template of<V>(p.channel, p.y, p.x,
                                 [&](int c, int y, int x) SINTER_LAMBDA { return load<0>(Position{c, y, x}); });
  }
  template <class OfSum>
  SINTER_INLINE V slopes(Position p) const {
    return OfSum::template of<V>(p.channel, p.y, p.x,
                                 [&](int c, int y, int x) SINTER_LAMBDA { return slope(Position{c, y, x}); });
  }
};

/// Those kernels as kernels of a tile.
template <class Kernel>
struct TileElementKernel {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    Kernel::forward(TileAccess<Tile, S>{tile});
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    Kernel::backward(TileAccess<Tile, S>{tile});
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
