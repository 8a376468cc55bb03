// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/random.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/kernels/gpu/batch.hpp"
#include "sinter/kernels/gpu/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Stores each row's number in the dataset, which every later phase reads.
template <class X, class Tile>
SINTER_FN void choose_rows(X& x, const Tile& tile, std::uint32_t first, const Epoch* epoch) {
  x.items(tile.rows, [&](int row) {
    const std::uint32_t place = first + static_cast<std::uint32_t>(tile.first + row);
    std::size_t chosen = place;
    if (epoch != nullptr) {
      const Epoch& own = *executor::in_global(epoch);
      chosen = own.rows != nullptr ? std::uint32_t(x.global(own.rows)[place]) : own.held_out.skip(place);
    }
    tile.chosen[row] = static_cast<std::uint32_t>(chosen);
  });
}

/// The masks of op Index for 8 elements of a sample.
template <int Index, class Tile>
SINTER_FN void draw_masks(const Tile& tile, int row, int eight, std::uint32_t sample, MaskKey key) {
  using T = typename Tile::T;
  using O = OpConstants<typename Tile::Model, Index>;
  constexpr int decisions = O::decisions, at = Tile::Record::template mask<Index>;
  T masks[8];
  keep_eight<T>(key.seed, sample, key.step, O::stream, eight, O::op.probability, masks);
  for (int i = 0; i < 8; ++i)
    if (eight * 8 + i < decisions) tile.record(row)[at + eight * 8 + i] = masks[i];
}

/// The inputs of the rows, normalised, N neighbours at a time.
template <int N, class X, class Tile, class Data>
SINTER_FN void load_inputs(X& x, const Tile& tile, const Data& data) {
  using T = typename Tile::T;
  constexpr int inputs = Stages<typename Tile::Model>::inputs;
  x.items(tile.rows * (inputs / N), [&](int item) {
    const int row = item / (inputs / N), i = item % (inputs / N) * N;
    const std::uint32_t sample = tile.chosen[row];
    std::remove_cvref_t<decltype(*data.inputs)> element[N];
    executor::read_together(x.global(data.inputs + std::size_t{sample} * inputs) + i, element);
    T value[N];
    SINTER_UNROLL
    for (int k = 0; k < N; ++k) value[k] = fma(static_cast<T>(element[k]), data.scale, data.shift);
    executor::write_together(tile.record(row) + i, value);
  });
}

/// The inputs of the rows, and in training the masks of all layers.
template <class X, class Tile, class Data>
SINTER_FN void load_rows(X& x, const Tile& tile, const Data& data, const std::uint32_t* samples, const Epoch* epoch) {
  using S = Stages<typename Tile::Model>;
  if constexpr (S::inputs % 4 == 0 && Tile::expected_rows <= Expected::some) {
    // A user's own dataset may be at any address.
    if (reinterpret_cast<std::uintptr_t>(data.inputs) % (4 * sizeof(*data.inputs)) == 0)
      load_inputs<4>(x, tile, data);
    else
      load_inputs<1>(x, tile, data);
  } else {
    load_inputs<1>(x, tile, data);
  }
  if constexpr (Tile::training)
    unroll<S::op_count>([&](auto i) SINTER_LAMBDA {
      constexpr int Index = decltype(i)::value;
      using O = OpConstants<typename Tile::Model, Index>;
      if constexpr (O::op.kind == OpKind::mask) {
        constexpr int eights = O::eights;
        x.items(tile.rows * eights, [&](int item) {
          const int row = item / eights;
          const std::uint32_t sample =
              samples != nullptr ? std::uint32_t(x.global(samples)[tile.first + row]) : std::uint32_t(tile.chosen[row]);
          draw_masks<Index>(tile, row, item % eights, sample, executor::in_global(epoch)->key);
        });
      }
    });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
