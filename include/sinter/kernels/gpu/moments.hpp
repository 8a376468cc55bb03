// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Mean and deviation of groups of a sample's numbers: a group in chunks first, which another phase combines in their
/// order. A mean is a number and its rounding error, so that a mean that is large compared with the deviation costs no
/// digits. What a stage keeps of it in a record is `Moments::numbers` of an op: [3][chunks], then [5][groups].
template <class G>
struct MomentWork : Moments {
  static constexpr int groups = groups_of(G::source), chunk = chunk_of(G::source), chunks = G::inputs / chunk,
                       size = G::inputs / groups, of_group = size / chunk;
  static constexpr int groups_at = 3 * chunks;
  static constexpr int chunks_of_line = line_of(G::source) / chunk;

  /// Number `i` of a chunk. Neighbouring chunks of a line have neighbouring numbers, so threads read whole cache lines;
  /// a team of one thread has the order of the host.
  template <class Tile>
  SINTER_FN static int number(int chunk_number, int i) {
    if constexpr (Tile::expected_rows == Expected::alone)
      return chunk_number * chunk + i;
    else
      return chunk_number / chunks_of_line * (chunk * chunks_of_line) + chunk_number % chunks_of_line +
             i * chunks_of_line;
  }
};

/// Combines the moments of `count` equal parts of `size` numbers: part(number, k) is the mean, its rounding error, and
/// the sum of squares around it. Calls ready(mean, rest, squares). `Ahead` reads overlap.
template <class T, int Ahead = 16, class Part, class Ready>
SINTER_FN void join_moments(int count, T size, Part&& part, Ready&& ready) {
  const T mean = part(0, 0);
  T rest = T(0), squares = T(0);
  SINTER_UNROLL_BY(Ahead)
  for (int k = 0; k < count; ++k) rest += (T(part(0, k)) - mean) + T(part(1, k));
  rest = rest / static_cast<T>(count);
  SINTER_UNROLL_BY(Ahead)
  for (int k = 0; k < count; ++k) {
    const T apart = ((T(part(0, k)) - mean) - rest) + T(part(1, k));
    squares += fma(product(size, apart), apart, T(part(2, k)));
  }
  ready(mean, rest, squares);
}

struct MomentParts {
  /// The moments of each chunk.
  template <int S, class X, class Tile>
  SINTER_FN static void moment_parts(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = MomentWork<G>;
    constexpr int input = Tile::Record::template input<S>, to = Tile::Record::template saved<G::stage.first>;
    x.items(tile.rows * W::chunks, [&](int item) {
      const int row = item / W::chunks, chunk = item % W::chunks;
      const auto record = tile.record(row);
      constexpr T reciprocal = static_cast<T>(1.0 / W::chunk);
      T total = T(0), left = T(0), squares = T(0);
      SINTER_UNROLL_BY(16)
      for (int i = 0; i < W::chunk; ++i) total += T(record[input + W::template number<Tile>(chunk, i)]);
      const T mean = product(total, reciprocal);
      SINTER_UNROLL_BY(16)
      for (int i = 0; i < W::chunk; ++i) {
        const T apart = T(record[input + W::template number<Tile>(chunk, i)]) - mean;
        left += apart;
        squares = fma(apart, apart, squares);
      }
      const T rest = product(left, reciprocal);
      record[to + chunk] = mean;
      record[to + W::chunks + chunk] = rest;
      record[to + 2 * W::chunks + chunk] = fma(-rest, left, squares);
    });
  }
};

/// Calls take(moments, row, group, mean, rest, squares) for each group of a row, whose numbers are kept at `moments`.
template <int S, class X, class Tile, class Take>
SINTER_FN void each_group_moments(X& x, const Tile& tile, Take&& take) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = MomentWork<G>;
  constexpr int at = Tile::Record::template saved<G::stage.first>;
  x.items(tile.rows * W::groups, [&](int item) {
    const int row = item / W::groups, group = item % W::groups;
    const auto moments = tile.record(row) + at;
    join_moments<T>(
        W::of_group, static_cast<T>(W::chunk),
        [&](int number, int k) { return T(moments[number * W::chunks + group * W::of_group + k]); },
        [&](T mean, T rest, T squares) { take(moments, row, group, mean, rest, squares); });
  });
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
