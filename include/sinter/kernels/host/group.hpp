// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/kernels/host/group_product.hpp"
#include "sinter/kernels/host/step.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Tiles that go through the stages together, so that weights are read once for all of them. Their memories lie `stride`
/// numbers apart.
template <class T>
struct Group {
  using Tile = T;
  using Scalar = typename Tile::T;
  Tile first;
  std::ptrdiff_t stride = 0;
  int count = 1;
  int last_rows = Tile::lanes;  // that count in the last tile

  SINTER_INLINE Tile operator[](int i) const {
    Tile tile = first;
    tile.memory += i * stride;
    if (tile.partial) tile.partial += i * BatchMemory<typename Tile::Plan::Cut::Model>::partial_size;
    tile.rows = i + 1 == count ? last_rows : Tile::lanes;
    return tile;
  }
};

/// Numbers from one tile's memory to the next. Not a multiple of a page: the same places of several tiles are read
/// together, and would share a set of the cache.
template <class Tile>
inline constexpr std::ptrdiff_t memory_stride = round_up(Tile::memory_plan.packs * Tile::lanes, 1024) + 80;

/// How many tiles go through the stages together in inference: what the second cache holds.
template <class Tile>
constexpr int tiles_of_workspace(std::size_t most_rows) {
  if (!Tile::Plan::layered) return 1;
  constexpr std::ptrdiff_t bytes = memory_stride<Tile> * static_cast<std::ptrdiff_t>(sizeof(typename Tile::T));
  constexpr int most = static_cast<int>(std::clamp<std::ptrdiff_t>((1 << 19) / bytes, 4, 64)) / 4 * 4;
  return static_cast<int>(std::clamp<std::size_t>((most_rows + Tile::lanes - 1) / Tile::lanes, 1, most));
}

/// Columns of a weight that are packed together, so that a line of it is read once or twice.
inline constexpr int packed_columns = 24;

/// Rows of a matrix: element (m, k) at from[m row + k column], and what the sum of row m starts with.
template <class T>
struct MatrixRows {
  const T* from;
  std::ptrdiff_t row, column;
  const T* start;
};

/// Columns [0, packed_columns) of a matrix with `rows` rows, Block of them at a time, one row of a block after another.
/// The processor does not foresee a row on the next page, so rows are fetched some turns ahead.
template <class Isa, int Block, class T>
SINTER_SHARED void pack_columns(const T* from, std::ptrdiff_t stride, int rows, T* to) {
  static_assert(packed_columns % Block == 0);
  constexpr int ahead = 24;
  for (int m = 0; m < rows; ++m, from += stride, to += Block) {
    if (m + ahead < rows) {
      __builtin_prefetch(from + ahead * stride);
      __builtin_prefetch(from + ahead * stride + packed_columns - 1);
    }
    for (int b = 0; b < packed_columns / Block; ++b)
      __builtin_memcpy(to + static_cast<std::ptrdiff_t>(b) * rows * Block, from + b * Block, Block * sizeof(T));
  }
}

/// The inputs of a product are read again for each block of outputs: so many tiles of the widest lie in the second cache.
template <class Plan>
inline constexpr int most_together = [] {
  int widest = 1;
  for (int s = 0; s < Plan::stage_count; ++s)
    if (Plan::stage(s).source == Source::matmul)
      widest = std::max({widest, Plan::source(s).in.size(), Plan::source(s).out.size()});
  const int bytes = widest * Plan::lanes * static_cast<int>(sizeof(typename Plan::Scalar));
  return std::clamp((1 << 21) / bytes / 4 * 4, 4, 64);
}();

/// Products of a matrix with packs of the tiles [begin, end) of a group, R tiles at a time, each block of rows with all
/// of them: sink(tile, m, y). `rows(m, block, again)` says where the
/// rows [m, m + block) lie; `again` is whether they are read more than once.
template <int R, class Group, int Rows, class RowsAt, class Sink>
SINTER_INLINE void group_product_by(const Group& group, int begin, int end, int offset, int terms, RowsAt&& rows,
                                    Sink&& sink) {
  using Tile = typename Group::Tile;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Isa = typename Tile::Plan::ISA;
  constexpr int M = block_of<Isa>(Rows, R);
  for (int block = 0; block < Rows; block += M) {
    const int m = std::min(block, Rows - M);
    const MatrixRows<T> a = rows(m, std::integral_constant<int, M>{}, end - begin > R);
    for (int i = begin; i < end; i += R) {
      const T* x[R];
      for (int r = 0; r < R; ++r) x[r] = group[i + r].at(offset);
      alignas(64) T y[M * R * Tile::lanes];
      product_of_tiles<Isa, M, R, V>(a.from, a.row, a.column, x, terms, a.start, y);
      for (int r = 0; r < R; ++r)
        for (int k = 0; k < M; ++k) sink(group[i + r], m + k, V::load(y + (r * M + k) * Tile::lanes));
    }
  }
}
template <class Group, int Rows, class RowsAt, class Sink>
SINTER_INLINE void group_product(const Group& group, int offset, int terms, RowsAt&& rows, Sink&& sink) {
  constexpr int most = most_tiles<typename Group::Tile::Plan::ISA>;
  const int whole = group.count / most * most, pairs = group.count / 2 * 2;
  if (whole > 0) group_product_by<most, Group, Rows>(group, 0, whole, offset, terms, rows, sink);
  if constexpr (most > 2)
    if (pairs > whole) group_product_by<2, Group, Rows>(group, whole, pairs, offset, terms, rows, sink);
  if (group.count > pairs) group_product_by<1, Group, Rows>(group, pairs, group.count, offset, terms, rows, sink);
}

