// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/kernels/host/products/tile_product.hpp"
#include "sinter/kernels/host/step/step.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Tiles that run the stages together, so that weights are read once for all of them. Their memories are `stride`
/// numbers apart.
template <class T>
struct TileGroup {
  using Tile = T;
  using Scalar = typename Tile::T;
  Tile first;
  std::ptrdiff_t stride = 0;
  int count = 1;
  int last_rows = Tile::lanes;            // that count in the last tile
  Scalar* const* slot_of_tile = nullptr;  // of each tile, where gradients are added up

  SINTER_INLINE Tile operator[](int i) const {
    Tile tile = first;
    tile.memory += i * stride;
    if (slot_of_tile) tile.gradient = slot_of_tile[i];
    if (tile.partial) tile.partial += i * BatchMemory<typename Tile::Plan::Cut::Model>::partial_size;
    tile.rows = i + 1 == count ? last_rows : Tile::lanes;
    return tile;
  }
};

/// Numbers from one tile's memory to the next.
template <class Tile>
inline constexpr std::ptrdiff_t memory_stride = tile_stride(Tile::memory_plan.packs, Tile::lanes);

/// How many tiles run the stages together in inference: as many as the second-level cache holds.
template <class Tile>
constexpr int tiles_of_workspace(std::size_t most_rows) {
  if (!Tile::Plan::layered) return 1;
  constexpr std::ptrdiff_t bytes = memory_stride<Tile> * static_cast<std::ptrdiff_t>(sizeof(typename Tile::T));
  constexpr int most = static_cast<int>(std::clamp<std::ptrdiff_t>((1 << 19) / bytes, 4, 64)) / 4 * 4;
  return static_cast<int>(std::clamp<std::size_t>((most_rows + Tile::lanes - 1) / Tile::lanes, 1, most));
}

/// The inputs of a product are read again for each block of outputs: this many tiles of the widest fit in the
/// second-level cache.
template <class Plan>
inline constexpr int most_together = [] {
  int widest = 1;
  for (int s = 0; s < Plan::stage_count; ++s)
    if (Plan::stage(s).source == Source::matmul)
      widest = std::max({widest, Plan::source(s).in.size(), Plan::source(s).out.size()});
  const int bytes = widest * Plan::lanes * static_cast<int>(sizeof(typename Plan::Scalar));
  return std::clamp((1 << 21) / bytes / 4 * 4, 4, 64);
}();

/// A matrix that is read by columns is read in blocks, of which the second cache holds what all tiles read again: a
/// column takes a line of every row. In between the sums wait.
inline constexpr int rows_of_block = 192, terms_of_block = 128;
/// The size of the incomplete sums of this many tiles.
template <class Tile>
constexpr std::size_t waiting_size(int tiles) {
  bool wait = false;
  for (int s = 0; s < Tile::Plan::stage_count; ++s)
    wait = wait || (Tile::Plan::layered && Tile::Plan::source(s).out.size() > terms_of_block);
  return wait ? static_cast<std::size_t>(tiles) * round_up(rows_of_block, 12) * Tile::lanes : 0;
}

/// Products of a matrix with packs of the tiles [begin, end) of a group, `Most` tiles at a time or a few less, each
/// block of rows with all of them: sink(tile, m, y).
template <int Most, class Group, int Rows, class Sink>
SINTER_INLINE void tile_group_product_by(const Group& group, int begin, int end, Spot from, int terms,
                                         const MatrixRows<typename Group::Scalar>& matrix,
                                         typename Group::Scalar* waiting, Sink&& sink) {
  using Tile = typename Group::Tile;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Isa = typename Tile::Plan::ISA;
  constexpr int M = block_of<Isa>(Rows, Most), least = Most > 1 ? 2 : 1;
  const int step = matrix.column == 1 ? terms : terms_of_block;
  for (int top = 0; top < Rows; top += rows_of_block)
    for (int k = 0; k < terms; k += step) {
      const int count = std::min(step, terms - k);
      T* wait = waiting;
      for (int block = top; block < std::min(Rows, top + rows_of_block); block += M) {
        const int m = std::min(block, Rows - M);
        const MatrixRows<T> rows{matrix.from + m * matrix.row + k * matrix.column, matrix.row, matrix.column,
                                 matrix.start ? matrix.start + m : nullptr};
        for (int i = begin, together = 0; i < end; i += together) {
          const int left = end - i;
          together = left == Most + 1 && Most > 1 ? Most - 1 : std::min(left, Most);  // never one alone
          const T* const x = group[i].at(from + k);
          alignas(64) T sums[M * Most * Tile::lanes];
          T* const y = terms > step ? wait : sums;
          with_constant<least, Most>(together, [&](auto r) SINTER_LAMBDA {
            product_of_tiles<Isa, M, decltype(r)::value, V>(rows, x, group.stride, count, k > 0, y);
          });
          if (terms > step) wait += M * together * Tile::lanes;
          if (k + count < terms) continue;
          for (int r = 0; r < together; ++r) {
            const Tile tile = group[i + r];
            for (int n = 0; n < M; ++n) sink(tile, m + n, V::load(y + (r * M + n) * Tile::lanes));
          }
        }
      }
    }
}
template <class Group, int Rows, class Sink>
SINTER_INLINE void tile_group_product(const Group& group, Spot from, int terms,
                                      const MatrixRows<typename Group::Scalar>& matrix, typename Group::Scalar* waiting,
                                      Sink&& sink) {
  constexpr int most = most_tiles<typename Group::Tile::Plan::ISA>;
  const int together = most > 2 && group.count > 1 ? group.count : group.count / 2 * 2;
  // With few terms and many rows, outputs are most of what is read and written: tile by tile they are contiguous
  // (docs/decisions/host.md).
  const int step = Rows > 256 && terms < 32 ? most : group.count;
  for (int i = 0, end = 0; i < together; i = end) {
    end = together - i > step + 1 ? i + step : together;
    tile_group_product_by<most, Group, Rows>(group, i, end, from, terms, matrix, waiting, sink);
  }
  if (group.count > together)
    tile_group_product_by<1, Group, Rows>(group, together, group.count, from, terms, matrix, waiting, sink);
}

