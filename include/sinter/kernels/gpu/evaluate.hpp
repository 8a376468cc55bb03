// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "sinter/core/predicted_class.hpp"
#include "sinter/kernels/gpu/plan.hpp"
#include "sinter/kernels/steps.hpp"
#include "sinter/loss/target.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Whether a loss defines which rows or positions are right: those whose largest output is at the label.
template <class Loss, class T>
inline constexpr bool tells_right =
    std::is_same_v<typename Loss::Target, ClassTarget> || detail::LabelsPositions<Loss> ||
    requires(const Loss& loss, const T* y) { loss.is_right(y, y); };

/// The loss of a row of n outputs, and 1 where its largest output is at the label, or the number of positions where
/// that is so; 0 where targets are not classes.
template <class T>
struct EvaluatedRow {
  T loss;
  std::uint32_t right;
};
template <class T, class Target, class Loss>
SINTER_FN EvaluatedRow<T> evaluate_row(const Loss& loss, const T* y, int n, const Target* targets, std::size_t row) {
  if constexpr (std::is_same_v<typename Loss::Target, ClassTarget>) {
    const auto label = targets[row];
    const int best = predicted_class(y, n);
    return {loss.forward(y, n, static_cast<T>(label)), static_cast<std::int64_t>(label) == best ? 1u : 0u};
  } else {
    const T* target = targets + row * static_cast<std::size_t>(target_size<Loss>(n));
    if constexpr (detail::LabelsPositions<Loss>)
      return {loss.forward(y, n, target), static_cast<std::uint32_t>(loss.count_right(y, target))};
    else if constexpr (tells_right<Loss, T>)
      return {loss.forward(y, n, target), loss.is_right(y, target) ? 1u : 0u};
    else
      return {loss.forward(y, n, target), 0u};
  }
}

/// Computes the losses of rows of outputs, and which of them are right.
template <class T, class Target, class Loss>
struct EvaluateRows {
  static constexpr bool whole_grid = true;
  static constexpr int threads = 256;

  struct Args {
    const T* outputs;       // [rows][n]
    const Target* targets;  // of row 0
    int rows, n;
    Loss loss;
    T* losses;             // [rows]
    std::uint32_t* right;  // [rows]; null where targets are not classes
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    const auto outputs = x.global(a.outputs);
    const auto losses = x.global(a.losses);
    const auto right = x.global(a.right);
    x.items(a.rows, [&](int row) {
      using executor::in;
      const T* y = in(outputs + static_cast<std::ptrdiff_t>(row) * a.n, a.n);
      const auto evaluated = evaluate_row(a.loss, y, a.n, a.targets, static_cast<std::size_t>(row));
      losses[row] = evaluated.loss;
      if (a.right != nullptr) right[row] = evaluated.right;
    });
  }
};

/// Adds up `N` losses and counts, a power of two, in the memory of a block, by a balanced tree: in log2(N) steps, to
/// the first of them.
template <int N, class X, class Losses, class Counts>
SINTER_FN void sum_in_block(X& x, const Losses& losses, const Counts& counts) {
  static_assert((N & (N - 1)) == 0);
  for (int half = N / 2; half > 0; half /= 2) {
    x.items(half, [&](int i) {
      losses[i] = double(losses[i]) + double(losses[i + half]);
      counts[i] = std::uint32_t(counts[i]) + std::uint32_t(counts[i + half]);
    });
    x.barrier();
  }
}

/// Sums over rows, always in the same order: of the losses in double, and of what is right.
template <class T>
struct SumRows {
  static constexpr bool whole_grid = false;
  static constexpr int threads = 256;
  static constexpr std::size_t memory = threads * (sizeof(double) + sizeof(std::uint32_t));

  struct Args {
    const T* losses;
    const std::uint32_t* right;  // null: none
    int rows;
    double* loss;  // added to
    std::uint64_t* hits;
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
    sum_in_block<threads>(x, sums, counts);
    x.items(1, [&](int) {
      x.global(a.loss)[0] = double(x.global(a.loss)[0]) + double(sums[0]);
      x.global(a.hits)[0] = std::uint64_t(x.global(a.hits)[0]) + std::uint32_t(counts[0]);
    });
  }
};

