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

/// Numbers x as scale x + shift.
template <class Isa, class V, class U, class T>
SINTER_SHARED void load_contiguous(const U* from, int n, Normalize normalize, T* to) {
  constexpr int L = V::lanes;
  const V scale(static_cast<T>(normalize.scale)), shift(static_cast<T>(normalize.shift));
  int i = 0;
  for (; i + L <= n; i += L) fma(load_as<V>(from + i), scale, shift).store(to + i);
  for (; i < n; ++i) to[i] = fma(static_cast<T>(from[i]), scale[0], shift[0]);
}
/// give(i, pack i) for rows of n numbers, one in each lane, each x as scale x + shift.
template <class V, class U, class Give>
SINTER_INLINE void each_pack_of_rows(const U* const* rows, int n, Normalize normalize, Give&& give) {
  using T = scalar_of<V>;
  constexpr int L = V::lanes;
  const V scale(static_cast<T>(normalize.scale)), shift(static_cast<T>(normalize.shift));
  const U* from[L];  // a copy, which no store changes
  for (int lane = 0; lane < L; ++lane) from[lane] = rows[lane];
  for (int f = 0; f < n && n >= L; f += L) {  // the last block reaches back rather than beyond the row
    const int first = std::min(f, n - L);
    transposed_copy<V>([&](int lane) SINTER_LAMBDA { return fma(load_as<V>(from[lane] + first), scale, shift); },
                       [&](int i, V value) SINTER_LAMBDA { give(first + i, value); });
  }
  for (int f = 0; f < n && n < L; ++f) {
    V value(0);
    unroll<L>([&](int lane) SINTER_LAMBDA { value.set(lane, static_cast<T>(from[lane][f])); });
    give(f, fma(value, scale, shift));
  }
}
/// The same of rows that are `stride` apart and have room for whole packs, as they are.
template <class V, class T, class Give>
SINTER_INLINE void each_pack_of_rows(const T* rows, int stride, int n, Give&& give) {
  for (int f = 0; f < n; f += V::lanes)
    transposed_copy<V>([&](int lane) SINTER_LAMBDA { return V::load(rows + lane * stride + f); },
                       [&](int i, V value) SINTER_LAMBDA {
                         if (f + i < n) give(f + i, value);
                       });
}
/// To packs that follow one another: [n][lanes].
template <class Isa, class V, class U, class T>
SINTER_SHARED void load_packs(const U* const* rows, int n, Normalize normalize, T* to) {
  each_pack_of_rows<V>(rows, n, normalize, [&](int i, V value) SINTER_LAMBDA { value.store(to + i * V::lanes); });
}
template <class Isa, class V, class T>
SINTER_SHARED void rows_to_packs(const T* rows, int stride, int n, T* to) {
  each_pack_of_rows<V>(rows, stride, n, [&](int i, V value) SINTER_LAMBDA { value.store(to + i * V::lanes); });
}

/// One sample, normalised, as numbers of `to`: how many.
template <class Isa, class V, class View, class T>
SINTER_INLINE int load_numbers(const View& view, Normalize normalize, std::size_t row, T* to) {
  using S = typename View::Shape;
  const auto* source = view.row(row);
  if (view.contiguous()) {
    load_contiguous<Isa, V>(source, S::size, normalize, to);
  } else {
    const T scale = static_cast<T>(normalize.scale), shift = static_cast<T>(normalize.shift);
    int i = 0;
    for (int c = 0; c < S::dims.channels; ++c)
      for (int y = 0; y < S::dims.height; ++y)
        for (int x = 0; x < S::dims.width; ++x)
          to[i++] =
              fma(static_cast<T>(source[c * view.channel_stride + y * view.height_stride + x * view.width_stride]),
                  scale, shift);
  }
  return S::size;
}
/// One sample, normalised, as a row of `to`; numbers after the last feature, up to a whole pack, are 0.
template <class Isa, class V, class View, class T>
SINTER_SHARED void load_row(const BatchInputs<View>& from, std::size_t row, T* to) {
  int i = 0;
  if constexpr (detail::is_joined<View>)
    from.view.each([&](const auto& part, int first)
                       SINTER_LAMBDA { i = first + load_numbers<Isa, V>(part.view, part.normalize, row, to + first); });
  else
    i = load_numbers<Isa, V>(from.view, from.normalize, row, to);
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
  const auto row = [&](int lane) { return from.choice[std::min(first + static_cast<std::size_t>(lane), batch - 1)]; };
  [[maybe_unused]] const auto put = [&](int feature, V value) SINTER_LAMBDA {
    constexpr Dims d = In::dims;
    tile.store(In::place.at(feature / d.pixels(), feature % d.pixels() / d.width, feature % d.width), value);
  };
  T* const packs = tile.at(In::place.begin());
  if constexpr (!detail::is_joined<View> && (!Tile::training || P::layered))
    if (from.view.contiguous()) {
      decltype(from.view.row(0)) rows[L];
      for (int lane = 0; lane < L; ++lane) rows[lane] = from.view.row(row(lane));
      if constexpr (In::bordered)
        each_pack_of_rows<V>(rows, n, from.normalize, put);
      else
        load_packs<typename P::ISA, V>(rows, n, from.normalize, packs);
      return;
    }
  T* const rows = tile.input_rows();
  for (int lane = 0; lane < L; ++lane) load_row<typename P::ISA, V>(from, row(lane), rows + lane * stride);
  if constexpr (In::bordered)
    each_pack_of_rows<V>(rows, stride, n, put);
  else
    rows_to_packs<typename P::ISA, V>(rows, stride, n, packs);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
