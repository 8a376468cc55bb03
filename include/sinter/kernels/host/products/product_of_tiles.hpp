// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "sinter/fn/apply.hpp"
#include "sinter/kernels/host/products/tile_product.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The product of a matrix with the packs of several tiles. Sizes and places are numbers: one kernel serves all models.
template <class T>
struct ProductOfTiles {
  MatrixRows<T> matrix;
  int rows, terms;  // of the matrix
  const T* x;       // the packs of the first tile, those of the next `stride` numbers on
  std::ptrdiff_t stride;
  int tiles;
  T* waiting;  // for incomplete sums, see waiting_size; null where the matrix is read by rows
};

/// `rows` rows of a matrix with as many tiles as the index says.
template <class Isa, class T>
struct TileBlocks {
  using Kernel = void (*)(const MatrixRows<T>&, const T* x, std::ptrdiff_t stride, int terms, bool continues, T* y);
  int rows = 1;
  std::array<Kernel, static_cast<std::size_t>(most_tiles<Isa> + 1)> of_tiles{};

  SINTER_INLINE void operator()(int tiles, const MatrixRows<T>& a, const T* x, std::ptrdiff_t stride, int terms,
                                bool continues, T* y) const {
    of_tiles[static_cast<std::size_t>(tiles)](a, x, stride, terms, continues, y);
  }
};
/// The same as constants.
template <class Isa, class V, int Rows, int Least, int Most>
struct ConstantTileBlocks {
  static constexpr int rows = Rows;

  template <class T>
  SINTER_INLINE void operator()(int tiles, const MatrixRows<T>& a, const T* x, std::ptrdiff_t stride, int terms,
                                bool continues, T* y) const {
    with_constant<Least, Most>(tiles, [&](auto r) SINTER_LAMBDA {
      product_of_tiles<Isa, Rows, decltype(r)::value, V>(a, x, stride, terms, continues, y);
    });
  }
};
/// Those for a matrix of `Rows` rows: for the tiles of a group, and for one that is left over.
template <class Isa, class V, int Rows>
struct BlocksOfProduct {
  using T = scalar_of<V>;
  static constexpr int most = most_tiles<Isa>, many_rows = block_of<Isa>(Rows, most), one_rows = block_of<Isa>(Rows, 1);
  static constexpr TileBlocks<Isa, T> many = []<int... R>(std::integer_sequence<int, R...>) {
    return TileBlocks<Isa, T>{many_rows, {nullptr, nullptr, &product_of_tiles<Isa, many_rows, R + 2, V, T>...}};
  }(std::make_integer_sequence<int, most - 1>{});
  static constexpr TileBlocks<Isa, T> one{one_rows, {nullptr, &product_of_tiles<Isa, one_rows, 1, V, T>}};
  static constexpr ConstantTileBlocks<Isa, V, many_rows, most == 1 ? 1 : 2, most> constant_many{};
  static constexpr ConstantTileBlocks<Isa, V, one_rows, 1, 1> constant_one{};
};

/// A matrix that is read by columns is read in blocks, of which the second cache holds what all tiles read again: a
/// column takes a line of every row. In between the sums wait.
inline constexpr int rows_of_block = 192, terms_of_block = 128;

/// The tiles [begin, end), at most `most` at a time, each block of rows with all of them.
template <class Isa, class V, class Blocks, class Sink, class T>
SINTER_INLINE void multiply_tiles_by(const ProductOfTiles<T>& p, const Blocks& blocks, int most, int begin, int end,
                                     const Sink& sink) {
  constexpr int L = V::lanes;
  const int M = blocks.rows, step = p.matrix.column == 1 ? p.terms : terms_of_block;
  alignas(64) T sums[batch_sums(Isa::registers) * L];
  for (int top = 0; top < p.rows; top += rows_of_block)
    for (int k = 0; k < p.terms; k += step) {
      const int count = std::min(step, p.terms - k);
      T* wait = p.waiting;
      for (int block = top; block < std::min(p.rows, top + rows_of_block); block += M) {
        const int m = std::min(block, p.rows - M);
        const MatrixRows<T> rows{p.matrix.from + m * p.matrix.row + k * p.matrix.column, p.matrix.row, p.matrix.column,
                                 p.matrix.start ? p.matrix.start + m : nullptr};
        for (int i = begin, together = 0; i < end; i += together) {
          const int left = end - i;
          together = left == most + 1 && most > 1 ? most - 1 : std::min(left, most);  // never one alone
          T* const y = p.terms > step ? wait : sums;
          blocks(together, rows, p.x + i * p.stride + k * L, p.stride, count, k > 0, y);
          if (p.terms > step) wait += M * together * L;
          if (k + count < p.terms) continue;
          for (int r = 0; r < together; ++r) {
            SINTER_KEEP_LOOP
            for (int n = 0; n < M; ++n) sink(i + r, m + n, V::load(y + (r * M + n) * L));
          }
        }
      }
    }
}

