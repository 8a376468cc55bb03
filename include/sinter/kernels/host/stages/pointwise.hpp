// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/of_library.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/kernels/host/tile/ride.hpp"
#include "sinter/kernels/host/tile/tile_access.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

template <>
struct StageKernel<Source::map> : TileElementKernel<element_kernels::Riders> {};
template <>
struct StageKernel<Source::concat> : TileElementKernel<element_kernels::Concat> {};
template <>
struct StageKernel<Source::elementwise> : TileElementKernel<element_kernels::Elementwise> {};
template <>
struct StageKernel<Source::index_map> : TileElementKernel<element_kernels::IndexMap> {};

/// A function of each of `rows` rows of n packs; F, one of the library, names no model.
template <class Isa, class F, class V>
SINTER_SHARED void shared_rows(const V* x, V* y, int rows, int n) {
  for (int row = 0; row < rows; ++row) F::forward(x + row * n, y + row * n, n);
}
/// Its adjoint, in place of dy.
template <class Isa, class F, class V>
SINTER_SHARED void shared_rows_back(const V* y, V* dy, int rows, int n) {
  for (int row = 0; row < rows; ++row) F::backward(y + row * n, dy + row * n, n);
}
/// A function of the whole sample, or of each of its rows, in place on a copy.
template <>
struct StageKernel<Source::row> {
  template <class Tile, int S>
  struct Of {
    using P = typename Tile::Plan;
    using Isa = typename P::ISA;
    using F = typename P::Ops::template OpType<P::stage(S).first>::Functor;
    static constexpr int rows = P::source(S).groups, n = P::output_dims(S).size() / rows;
    static constexpr bool shared = detail::is_of_library<F> && n >= least_shared_row;
  };

  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using O = Of<Tile, S>;
    static_assert(!Tile::output(S).bordered(), "sinter: put a MapIndices between a Row and a convolution with padding");
    // Packs of samples are an array of V.
    const auto* x = reinterpret_cast<const typename Tile::V*>(flat_input<Tile, S>(tile));
    auto* y = reinterpret_cast<typename Tile::V*>(tile.at(Tile::output(S).begin()));
    if constexpr (O::shared)
      shared_rows<typename O::Isa, typename O::F>(x, y, O::rows, O::n);
    else
      for (int row = 0; row < O::rows; ++row) O::F::forward(x + row * O::n, y + row * O::n, O::n);
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using O = Of<Tile, S>;
    const auto* y = reinterpret_cast<const typename Tile::V*>(tile.at(Tile::output(S).begin()));
    auto* dy = reinterpret_cast<typename Tile::V*>(tile.at(Tile::gradient_of(S).begin()));  // becomes dx
    if constexpr (O::shared)
      shared_rows_back<typename O::Isa, typename O::F>(y, dy, O::rows, O::n);
    else
      for (int row = 0; row < O::rows; ++row) O::F::backward(y + row * O::n, dy + row * O::n, O::n);
    for (int i = 0; i < O::rows * O::n; ++i) give_input_gradient<Tile, S>(tile, i, dy[i]);
  }
};

/// Which element of its window a pool took: a byte, and a second one where windows are that large.
template <class Tile, int S>
SINTER_INLINE void store_which(const Tile& tile, int element, typename Tile::V which) {
  using V = typename Tile::V;
  constexpr int pool = Tile::Plan::stage(S).first, count = Tile::Plan::op(pool).out.size();
  if constexpr (Tile::Plan::op(pool).window.taps() > 256) {
    const V high = convert<V>(convert<integer_of<V>>(which) >> 8);
    store_bytes(high, tile.bytes(Tile::argmax(pool), count + element));
    which = which - high * V(256);  // exact
  }
  store_bytes(which, tile.bytes(Tile::argmax(pool), element));
}
template <class Tile, int S>
SINTER_INLINE typename Tile::V load_which(const Tile& tile, int element) {
  using V = typename Tile::V;
  constexpr int pool = Tile::Plan::stage(S).first, count = Tile::Plan::op(pool).out.size();
  const V low = load_bytes<V>(tile.bytes(Tile::argmax(pool), element));
  if constexpr (Tile::Plan::op(pool).window.taps() <= 256)
    return low;
  else
    return low + load_bytes<V>(tile.bytes(Tile::argmax(pool), count + element)) * V(256);
}

/// A pool that cannot ride: any window, stride and padding; windows may overlap. (nvcc does not accept local constants
/// in a lambda.)
template <>
struct StageKernel<Source::pool> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    using V = typename Tile::V;
    constexpr Op op = P::source(S);
    constexpr Place in = Tile::input(S);
    for_each_position(op.out, [&](Position p) {
      const CoveredPixels covered(P::source(S), p.y, p.x);
      V total(0);
      LargestElement<V> largest;
      covered.each([&](int y, int x, int k) SINTER_LAMBDA {
        const V v = tile.load(in.at(p.channel, y, x));
        if constexpr (P::source(S).average)
          total = add(v, total);
        else
          largest.take(v, V(static_cast<T_of<Tile>>(k)));
      });
      if constexpr (!P::source(S).average && Tile::training)
        store_which<Tile, S>(tile, p.within(op.out), largest.number);
      V one[1] = {P::source(S).average ? product(total, V(weight_in_mean<T_of<Tile>>(covered.divisor)))
                                       : largest.value};
      ride<Tile, S, P::stage(S).first + 1>(tile, p, one);
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    using V = typename Tile::V;
    constexpr Op op = P::source(S);
    V* dx = reinterpret_cast<V*>(tile.scratch());  // [C, H, W]
    for (int i = 0; i < op.in.size(); ++i) dx[i] = V(0);
    for_each_position(op.out, [&](Position p) {
      const CoveredPixels covered(P::source(S), p.y, p.x);
      V g = tile.load(Tile::gradient_of(S).at(p.channel, p.y, p.x)), which(0);
      if constexpr (P::source(S).average)
        g = product(g, V(weight_in_mean<T_of<Tile>>(covered.divisor)));
      else
        which = load_which<Tile, S>(tile, p.within(op.out));
      covered.each([&](int y, int x, int k) SINTER_LAMBDA {
        V& to = dx[Position{p.channel, y, x}.within(op.in)];
        if constexpr (P::source(S).average)
          to += g;
        else
          to += select(which == V(static_cast<T_of<Tile>>(k)), g, V(0));
      });
    });
    for_each_position(op.in, [&](Position p) { give_input_gradient<Tile, S>(tile, p, dx[p.within(op.in)]); });
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