template <class Group, int S>
void group_matmul_forward(const Group& group) {
  using Tile = typename Group::Tile;
  using T = typename Tile::T;
  using P = typename Tile::Plan;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  [[maybe_unused]] const Watch<typename P::ISA> watch(Part::forward, S);
  const T* const weight = group.first.parameter(op.weight);
  const T* bias = nullptr;
  if constexpr (op.with_bias) bias = group.first.parameter(op.bias);
  group_product<Group, out>(
      group, Tile::input(S).offset, in,
      [&](int m, auto, bool) SINTER_LAMBDA {
        return MatrixRows<T>{weight + static_cast<std::ptrdiff_t>(m) * in, in, 1, bias ? bias + m : nullptr};
      },
      [&](const Tile& tile, int m, typename Tile::V v) SINTER_LAMBDA {
        typename Tile::V one[1] = {v};
        ride<Tile, S, P::stage(S).first + 1>(tile, Position{m, 0, 0}, one);
      });
}

/// Whether a weight is packed: one that the first cache does not hold.
template <class Tile, int S>
inline constexpr bool packs_weight = Tile::Plan::source(S).in.size() * Tile::Plan::source(S).out.size() > 8192 &&
                                     Tile::Plan::source(S).in.size() >= packed_columns;
/// Numbers of a packed panel, of the largest weight.
template <class Tile>
inline constexpr std::size_t packed_size = [] {
  int most = 0;
  for (int s = 0; s < Tile::Plan::stage_count; ++s)
    if (Tile::Plan::stage(s).source == Source::matmul) most = std::max(most, Tile::Plan::source(s).out.size());
  return static_cast<std::size_t>(packed_columns * most + 16);
}();

/// dx = W^T dy. Blocks of columns of W are packed where it is large: they lie a row of W apart.
template <class Group, int S>
void group_matmul_input_gradient(const Group& group, typename Group::Scalar* packed) {
  using Tile = typename Group::Tile;
  using T = typename Tile::T;
  using P = typename Tile::Plan;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  [[maybe_unused]] const Watch<typename P::ISA> watch(Part::input_gradient, S);
  // Weights that come from memory anew in each step: packed also where they are read once, because the lines of a column
  // share few sets of the caches, which do not keep them until the next block of columns (2048 x 4096: 46 -> 36 ms).
  [[maybe_unused]] constexpr bool from_memory = Program<typename P::Cut::Model>::arena_size >= 1 << 22;
  const T* const weight = group.first.parameter(op.weight);
  int first = -packed_columns;
  group_product<Group, in>(
      group, Tile::gradient_of(S).offset, out,
      [&](int k, auto block, bool again) SINTER_LAMBDA {
        constexpr int M = decltype(block)::value;
        if constexpr (packs_weight<Tile, S> && packed_columns % M == 0) {
          if (again || from_memory) {
            // The last panel reaches back as far as it must, and so does the last block of columns.
            if (k >= first + packed_columns || (k - first) % M != 0) {
              first = k - round_up(std::max(0, k + packed_columns - in), M);
              pack_columns<typename P::ISA, M>(weight + first, in, out, packed);
            }
            return MatrixRows<T>{packed + static_cast<std::ptrdiff_t>(k - first) * out, 1, M, nullptr};
          }
        }
        return MatrixRows<T>{weight + k, 1, in, nullptr};
      },
      [&](const Tile& tile, int k, typename Tile::V v) SINTER_LAMBDA { give_input_gradient<Tile, S>(tile, k, v); });
}

/// The stages [First, End) of a group, forward and backward. The gradients of weights of products come later, from all
/// groups of the batch at once.
template <class Group, int First, int End>
void group_forward(const Group& group) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = First + decltype(s)::value;
    if constexpr (Tile::Plan::layered && Tile::Plan::stage(S).source == Source::matmul)
      group_matmul_forward<Group, S>(group);
    else
      for (int i = 0; i < group.count; ++i) forward_stage<Tile, S>(group[i]);
  });
}
template <class Group, int First, int End>
void group_backward(const Group& group, typename Group::Scalar* packed) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = End - 1 - decltype(s)::value;
    if constexpr (Tile::Plan::stage(S).source != Source::matmul) {
      for (int i = 0; i < group.count; ++i) backward_stage<Tile, S>(group[i]);
    } else if constexpr (wants_input_gradient<Tile, S>) {
      group_matmul_input_gradient<Group, S>(group, packed);
    }
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