template <class Group, int S>
SINTER_INLINE void tile_group_matmul_forward(const Group& group) {
  using Tile = typename Group::Tile;
  using T = typename Tile::T;
  using P = typename Tile::Plan;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  const T* const weight = group.first.parameter(op.weight);
  const T* bias = nullptr;
  if constexpr (op.with_bias) bias = group.first.parameter(op.bias);
  tile_group_product<Group, out>(group, Tile::input(S).begin(), in, MatrixRows<T>{weight, in, 1, bias}, nullptr,
                                 [&](const Tile& tile, int m, typename Tile::V v) SINTER_LAMBDA {
                                   typename Tile::V one[1] = {v};
                                   ride<Tile, S, P::stage(S).first + 1>(tile, Position{m, 0, 0}, one);
                                 });
}

/// dx = W^T dy.
template <class Group, int S>
SINTER_INLINE void tile_group_matmul_input_gradient(const Group& group, typename Group::Scalar* waiting) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  tile_group_product<Group, in>(group, Tile::gradient_of(S).begin(), out,
                                MatrixRows<typename Tile::T>{group.first.parameter(op.weight), 1, in, nullptr}, waiting,
                                [&](const Tile& tile, int k, typename Tile::V v)
                                    SINTER_LAMBDA { give_input_gradient<Tile, S>(tile, k, v); });
}

template <Pass pass, class Group, int S>
SINTER_INLINE void tile_group_kernel(const Group& group, typename Group::Scalar* waiting) {
  if constexpr (pass == Pass::forward)
    tile_group_matmul_forward<Group, S>(group);
  else
    tile_group_matmul_input_gradient<Group, S>(group, waiting);
}
/// The kernel of stage S and of all that equal it.
template <Pass pass, class Tile, int S>
SINTER_SHARED void shared_tile_group_kernel(const TileGroup<Tile>& group, typename Tile::T* waiting,
                                            const typename GivenPlaces<Tile, S, pass>::Offsets& offsets) {
  using Same = StageTile<Tile, S, pass>;
  const TileGroup<Same> same{Same(group.first, offsets), group.stride, group.count, group.last_rows,
                             group.slot_of_tile};
  tile_group_kernel<pass, TileGroup<Same>, S>(same, waiting);
}
template <Pass pass, class Tile, int S>
void run_tile_group(const TileGroup<Tile>& group, typename Tile::T* waiting) {
  using Equal = EqualStages<Tile, pass>;
  constexpr int first = Equal::first(S);
  [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(
      pass == Pass::forward ? Part::forward : Part::input_gradient, S);
  static_assert(!Tile::output(S).bordered(), "sinter: begin_value is not called here; only convolutions want borders");
  if constexpr (Equal::shared(S))
    shared_tile_group_kernel<pass, Tile, first>(group, waiting, offsets_of_stage<Tile, first, pass, S>);
  else
    tile_group_kernel<pass, TileGroup<Tile>, S>(group, waiting);
}

/// The stages [First, End) of a group, forward and backward. The gradients of weights of products come later, from all
/// groups of the batch at once.
template <class Group, int First, int End>
void tile_group_forward(const Group& group) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = First + decltype(s)::value;
    if constexpr (Tile::Plan::layered && Tile::Plan::stage(S).source == Source::matmul)
      run_tile_group<Pass::forward, Tile, S>(group, nullptr);
    else
      for (int i = 0; i < group.count; ++i) run_stage<Pass::forward, Tile, S>(group[i]);
  });
}
template <class Group, int First, int End>
void tile_group_backward(const Group& group, typename Group::Scalar* waiting) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = End - 1 - decltype(s)::value;
    if constexpr (Tile::Plan::stage(S).source != Source::matmul) {
      for (int i = 0; i < group.count; ++i) backward_stage<Tile, S>(group[i]);
    } else if constexpr (wants_input_gradient<Tile, S>) {
      run_tile_group<Pass::input_gradient, Tile, S>(group, waiting);
    }
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
