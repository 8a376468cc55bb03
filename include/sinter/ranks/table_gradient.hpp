// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/core/aligned.hpp"
#include "sinter/core/pack.hpp"
#include "sinter/core/sum_tree.hpp"
#include "sinter/device/thread_pool.hpp"
#include "sinter/kernels/host/step/batch_parts.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// Some columns of the table of an Embedding.   table [count][size]
/// x [rows][positions]  dy [rows][positions][size], or [rows][size][positions] if transposed
struct TableColumns {
  int positions, count, size;
  bool transposed;
};

/// The gradient of such columns, in the order in which the undivided network, by its Plan, adds up the rows of a batch:
/// leaf by leaf, and leaves by the tree.
template <class Plan>
class TableGradient {
  using T = typename Plan::Scalar;

 public:
  /// gradient = fraction * gradient + the sum over the rows.
  void run(const ThreadPool& pool, const TableColumns& table, const T* x, const T* dy, std::size_t rows, T* gradient,
           T fraction) {
    using host_kernels::part_of;
    const host_kernels::BatchParts<Plan> batch(rows, 1, true);
    const SumTree& tree = batch.tree;
    const std::size_t size = static_cast<std::size_t>(table.size),
                      numbers = size * static_cast<std::size_t>(table.count);
    sums_.grow(numbers * static_cast<std::size_t>(SumTree::places(tree.root().level)));
    const auto sum = [&](int place) { return sums_.data() + numbers * static_cast<std::size_t>(place); };
    const int threads = std::min(pool.size(), table.size);
    pool.run(threads, [&](int, int thread) {
      const std::size_t begin = part_of(table.size, thread, threads), end = part_of(table.size, thread + 1, threads);
      const auto each = [&](auto&& f) {
        for (std::size_t row = 0; row < numbers; row += size)
          for (std::size_t i = row + begin; i < row + end; ++i) f(i);
      };
      tree.add(
          tree.root(),
          [&](int leaf, int place) {
            T* const to = sum(place);
            each([&](std::size_t i) { to[i] = T(0); });
            for (std::size_t t = batch.first_tile(leaf); t < batch.first_tile(leaf + 1); ++t)
              add_tile(table, x, dy, t * lanes, std::min(rows, (t + 1) * lanes), begin, end, to);
          },
          [&](int place) {
            T *const to = sum(place), *const from = sum(place + 1);
            each([&](std::size_t i) { to[i] += from[i]; });
          });
      const T* const all = sum(0);
      each([&](std::size_t i) {
        gradient[i] = fraction == T(0) ? all[i] : fn::product(gradient[i], fraction) + all[i];
      });
    });
  }

 private:
  static constexpr std::size_t lanes = std::size_t{Plan::lanes};

  /// The rows [first, last) of a tile, position by position, columns [begin, end).
  static void add_tile(const TableColumns& table, const T* x, const T* dy, std::size_t first, std::size_t last,
                       std::size_t begin, std::size_t end, T* sum) {
    const auto positions = static_cast<std::size_t>(table.positions), size = static_cast<std::size_t>(table.size);
    const std::size_t next = table.transposed ? positions : 1;  // from a column's number to that of the next column
    for (std::size_t n = 0; n < positions; ++n)
      for (std::size_t i = first; i < last; ++i) {
        const int row = row_of_table(x[i * positions + n], table.count);
        if (row < 0) continue;
        const T* const from = dy + i * positions * size + n * (table.transposed ? 1 : size);
        T* const to = sum + static_cast<std::size_t>(row) * size;
        for (std::size_t k = begin; k < end; ++k) to[k] += from[k * next];
      }
  }

  AlignedArray<T> sums_;
};

}  // namespace detail

SINTER_NAMESPACE_END
