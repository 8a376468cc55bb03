// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/kernels/cuda/plan.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu {

/// Where each block writes the number of the question when its outputs are there, in the host's memory.
struct Answer {
  std::uint64_t* answered = nullptr;  // [blocks]; null: nobody looks
  std::uint64_t question = 0;
};

template <class T, class Data>
struct InferenceArgs {
  StepInput<Data, int> step;
  int batch, rows;  // in all, in a tile
  const T* parameters;
  T* outputs;         // [batch][output]
  std::byte* memory;  // of a wide team
  int tile;           // the one at work, where each phase is a launch
  Answer answer;
};

/// What the kernels of a forward pass share.
template <class Model, class T, class Data, int ExpectedRows>
struct Inference {
  using List = Phases<Model, false, false, ExpectedRows>;
  using Memory = TeamMemory<Model, T, false, ExpectedRows>;

  using Args = InferenceArgs<T, Data>;
  template <class X>
  using Tile = gpu::Tile<X, Model, T, false, false, ExpectedRows>;

  template <class X>
  SINTER_FN static Tile<X> tile(X& x, const Args& a, int t) {
    auto tile = place_tile<Tile<X>>(x, a.memory, a.rows);
    tile.first = t * a.rows;
    const int left = a.batch - tile.first;
    tile.rows = left < a.rows ? left : a.rows;
    tile.parameters = x.global(a.parameters);
    return tile;
  }
  template <class X>
  SINTER_FN static void store_outputs(X& x, const Args& a, const Tile<X>& tile) {
    constexpr int n = Stages<Model>::outputs, output = Tile<X>::Place::template output<Stages<Model>::count - 1>;
    const auto to = x.global(a.outputs) + static_cast<std::ptrdiff_t>(tile.first) * n;
    x.items(tile.rows * n, [&](int item) { to[item] = T(tile.record(item / n)[output + item % n]); });
  }
};

/// The outputs of a batch: a block has a tile of it.
template <class Model, class T, class Data>
struct InferTiles {
  using Pass = Inference<Model, T, Data, Expected::tile>;
  using Args = typename Pass::Args;
  static constexpr bool wide = false;
  static constexpr int threads = 512;
  static constexpr std::size_t least_memory = Pass::Memory::bytes(1);

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto tile = Pass::tile(x, a, x.block());
    stage_weights(x, tile);
    run_phases<typename Pass::List>(x, tile, a.step);
    Pass::store_outputs(x, a, tile);
    if (a.answer.answered == nullptr) return;
    x.barrier();
    x.publish(x.global(a.answer.answered) + x.block(), a.answer.question);
  }
};

/// One phase of a forward pass, by the whole grid.
template <class Model, class T, class Data, int I>
struct InferPhase {
  using Pass = Inference<Model, T, Data, Expected::grid>;
  using Args = typename Pass::Args;
  static constexpr bool wide = true;
  static constexpr int threads = 256;
  static constexpr int count = Pass::List::count + 1;  // the last one stores the outputs

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto tile = Pass::tile(x, a, a.tile);
    if constexpr (I < Pass::List::count)
      run_phase<typename Pass::List, I>(x, tile, a.step);
    else
      Pass::store_outputs(x, a, tile);
  }
};

/// The loss of each row of outputs, and whether its largest output is at the label.
template <class T, class Target, class Loss>
struct JudgeRows {
  static constexpr bool wide = true;
  static constexpr int threads = 256;

  struct Args {
    const T* outputs;       // [rows][n]
    const Target* targets;  // of row 0
    int rows, n;
    Loss loss;
    T* losses;             // [rows]
    std::uint32_t* right;  // [rows]; null where targets are no classes
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto outputs = x.global(a.outputs);
    const auto losses = x.global(a.losses);
    const auto right = x.global(a.right);
    x.items(a.rows, [&](int row) {
      using executor::in;
      const T* y = in(outputs + static_cast<std::ptrdiff_t>(row) * a.n, a.n);
      if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
        const auto label = a.targets[row];
        losses[row] = a.loss.forward(y, a.n, static_cast<T>(label));
        int best = 0;
        for (int i = 1; i < a.n; ++i) best = y[i] > y[best] ? i : best;
        right[row] = static_cast<std::int64_t>(label) == best ? 1u : 0u;
      } else {
        losses[row] = a.loss.forward(y, a.n, static_cast<const T*>(a.targets + std::size_t(row) * std::size_t(a.n)));
      }
    });
  }
};

/// Sums over rows, always in the same order: of the losses in double, and of what was right.
template <class T>
struct SumRows {
  static constexpr bool wide = false;
  static constexpr int threads = 256;
  static constexpr std::size_t memory = threads * (sizeof(double) + sizeof(std::uint32_t));

  struct Args {
    const T* losses;
    const std::uint32_t* right;  // null: none
    int rows;
    double* loss;  // added to
    std::uint32_t* hits;
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto losses = x.global(a.losses);
    const auto right = x.global(a.right);
    const auto sums = x.template memory<double>(0);
    const auto counts = x.template memory<std::uint32_t>(threads * sizeof(double));
    x.items(threads, [&](int t) {
      double sum = 0;
      std::uint32_t count = 0;
      for (int row = t; row < a.rows; row += threads) {
        sum += static_cast<double>(T(losses[row]));
        if (a.right != nullptr) count += std::uint32_t(right[row]);
      }
      sums[t] = sum;
      counts[t] = count;
    });
    x.barrier();
    x.items(1, [&](int) {
      double sum = x.global(a.loss)[0];
      std::uint32_t count = x.global(a.hits)[0];
      for (int t = 0; t < threads; ++t) {
        sum += double(sums[t]);
        count += std::uint32_t(counts[t]);
      }
      x.global(a.loss)[0] = sum;
      x.global(a.hits)[0] = count;
    });
  }
};

}  // namespace gpu

SINTER_NAMESPACE_END
