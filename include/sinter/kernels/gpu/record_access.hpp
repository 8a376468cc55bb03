// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/core/unroll.hpp"
#include "sinter/kernels/element_kernels.hpp"
#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/ops/index_sum.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// The operands of stage S in the records of a tile's rows: a number of one row for each item. See element_kernels.
template <int S, class X, class Tile>
struct RecordAccess {
  using V = typename Tile::T;
  using G = typename Tile::template At<S>;
  using Op = typename Program<typename Tile::Model>::template OpType<G::stage.first>;
  template <int K>
  using Read = ReadConstants<typename Tile::Model, G::stage.first, K>;
  static constexpr int inputs = G::parts;
  /// A number of a row.
  struct At {
    int row, i;
  };

  X& x;
  const Tile& tile;

  template <int K, class F>
  SINTER_FN void each(F&& f) const {
    constexpr int n = Read<K>::size;
    x.items(tile.rows * n, [&](int item) { f(At{item / n, item % n}, 1); });
  }
  /// Element i of all inputs is one item: two of them may be the same value.
  template <class F>
  SINTER_FN void each_part_back(F&& f) const {
    constexpr int n = G::largest_part;
    x.items(tile.rows * n, [&](int item) {
      const At p{item / n, item % n};
      unroll<inputs>([&](auto k) SINTER_LAMBDA {
        constexpr int K = inputs - 1 - decltype(k)::value;
        if (p.i < Read<K>::size) f(std::integral_constant<int, K>{}, p);
      });
    });
  }
  template <int K>
  SINTER_FN V load(At p) const {
    constexpr int value = Tile::Record::template value<Read<K>::value>;
    return tile.record(p.row)[value + p.i];
  }
  template <int K>
  SINTER_FN static At in_output(At p) {
    return {p.row, Read<K>::begin + p.i};
  }
  SINTER_FN void finish(At p, V v, int) const {
    V one[1] = {v};
    ride<S, G::first_rider>(tile, p.row, Element<G>(p.i), one);
  }
  SINTER_FN V slope(At p) const {
    constexpr int gradient = Tile::Record::template gradient<S>;
    return tile.record(p.row)[gradient + Element<G>(p.i).in_planes()];
  }
  template <int K>
  SINTER_FN void give(At p, V g) const {
    give_gradient<G::stage.first, K>(tile, p.row, p.i, g);
  }

  /// Of an index map, in one direction. (nvcc looks for the indices of any op unless O is an argument.)
  template <bool Transposed, class O = Op>
  using Sum = IndexSum<typename O::Indices, G::source.in, Transposed, Program<typename Tile::Model>::hash>;
  template <class F>
  SINTER_FN void each_output(F&& f) const {
    x.items(tile.rows * G::outputs, [&](int item) { f(At{item / G::outputs, item % G::outputs}); });
  }
  template <class OfSum>
  SINTER_FN V read(At p) const {
    constexpr int input = Tile::Record::template input<S>;
    return sum<OfSum, input, G::in_pixels, G::in_width>(p.row, p.i / G::pixels, p.i % G::pixels / G::width,
                                                        p.i % G::width);
  }
  template <class OfSum>
  SINTER_FN V slopes(At p) const {
    constexpr int gradient = Tile::Record::template gradient<S>;
    return sum<OfSum, gradient, G::plane, G::width>(p.row, p.i / G::in_pixels, p.i % G::in_pixels / G::in_width,
                                                    p.i % G::in_width);
  }

 private:
  /// Of the numbers that belong to a position, from an array of a row's record.
  template <class OfSum, int Array, int Plane, int Width>
  SINTER_FN V sum(int row, int channel, int line, int column) const {
    const auto record = tile.record(row);
    return OfSum::template of<V>(channel, line, column,
                                 [&](int c, int i, int j) { return V(record[Array + c * Plane + i * Width + j]); });
  }
};

/// Those kernels as kernels of a stage.
template <class Kernel>
struct RecordElementKernel {
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    Kernel::forward(RecordAccess<S, X, Tile>{x, tile});
  }
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    Kernel::backward(RecordAccess<S, X, Tile>{x, tile});
  }
};
template <>
struct StageKernel<Source::map> : RecordElementKernel<element_kernels::Riders> {};
template <>
struct StageKernel<Source::concat> : RecordElementKernel<element_kernels::Concat> {};
template <>
struct StageKernel<Source::index_map> : RecordElementKernel<element_kernels::IndexMap> {};
template <>
struct StageKernel<Source::elementwise> : RecordElementKernel<element_kernels::Elementwise> {};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
