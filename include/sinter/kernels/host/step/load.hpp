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
/// The rows `first` to `first` + lanes of a choice, those from `batch` on the last one again, to packs that follow one
/// another: [n][lanes]. Rows of the data are `stride` numbers apart.
template <class Isa, class V, class U, class T>
SINTER_SHARED void load_chosen(const U* data, std::ptrdiff_t stride, RowChoice choice, std::size_t first,
                               std::size_t batch, int n, Normalize normalize, T* to) {
  const U* rows[V::lanes];
  for (std::size_t lane = 0; lane < V::lanes; ++lane)
    rows[lane] = data + static_cast<std::ptrdiff_t>(choice[std::min(first + lane, batch - 1)]) * stride;
  each_pack_of_rows<V>(rows, n, normalize, [&](int i, V value) SINTER_LAMBDA { value.store(to + i * V::lanes); });
}
template <class Isa, class V, class T>
SINTER_SHARED void rows_to_packs(const T* rows, int stride, int n, T* to) {
  each_pack_of_rows<V>(rows, stride, n, [&](int i, V value) SINTER_LAMBDA { value.store(to + i * V::lanes); });
}

/// Samples of any shape, with the strides of a view of them.
template <class U>
struct StridedSamples {
  const U* data;
  Dims dims;
  std::ptrdiff_t row, channel, height, width;
  bool contiguous;

  template <class S>
  explicit StridedSamples(const TensorView<const U, S>& view)
      : data(view.data),
        dims(S::dims),
        row(view.row_stride),
        channel(view.channel_stride),
        height(view.height_stride),
        width(view.width_stride),
        contiguous(view.contiguous()) {}
};
template <class U, class S>
StridedSamples(const TensorView<const U, S>&) -> StridedSamples<U>;

/// One sample, normalised, as numbers of `to`.
template <class Isa, class V, class U, class T>
SINTER_SHARED void load_sample(const StridedSamples<U>& from, Normalize normalize, std::size_t row, T* to) {
  const U* const source = from.data + static_cast<std::ptrdiff_t>(row) * from.row;
  const Dims dims = from.dims;
  if (from.contiguous) {
    load_contiguous<Isa, V>(source, dims.size(), normalize, to);
  } else {
    const T scale = static_cast<T>(normalize.scale), shift = static_cast<T>(normalize.shift);
    int i = 0;
    for (int c = 0; c < dims.channels; ++c)
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; ++x)
          to[i++] = fma(static_cast<T>(source[c * from.channel + y * from.height + x * from.width]), scale, shift);
  }
}
/// One sample, normalised, as a row of `to`; numbers after the last feature, up to a whole pack, are 0.
template <class Isa, class V, class View, class T>
SINTER_SHARED void load_row(const BatchInputs<View>& from, std::size_t row, T* to) {
  if constexpr (detail::is_joined<View>)
    from.view.each([&](const auto& part, int first) SINTER_LAMBDA {
      load_sample<Isa, V>(StridedSamples(part.view), part.normalize, row, to + first);
    });
  else if (from.view.contiguous())
    load_contiguous<Isa, V>(from.view.row(row), View::Shape::size, from.normalize, to);
  else
    load_sample<Isa, V>(StridedSamples(from.view), from.normalize, row, to);
  for (int i = View::Shape::size; i % V::lanes != 0; ++i) to[i] = T(0);
}
/// The samples [first, first + lanes) of a choice, those from `batch` on the last one again: as rows, `stride` numbers
/// apart, and as packs.
template <class Isa, class V, class U, class T>
SINTER_SHARED void load_samples(const StridedSamples<U>& from, RowChoice choice, std::size_t first, std::size_t batch,
                                Normalize normalize, T* rows, int stride, T* packs) {
  const int n = from.dims.size();
  for (std::size_t lane = 0; lane < V::lanes; ++lane) {
    T* const to = rows + static_cast<std::ptrdiff_t>(lane) * stride;
    load_sample<Isa, V>(from, normalize, choice[std::min(first + lane, batch - 1)], to);
    for (int i = n; i % V::lanes != 0; ++i) to[i] = T(0);
  }
  rows_to_packs<Isa, V>(rows, stride, n, packs);
}

/// Packs of samples, n of them, as rows of n numbers: the first `count` lanes.
template <class V, class T>
SINTER_INLINE void packs_to_rows(const T* packs, int n, std::size_t count, T* rows) {
  for (std::size_t row = 0; row < count; ++row)
    for (int i = 0; i < n; ++i, ++rows) *rows = packs[static_cast<std::size_t>(i) * V::lanes + row];
}
template <class Isa, class V, class T>
SINTER_SHARED void shared_packs_to_rows(const T* packs, int n, std::size_t count, T* rows) {
  packs_to_rows<V>(packs, n, count, rows);
}
template <class Isa, class V, int N, class T>
SINTER_INLINE void packs_to_rows_of(const T* packs, std::size_t count, T* rows) {
  if constexpr (N < least_shared_row)
    packs_to_rows<V>(packs, N, count, rows);
  else
    shared_packs_to_rows<Isa, V>(packs, N, count, rows);
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
      if constexpr (In::bordered) {
        decltype(from.view.row(0)) rows[L];
        for (int lane = 0; lane < L; ++lane) rows[lane] = from.view.row(row(lane));
        each_pack_of_rows<V>(rows, n, from.normalize, put);
      } else {
        load_chosen<typename P::ISA, V>(from.view.row(0), from.view.row_stride, from.choice, first, batch, n,
                                        from.normalize, packs);
      }
      return;
    }
  T* const rows = tile.input_rows();
  if constexpr (!detail::is_joined<View> && !In::bordered)
    return load_samples<typename P::ISA, V>(StridedSamples(from.view), from.choice, first, batch, from.normalize, rows,
                                            stride, packs);
  for (int lane = 0; lane < L; ++lane) load_row<typename P::ISA, V>(from, row(lane), rows + lane * stride);
  if constexpr (In::bordered)
    each_pack_of_rows<V>(rows, stride, n, put);
  else
    rows_to_packs<typename P::ISA, V>(rows, stride, n, packs);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