/// sink(tile, m, y) for each sum y of row m. `many` and `one` are BlocksOfProduct's.
template <class Isa, class V, class Many, class One, class Sink, class T>
SINTER_INLINE void multiply_tiles_with(const ProductOfTiles<T>& p, const Many& many, const One& one, const Sink& sink) {
  constexpr int most = most_tiles<Isa>;
  const int together = most > 2 && p.tiles > 1 ? p.tiles : p.tiles / 2 * 2;
  // With few terms and many rows, outputs are most of what is read and written: tile by tile they are contiguous
  // (docs/decisions/host.md).
  const int step = p.rows > 256 && p.terms < 32 ? most : p.tiles;
  for (int i = 0, end = 0; i < together; i = end) {
    end = together - i > step + 1 ? i + step : together;
    multiply_tiles_by<Isa, V>(p, many, most, i, end, sink);
  }
  if (p.tiles > together) multiply_tiles_by<Isa, V>(p, one, 1, together, p.tiles, sink);
}
/// Products of fewer terms are compiled for their sizes: they take less time than the loops that know none.
inline constexpr int least_shared_product = 256;

/// The memory of the tiles of a group, of any model.
template <class T>
struct GroupMemory {
  T* tiles;  // the first one, the next ones `stride` numbers on
  const T* parameters;
  std::ptrdiff_t stride;
  int count;
  T* waiting;
};

/// A product of the tiles of a group, and a map on its sums: sizes, and places in the arena and in a tile.
template <class Isa, class T>
struct GroupProduct {
  int rows, terms, row, column;  // of the matrix, and from one of each to the next
  int weight, bias;              // bias: -1 if there is none
  int x, to, saved;              // saved: what the adjoint of a map needs, or is given
  TileBlocks<Isa, T> many, one;

  SINTER_INLINE ProductOfTiles<T> in(const GroupMemory<T>& group) const {
    return {.matrix = {group.parameters + weight, row, column, bias < 0 ? nullptr : group.parameters + bias},
            .rows = rows,
            .terms = terms,
            .x = group.tiles + x,
            .stride = group.stride,
            .tiles = group.count,
            .waiting = group.waiting};
  }
};

/// A map on the sums of a product, to the packs `to` of the first tile; what its adjoint needs goes to `saved`.
template <class F, bool saves, class T>
struct MapOfTiles {
  T *to, *saved;
  std::ptrdiff_t stride;
  template <class V>
  SINTER_INLINE void operator()(int tile, int m, V x) const {
    const std::ptrdiff_t at = tile * stride + m * V::lanes;
    if constexpr (saves) x.store(saved + at);
    fn::forward<F>(x).store(to + at);
  }
};
/// Its adjoint.
template <class F, class T>
struct MapBackOfTiles {
  T *to, *saved;
  std::ptrdiff_t stride;
  template <class V>
  SINTER_INLINE void operator()(int tile, int m, V g) const {
    const std::ptrdiff_t at = tile * stride + m * V::lanes;
    fn::backward<F>(V::load(saved + at), g).store(to + at);
  }
};

/// The kernel that models share.
template <class Isa, class V, class Map, class T>
SINTER_SHARED void shared_group_product(const GroupProduct<Isa, T>& of, const GroupMemory<T>& group) {
  multiply_tiles_with<Isa, V>(of.in(group), TileBlocks<Isa, T>(of.many), TileBlocks<Isa, T>(of.one),
                              Map{group.tiles + of.to, group.tiles + of.saved, group.stride});
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
