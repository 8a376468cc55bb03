// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/kernels/gpu/moments.hpp"
#include "sinter/ops/group_normalization.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// What a normalising op reads and writes in addition to its values.
template <class G>
struct NormWork : MomentWork<G> {
  static constexpr bool weighted = G::source.weight >= 0, biased = G::source.bias >= 0;
  static constexpr int offset_of(int parameter) {
    return parameter < 0 ? 0 : G::S::Ops::parameters[static_cast<std::size_t>(parameter)].offset;
  }
  static constexpr int weight = offset_of(G::source.weight), bias = offset_of(G::source.bias);
  static constexpr bool per_channel = G::source.per_channel;
  static constexpr int weights = per_channel ? G::in_channels : G::inputs;
  /// Whether dw is a sum of the chunks', which then leave w out.
  static constexpr bool by_chunks = per_channel && G::in_pixels > 1;
  static constexpr int chunks_of_channel = by_chunks ? G::in_pixels / MomentWork<G>::chunk : 1;
};

/// w and b of an element; 1 and 0 without them.
template <class G, class Tile>
SINTER_FN typename Tile::T weight_of(const Tile& tile, int e) {
  using W = NormWork<G>;
  using T = typename Tile::T;
  if constexpr (W::weighted)
    return tile.parameters[W::weight + (W::per_channel ? e / G::in_pixels : e)];
  else
    return T(1);
}
template <class G, class Tile>
SINTER_FN typename Tile::T bias_of(const Tile& tile, int e) {
  using W = NormWork<G>;
  using T = typename Tile::T;
  if constexpr (W::biased)
    return tile.parameters[W::bias + (W::per_channel ? e / G::in_pixels : e)];
  else
    return T(0);
}

/// The moments of a group of a row.
template <int S, class Tile, class Record>
SINTER_FN GroupMoments<typename Tile::T> moments_of(const Record& record, int group) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using W = MomentWork<G>;
  constexpr int at = Tile::Record::template saved<G::stage.first> + W::groups_at;
  return {T(record[at + group]), T(record[at + W::groups + group]), T(record[at + 2 * W::groups + group])};
}
/// (x - mean) / deviation of element e of a row.
template <int S, class Tile, class Record>
SINTER_FN typename Tile::T normalized(const Record& record, int e) {
  using W = MomentWork<typename Tile::template At<S>>;
  constexpr int input = Tile::Record::template input<S>;
  return moments_of<S, Tile>(record, e / W::size).normalized(record[input + e]);
}

template <>
inline constexpr OwnPhases own_phases<Source::group_normalize>{.moments = true, .slopes = true};
template <>
struct StageKernel<Source::group_normalize> : MomentParts {
  /// Mean, its rounding error and 1 / deviation of each group.
  template <int S, class X, class Tile>
  SINTER_FN static void moments(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = MomentWork<G>;
    each_group_moments<S>(x, tile, [](const auto& moments, int, int group, T mean, T rest, T squares) {
      moments[W::groups_at + group] = mean;
      moments[W::groups_at + W::groups + group] = rest;
      moments[W::groups_at + 2 * W::groups + group] =
          T(1) / fn::sqrt(fma(squares, static_cast<T>(1.0 / W::size), static_cast<T>(G::source.epsilon)));
    });
  }

  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, e = item % G::inputs;
      const T h = normalized<S, Tile>(tile.record(row), e);
      T v[1] = {fma(h, weight_of<G>(tile, e), bias_of<G>(tile, e))};
      ride<S, G::first_rider>(tile, row, Element<G>(e), v);
    });
  }

  /// The sums of dy and of dy h of each chunk, which have w in them unless dw is made from them.
  template <int S, class X, class Tile>
  SINTER_FN static void slope_parts(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = NormWork<G>;
    constexpr int to = Tile::Record::template saved<G::stage.first>, gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * W::chunks, [&](int item) {
      const int row = item / W::chunks, chunk = item % W::chunks;
      const auto record = tile.record(row);
      T total = T(0), along = T(0);
      for (int i = 0; i < W::chunk; ++i) {
        const int e = W::template number<Tile>(chunk, i);
        T g = record[gradient + e];
        if constexpr (!W::by_chunks) g = product(g, weight_of<G>(tile, e));
        total += g;
        along = fma(g, normalized<S, Tile>(record, e), along);
      }
      record[to + chunk] = total;
      record[to + W::chunks + chunk] = along;
    });
  }

  /// The means of g and of g h of each group, with g = w dy.
  template <int S, class X, class Tile>
  SINTER_FN static void slopes(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = NormWork<G>;
    constexpr int at = Tile::Record::template saved<G::stage.first>;
    x.items(tile.rows * W::groups, [&](int item) {
      const int row = item / W::groups, group = item % W::groups;
      const auto moments = tile.record(row) + at;
      T total = T(0), along = T(0);
      for (int k = group * W::of_group; k < (group + 1) * W::of_group; ++k) {
        const T w = W::by_chunks ? weight_of<G>(tile, k * W::chunk) : T(1);
        total = fma(w, T(moments[k]), total);
        along = fma(w, T(moments[W::chunks + k]), along);
      }
      constexpr T reciprocal = static_cast<T>(1.0 / W::size);
      moments[W::groups_at + 3 * W::groups + group] = product(total, reciprocal);
      moments[W::groups_at + 4 * W::groups + group] = product(along, reciprocal);
    });
  }

  /// dw = sum of dy h, db = sum of dy, over the rows in their order.
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = NormWork<G>;
    constexpr int at = Tile::Record::template saved<G::stage.first>, gradient = Tile::Record::template gradient<S>;
    x.items(W::weights, [&](int number) {
      T total = T(0), along = T(0);
      for (int row = 0; row < tile.rows; ++row) {
        const auto record = tile.record(row);
        if constexpr (W::by_chunks) {
          for (int k = number * W::chunks_of_channel; k < (number + 1) * W::chunks_of_channel; ++k) {
            total += T(record[at + k]);
            along += T(record[at + W::chunks + k]);
          }
        } else {
          const T g = record[gradient + number];
          total += g;
          along = fma(g, normalized<S, Tile>(record, number), along);
        }
      }
      if constexpr (W::weighted) tile.add_gradient(W::weight + number, along);
      if constexpr (W::biased) tile.add_gradient(W::bias + number, total);
    });
  }

  /// dx = r (g - mean of g - h mean of g h).
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = NormWork<G>;
    constexpr int at = Tile::Record::template saved<G::stage.first> + W::groups_at,
                  gradient = Tile::Record::template gradient<S>, input = Tile::Record::template input<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, e = item % G::inputs, group = e / W::size;
      const auto record = tile.record(row);
      const T g = product(T(record[gradient + e]), weight_of<G>(tile, e));
      const T total = record[at + 3 * W::groups + group], along = record[at + 4 * W::groups + group];
      const auto moments = moments_of<S, Tile>(record, group);
      give_input_gradient<S>(tile, row, e, moments.gradient(moments.normalized(record[input + e]), g, total, along));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