/// The evaluation of a dataset: the sum of its rows' losses, and how many rows or positions have their largest output
/// at the label.
struct EvaluationSums {
  double loss = 0;
  std::uint64_t right = 0;
};

/// The memory of a block that evaluates a network: the loss of each row of a tile and whether it is right, then the
/// tile.
template <class Model, class T>
struct EvaluationMemory {
  using Team = TeamMemory<Model, T, false, Expected::resident>;
  SINTER_HOST_DEVICE static constexpr std::size_t hits_at(int tile) {
    return static_cast<std::size_t>(tile) * sizeof(double);
  }
  SINTER_HOST_DEVICE static constexpr std::size_t team_at(int tile) {
    return round_up(hits_at(tile) + static_cast<std::size_t>(tile) * sizeof(std::uint32_t));
  }
  /// Rows of a tile: as many as fit on every device where one row fits, so that the order of the sums does not depend
  /// on the device.
  static constexpr int rows = [] {
    const auto bytes_of = [](int tile) { return team_at(tile) + Team::bytes(tile); };
    int fit = 1;
    while (fit < Expected::resident && bytes_of(2 * fit) <= smallest_block(bytes_of(1))) fit *= 2;
    return fit;
  }();
  static constexpr std::size_t bytes = team_at(rows) + Team::bytes(rows);
};

/// Evaluates many networks in one launch: a block has one of them, and processes its rows tile by tile.
template <class Model, class T, class Data, class Loss>
struct EvaluateNetworks {
  using List = Phases<Model, false, false, Expected::resident>;
  using Memory = EvaluationMemory<Model, T>;
  static constexpr bool whole_grid = false;
  static constexpr int threads = 512, rows = Memory::rows;
  static constexpr std::size_t least_memory = Memory::bytes;

  struct Args {
    StepInput<Data, Loss> step;
    const EvaluatedRows<T>* networks;  // [blocks]
    EvaluationSums* evaluations;       // [blocks]
  };

  template <class X>
  SINTER_FN static void run(X& x, const Args& a) {
    constexpr int n = Stages<Model>::outputs;
    const int block = x.block();
    const EvaluatedRows<T> own = a.networks[block];
    const auto sums = x.template memory<double>(0);
    const auto hits = x.template memory<std::uint32_t>(Memory::hits_at(rows));
    x.items(rows, [&](int row) {
      sums[row] = 0.0;
      hits[row] = 0u;
    });
    const int count = static_cast<int>(own.rows.count);
    for (int begin = 0; begin < count; begin += rows) {
      auto tile =
          place_tile<Tile<X, Model, T, false, false, Expected::resident>>(x, nullptr, rows, Memory::team_at(rows));
      tile.first = static_cast<int>(own.rows.first) + begin;
      tile.rows = count - begin < rows ? count - begin : rows;
      tile.parameters = x.global(own.parameters);
      discard_tile(x, tile, rows);
      run_phases<List>(x, tile, a.step);
      constexpr int output = decltype(tile)::Record::template value<Program<Model>::output_value>;
      x.items(tile.rows, [&](int row) {
        using executor::in;
        const T* y = in(tile.record(row) + output, n);
        const std::uint32_t sample = tile.chosen[row];
        const auto evaluated = evaluate_row(a.step.loss, y, n, a.step.data.targets, sample);
        sums[row] = double(sums[row]) + static_cast<double>(evaluated.loss);
        hits[row] = std::uint32_t(hits[row]) + evaluated.right;
      });
      x.barrier();
    }
    x.barrier();
    sum_in_block<rows>(x, sums, hits);
    x.once([&] {
      x.global(&a.evaluations[block].loss)[0] = double(sums[0]);
      x.global(&a.evaluations[block].right)[0] = std::uint64_t(std::uint32_t(hits[0]));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
