// SPDX-License-Identifier: MIT
#pragma once

#include <limits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/stages/pointwise.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Runs a lookup on a tile: each lane reads its own rows of the table, a pack of numbers at a time, and transposes
/// them; backward adds lane by lane, because several lanes may read the same row.
template <class Tile, int S>
struct LookupStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  static constexpr int first = P::stage(S).first, L = P::lanes;
  static constexpr Op op = P::op(first);
  static constexpr int size = P::parameter(op.weight).shape[1], count = P::parameter(op.weight).shape[0];
  static constexpr int whole = size / L * L;  // of them in whole packs

  const Tile& tile;

  SINTER_INLINE static Position position(int n, int k) {
    const LookupPlace at = place_of({n, k}, op.transposed);
    return {at.channel, 0, at.pixel};
  }
  SINTER_INLINE void rows_of(int n, int (&row)[L]) const {
    const V x = tile.load(value_at<Tile, P::stage(S).input>(Position::of(n, op.in), op.in));
    for (int lane = 0; lane < L; ++lane) row[lane] = row_of_table(x[lane], count);
  }

  void forward() const {
    const T* table = tile.parameter(op.weight);
    const T none = std::numeric_limits<T>::quiet_NaN();
    for (int n = 0; n < op.in.size(); ++n) {
      int row[L];
      rows_of(n, row);
      const auto next = [&](int k, V v) SINTER_LAMBDA {
        V one[1] = {v};
        ride<Tile, S, first + 1>(tile, position(n, k), one);
      };
      for (int k = 0; k < whole; k += L)
        transposed_copy<V>(
            [&](int lane) SINTER_LAMBDA { return row[lane] < 0 ? V(none) : V::load(table + row[lane] * size + k); },
            [&](int i, V v) SINTER_LAMBDA { next(k + i, v); });
      for (int k = whole; k < size; ++k) {
        V v(none);
        for (int lane = 0; lane < L; ++lane)
          if (row[lane] >= 0) v.set(lane, table[row[lane] * size + k]);
        next(k, v);
      }
    }
  }

  void weight_gradient() const {
    constexpr Place dy = Tile::gradient_of(S);
    T* to = tile.parameter_gradient(op.weight);
    for (int n = 0; n < op.in.size(); ++n) {
      int row[L];
      rows_of(n, row);
      const auto load = [&](int k) SINTER_LAMBDA {
        const Position p = position(n, k);
        return tile.load(dy.at(p.channel, p.y, p.x));
      };
      for (int k = 0; k < whole; k += L)
        transposed_copy<V>([&](int i) SINTER_LAMBDA { return load(k + i); },
                           [&](int lane, V g) SINTER_LAMBDA {
                             if (row[lane] < 0) return;
                             T* const at = to + row[lane] * size + k;
                             (V::load(at) + g).store(at);
                           });
      for (int k = whole; k < size; ++k) {
        const V g = load(k);
        for (int lane = 0; lane < L; ++lane)
          if (row[lane] >= 0) to[row[lane] * size + k] += g[lane];
      }
    }
  }
  void input_gradient() const {
    for (int n = 0; n < op.in.size(); ++n) give_input_gradient<Tile, S>(tile, n, V(0));
  }
};

template <>
struct StageKernel<Source::lookup> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    LookupStage<Tile, S>{tile}.forward();
  }
  template <class Tile, int S>
  SINTER_INLINE static void weight_gradient(const Tile& tile) {
    LookupStage<Tile, S>{tile}.weight_gradient();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    LookupStage<Tile, S>{tile}.input_gradient();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
