// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/data/batch.hpp"
#include "sinter/kernels/host/single/single.hpp"
#include "sinter/kernels/host/step/load.hpp"
#include "sinter/kernels/host/step/tile_group.hpp"

SINTER_NAMESPACE_BEGIN

/// Forward passes of a model on the host, on the calling thread and in memory of the caller. Everything except the
/// number of rows is known at compile time. Needs neither threads nor a heap.
template <class Model, class T, class Isa>
struct HostInference {
  using Ops = Program<Model>;
  using Batch = host_kernels::BatchMemory<Model>;
  // Where nothing is a value of the batch, the plans are the same.
  using Plan = std::conditional_t<Batch::used, TilePlan<Model, T, Isa, false, false>, TilePlan<Model, T, Isa>>;
  using Tile = host_kernels::Tile<Plan, false>;
  using Packed = typename Tile::Packed;
  using Single = host_kernels::SinglePlan<Plan>;
  static constexpr int lanes = Plan::lanes;
  static constexpr std::size_t outputs = static_cast<std::size_t>(Ops::output.size());
  /// Up to this many rows at the end of a batch are computed one by one: a tile costs as much as five or six of them.
  static constexpr std::size_t single_rows = std::max(1, lanes / 2);

  /// Where the parts of the memory for batches of up to `most_rows` rows begin, in elements, each on a cache line.
  struct Memory {
    int tiles;  // that run the stages together; 0 if all rows are computed one by one
    std::size_t batch, packed, single, size;

    constexpr explicit Memory(std::size_t most_rows, bool one_by_one = true)
        : tiles(one_by_one && most_rows <= single_rows ? 0 : host_kernels::tiles_of_workspace<Tile>(most_rows)),
          batch(whole_lines(static_cast<std::size_t>(tiles) * host_kernels::memory_stride<Tile>)),
          packed(batch + (Batch::used ? whole_lines(Batch::size) : 0)),
          single(packed + (tiles > 0 ? whole_lines(Packed::size) : 0)),
          size(single + whole_lines(Single::size)) {}
  };

  /// y [batch][output] of a batch, in `memory`, which was all zeros before its first use. The last rows of a batch that
  /// would leave half of a tile empty are computed one by one.
  template <class View>
  static void forward(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch, const Memory& parts,
                      T* memory, T* y) {
    const std::size_t rest = parts.tiles == 0 ? batch : batch % lanes;
    const std::size_t tiled = rest <= single_rows ? batch - rest : batch;
    forward_rows(parameters, inputs, tiled, batch, parts, memory, y);
    if (tiled > 0) forward_tiles(parameters, inputs, tiled, parts, memory, y);
  }
  /// The rows from `first` on, one by one. Weights in fewer bits are read in place: see Single.
  template <class Weights, class View>
  static void forward_rows(const Weights& weights, const BatchInputs<View>& inputs, std::size_t first,
                           std::size_t batch, const Memory& parts, T* memory, T* y) {
    if (Batch::used && first < batch) Batch::set_all(memory + parts.batch, weights);
    const host_kernels::Single<Plan, Weights> rows{memory + parts.single, weights, memory + parts.batch};
    for (std::size_t row = first; row < batch; ++row) {
      const T* const from = host_kernels::forward_single(rows, inputs, row);  // std::copy_n: g++ 12 warns falsely
      for (std::size_t i = 0; i < outputs; ++i) y[row * outputs + i] = from[i];
    }
  }
  /// The same by tiles only: for many rows, in programs that do not need low latency. States are those of one tile.
  template <class View>
  static void forward_tiles(const T* parameters, const BatchInputs<View>& inputs, std::size_t batch,
                            const Memory& parts, T* memory, T* y, const T* states_before = nullptr,
                            T* states_after = nullptr) {
    Tile tile{memory, parameters, nullptr};
    tile.states_before = states_before;
    tile.states_after = states_after;
    if constexpr (Batch::used) {
      Batch::set_all(memory + parts.batch, parameters);
      tile.batch = memory + parts.batch;
    }
    for (int i = 0; i < Packed::count(false); ++i) Packed::pack(i, parameters, memory + parts.packed);
    tile.packed = memory + parts.packed;
    const std::size_t together = static_cast<std::size_t>(parts.tiles) * lanes;
    for (std::size_t first = 0; first < batch; first += together) {
      const std::size_t rows = std::min(together, batch - first);
      const host_kernels::TileGroup<Tile> group{tile, host_kernels::memory_stride<Tile>,
                                                static_cast<int>((rows + lanes - 1) / lanes)};
      for (int t = 0; t < group.count; ++t)
        host_kernels::load_tile(group[t], inputs, first + static_cast<std::size_t>(t) * lanes, batch);
      host_kernels::tile_group_forward<host_kernels::TileGroup<Tile>, 0, Plan::stage_count>(group);
      T* to = y + first * outputs;
      for (int t = 0; t < group.count; ++t) {
        const T* const packs = group[t].at(Tile::value(Ops::output_value).begin());
        const std::size_t count = std::min<std::size_t>(lanes, rows - static_cast<std::size_t>(t) * lanes);
        host_kernels::packs_to_rows_of<Isa, typename Plan::V, static_cast<int>(outputs)>(packs, count, to);
        to += count * outputs;
      }
    }
  }

 private:
  static constexpr std::size_t whole_lines(std::size_t numbers) {
    constexpr std::size_t line = 64 / sizeof(T);
    return (numbers + line - 1) / line * line;
  }
};

SINTER_NAMESPACE_END
