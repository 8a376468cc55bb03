// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "sinter/kernels/gpu/carried.hpp"
#include "sinter/kernels/gpu/plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where each block writes the number of the request when its outputs are complete, in host memory.
struct Completion {
  std::uint64_t* flags = nullptr;  // [blocks]; null: not requested
  std::uint64_t request = 0;
};

template <class T, class Data>
struct InferenceArgs {
  StepInput<Data, int> step;
  int batch, rows;  // in all, in a tile
  const T* parameters;
  T* outputs;         // [batch][output]
  std::byte* memory;  // of the grid
  int tile;           // the current one, if each phase is a launch
  Completion completion;
  Carried<T> carried;
  bool as_stored;  // outputs are in the order of the dataset, from `first_row` on; else in that of the batch
  std::uint32_t first_row;
};

/// Common to the kernels of a forward pass.
template <class Model, class T, class Data, int ExpectedRows, CudaProducts Products = CudaProducts::float32>
struct Inference {
  using List = Phases<Model, false, false, ExpectedRows, Products>;
  using Memory = TeamMemory<Model, T, false, ExpectedRows>;

  using Args = InferenceArgs<T, Data>;
  template <class X>
  using Tile = gpu_kernels::Tile<X, Model, T, false, false, ExpectedRows, Products>;

  template <class X>
  SINTER_FN static Tile<X> tile(X& x, const Args& a, int t) {
    auto tile = place_tile<Tile<X>>(x, a.memory, a.rows);
    tile.first = t * a.rows;
    const int left = a.batch - tile.first;
    tile.rows = left < a.rows ? left : a.rows;
    tile.parameters = x.global(a.parameters);
    a.carried.give(x, tile, tile.first);
    return tile;
  }
  template <class X>
  SINTER_FN static void store_outputs(X& x, const Args& a, const Tile<X>& tile) {
    constexpr int n = Stages<Model>::outputs, output = Tile<X>::Record::template value<Program<Model>::output_value>;
    x.items(tile.rows * n, [&](int item) {
      const int row = item / n, of_batch = tile.first + row;
      const auto place = a.as_stored ? static_cast<int>(std::uint32_t(tile.chosen[row]) - a.first_row) : of_batch;
      x.global(a.outputs)[static_cast<std::ptrdiff_t>(place) * n + item % n] = T(tile.record(row)[output + item % n]);
    });
  }
};

/// The outputs of a batch: a block has a tile of it.
template <class Model, class T, class Data>
struct InferTiles {
  using Pass = Inference<Model, T, Data, Expected::tile>;
  using Args = typename Pass::Args;
  static constexpr bool whole_grid = false;
  static constexpr int threads = 512;
  static constexpr std::size_t least_memory = Pass::Memory::bytes(1);

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto tile = Pass::tile(x, a, x.block());
    stage_weights(x, tile);
    run_phases<typename Pass::List>(x, tile, a.step);
    Pass::store_outputs(x, a, tile);
    if (a.completion.flags == nullptr) return;
    x.barrier();
    x.publish(x.global(a.completion.flags) + x.block(), a.completion.request);
  }
};

/// One phase of a forward pass, by the whole grid.
template <class Model, class T, class Data, int Index, CudaProducts Products = CudaProducts::float32>
struct InferPhase {
  using Pass = Inference<Model, T, Data, Expected::grid, Products>;
  using Args = typename Pass::Args;
  static constexpr bool whole_grid = true;
  static constexpr int threads = Pass::List::template threads<Index, T>;
  static constexpr int count = Pass::List::count + 1;  // the last one stores the outputs
  static constexpr std::size_t shared_bytes = Pass::List::template shared_bytes<Index, T>;
  static constexpr int blocks(int rows, int most) {
    if constexpr (Index == Pass::List::count)
      return most;
    else
      return Pass::List::template blocks<Index, T>(rows, most);
  }

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto tile = Pass::tile(x, a, a.tile);
    if constexpr (Index < Pass::List::count)
      run_phase<typename Pass::List, Index>(x, tile, a.step);
    else
      Pass::store_outputs(x, a, tile);
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
