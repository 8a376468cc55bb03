// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "sinter/core/bytes.hpp"
#include "sinter/core/transpose.hpp"
#include "sinter/data/batch.hpp"
#include "sinter/kernels/host/step/watch.hpp"
#include "sinter/kernels/host/tile/border.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

template <class V, class U>
SINTER_INLINE V load_as(const U* from) {
  using T = scalar_of<V>;
  if constexpr (std::is_same_v<U, T>)
    return V::load(from);
  else if constexpr (std::is_same_v<U, std::uint8_t>)
    return load_bytes<V>(from);
  else if constexpr (std::is_integral_v<U>)
    return load_integers<V>(from);
  else
    return convert<V>(Pack<U, V::lanes>::load(from));
}

/// One sample, normalised, as numbers of `to`: how many.
template <class V, class View, class T>
SINTER_INLINE int load_numbers(const View& view, Normalize normalize, std::size_t row, T* to) {
  using S = typename View::Shape;
  constexpr int n = S::size, L = V::lanes;
  const V scale(static_cast<T>(normalize.scale)), shift(static_cast<T>(normalize.shift));
  const auto* source = view.row(row);
  int i = 0;
  if (view.contiguous()) {
    for (; i + L <= n; i += L) fma(load_as<V>(source + i), scale, shift).store(to + i);
    for (; i < n; ++i) to[i] = fma(static_cast<T>(source[i]), scale[0], shift[0]);
  } else {
    for (int c = 0; c < S::dims.channels; ++c)
      for (int y = 0; y < S::dims.height; ++y)
        for (int x = 0; x < S::dims.width; ++x)
          to[i++] =
              fma(static_cast<T>(source[c * view.channel_stride + y * view.height_stride + x * view.width_stride]),
                  scale[0], shift[0]);
  }
  return i;
}
/// One sample, normalised, as a row of `to`; numbers after the last feature, up to a whole pack, are 0.
template <class Isa, class V, class View, class T>
SINTER_SHARED void load_row(const BatchInputs<View>& from, std::size_t row, T* to) {
  int i = 0;
  if constexpr (detail::is_joined<View>)
    from.view.each([&](const auto& part, int first)
                       SINTER_LAMBDA { i = first + load_numbers<V>(part.view, part.normalize, row, to + first); });
  else
    i = load_numbers<V>(from.view, from.normalize, row, to);
  for (; i % V::lanes != 0; ++i) to[i] = T(0);
}

/// Constants of load_tile, out of reach of g++ 12's crash over local ones in lambdas.
template <class Tile>
struct InputPlace {
  static constexpr Place place = Tile::value(0);
  static constexpr Dims dims = place.dims;
  static constexpr bool bordered = place.bordered();
  static constexpr int lanes = Tile::Plan::lanes, size = Tile::Plan::Ops::input.size();
};

/// Samples [first, first + lanes) of a batch into the input of a tile, and as rows where gradients are taken from them.
/// After the last sample of the batch the last one is loaded again: its results are not used.
template <class Tile, class View>
void load_tile(const Tile& tile, const BatchInputs<View>& from, std::size_t first, std::size_t batch) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  using In = InputPlace<Tile>;
  using T = T_of<Tile>;
  constexpr int L = In::lanes, n = In::size;
  constexpr int stride = Tile::memory_plan.row_stride;
  [[maybe_unused]] const Watch<typename P::ISA> watch(Part::load);
  begin_value<Tile, 0>(tile);
  const auto put = [&](int feature, V value) SINTER_LAMBDA {
    if constexpr (In::bordered) {
      constexpr Dims d = In::dims;
      tile.store(In::place.at(feature / d.pixels(), feature % d.pixels() / d.width, feature % d.width), value);
    } else {
      tile.store(In::place.begin() + feature, value);
    }
  };
  const auto put_all = [&](int f, auto load) SINTER_LAMBDA {
    transposed_copy<V>([&](int lane) SINTER_LAMBDA { return load(lane, f); },
                       [&](int i, V value) SINTER_LAMBDA {
                         if (In::size % In::lanes == 0 || f + i < In::size) put(f + i, value);
                       });
  };
  const auto row = [&](int lane) { return from.choice[std::min(first + static_cast<std::size_t>(lane), batch - 1)]; };
  const auto by_rows = [&] {
    T* const rows = tile.input_rows();
    for (int lane = 0; lane < L; ++lane) load_row<typename P::ISA, V>(from, row(lane), rows + lane * stride);
    for (int f = 0; f < n; f += L)
      put_all(f, [&](int lane, int at) SINTER_LAMBDA { return V::load(rows + lane * stride + at); });
  };
  if constexpr (detail::is_joined<View> || (Tile::training && !P::layered)) {
    by_rows();
  } else {
    if (!from.view.contiguous()) return by_rows();
    decltype(from.view.row(0)) source[L];
    for (int lane = 0; lane < L; ++lane) source[lane] = from.view.row(row(lane));
    const V scale(static_cast<T>(from.normalize.scale)), shift(static_cast<T>(from.normalize.shift));
    if constexpr (n >= L)  // the last block reaches back rather than beyond the row
      for (int f = 0; f < n; f += L)
        put_all(std::min(f, n - L),
                [&](int lane, int at) SINTER_LAMBDA { return fma(load_as<V>(source[lane] + at), scale, shift); });
    else
      for (int f = 0; f < n; ++f) {
        V value(0);
        unroll<L>([&](int lane) SINTER_LAMBDA { value.set(lane, static_cast<T>(source[lane][f])); });
        put(f, fma(value, scale, shift));
      }
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
