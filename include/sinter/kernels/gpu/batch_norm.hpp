// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/kernels/gpu/group_norm.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

inline constexpr int rows_ahead = 32;  // reads of a thread that adds up rows: it has little else to do

/// The two ops of a batch normalisation, of a stage that begins with one of them. What they keep is laid out as Moments
/// says: for the batch, in the record of the first row, as for groups: [mean, rest, scale, total, along][channels].
/// Numbers of the channels of each row are partials.
template <class G>
inline constexpr int normalize_op =
    G::source.kind == OpKind::normalize
        ? G::stage.first
        : G::S::Ops::readers[static_cast<std::size_t>(G::S::value(G::source.output).first_read)];
template <class Model, class G>
struct BatchNormWork : NormalizeConstants<Model, normalize_op<G>> {
  static constexpr int channels = G::in_channels;
  static constexpr int batch_at = MomentWork<G>::groups_at;
};

/// Where number `number` of channel c of a row is among the partials: those of neighbouring channels together, since
/// neighbouring threads have these.
template <class Tile>
SINTER_FN int of_rows(const Tile& tile, int channels, int number, int c, int row) {
  return (number * tile.rows + row) * channels + c;
}

/// The moments of channel c.
template <int S, class Tile>
SINTER_FN GroupMoments<typename Tile::T> moments_of_channel(const Tile& tile, int c) {
  using T = typename Tile::T;
  using W = BatchNormWork<typename Tile::Model, typename Tile::template At<S>>;
  constexpr int at = Tile::Record::template saved<W::gather> + W::batch_at;
  const auto batch = tile.record(0) + at;
  return {T(batch[c]), T(batch[W::channels + c]), T(batch[2 * W::channels + c])};
}
/// (x - mean) / deviation of element e of a row.
template <int S, class Tile>
SINTER_FN typename Tile::T normalized_by_batch(const Tile& tile, int row, int e) {
  using W = BatchNormWork<typename Tile::Model, typename Tile::template At<S>>;
  constexpr int input = Tile::Record::template input<S>;
  return moments_of_channel<S>(tile, e / W::pixels).normalized(tile.record(row)[input + e]);
}
template <class W, class Tile>
SINTER_FN typename Tile::T channel_weight(const Tile& tile, int c) {
  if constexpr (W::weighted)
    return tile.parameters[W::weight + c];
  else
    return typename Tile::T(1);
}
/// r w of channel c.
template <int S, class Tile>
SINTER_FN typename Tile::T scale_of_channel(const Tile& tile, int c) {
  using T = typename Tile::T;
  using W = BatchNormWork<typename Tile::Model, typename Tile::template At<S>>;
  constexpr int at = Tile::Record::template saved<W::gather> + W::batch_at;
  return product(T(tile.record(0)[at + 2 * W::channels + c]), channel_weight<W>(tile, c));
}

template <>
inline constexpr OwnPhases own_phases<Source::statistics>{.moments = true, .batch_moments = true};
template <>
struct StageKernel<Source::statistics> : MomentParts {
  /// Of each channel of a row: the batch's are computed from their squares.
  template <int S, class X, class Tile>
  SINTER_FN static void moments(X& x, const Tile& tile) {
    using T = typename Tile::T;
    constexpr int channels = Tile::template At<S>::in_channels;
    each_group_moments<S>(x, tile, [&](const auto&, int row, int c, T mean, T rest, T squares) {
      tile.partials[of_rows(tile, channels, 0, c, row)] = mean;
      tile.partials[of_rows(tile, channels, 1, c, row)] = rest;
      tile.partials[of_rows(tile, channels, 2, c, row)] = squares;
    });
  }

  /// Mean and deviation of each channel of the batch, from those of its rows in their order; and what these make of the
  /// running ones, which stays pending until the step is known to be sound.
  template <int S, class X, class Tile>
  SINTER_FN static void batch_moments(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    constexpr int at = Tile::Record::template saved<W::gather>;
    x.items(W::channels, [&](int c) {
      const T count = static_cast<T>(tile.rows) * static_cast<T>(W::pixels);
      join_moments<T, rows_ahead>(
          tile.rows, static_cast<T>(W::pixels),
          [&](int number, int row) { return T(tile.partials[of_rows(tile, W::channels, number, c, row)]); },
          [&](T mean, T rest, T squares) {
            const auto batch = tile.record(0) + (at + W::batch_at);
            batch[c] = mean;
            batch[W::channels + c] = rest;
            batch[2 * W::channels + c] = T(1) / fn::sqrt(squares / count + static_cast<T>(W::epsilon));
            if (!tile.keeps_statistics) return;
            constexpr int arena = W::Ops::arena_size;
            constexpr double momentum = W::momentum;
            const auto follow = [&](int buffer, double now) {
              const bool followed = W::follows_again || tile.follows_statistics;
              const double before = followed ? static_cast<double>(T(tile.statistics[buffer - arena + c]))
                                             : static_cast<double>(T(tile.parameters[buffer + c]));
              tile.statistics[buffer - arena + c] = static_cast<T>(fma(1 - momentum, before, momentum * now));
            };
            follow(W::running_mean, static_cast<double>(mean) + static_cast<double>(rest));
            follow(W::running_variance, static_cast<double>(squares) / (static_cast<double>(count) - 1));
          });
    });
  }

  /// dx = - r w / n (sum of dy + h sum of dy h); and r w dy, where the same value is normalised next.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    constexpr int at = Tile::Record::template saved<W::gather> + W::batch_at;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, e = item % G::inputs, c = e / W::pixels;
      const auto batch = tile.record(0) + at;
      const T scale = scale_of_channel<S>(tile, c);
      const T factor = scale / (static_cast<T>(tile.rows) * static_cast<T>(W::pixels));
      const T total = batch[3 * W::channels + c], along = batch[4 * W::channels + c];
      const T h = normalized_by_batch<S>(tile, row, e);
      if constexpr (Stages<typename Tile::Model, Tile::cut>::template gathers_for_next<S>) {
        constexpr int gradient = Tile::Record::template gradient<S + 1>;
        const T g = tile.record(row)[gradient + e];
        give_input_gradient<S + 1>(tile, row, e, product(g, scale));
      }
      give_input_gradient<S>(tile, row, e, product(-factor, fma(h, along, total)));
    });
  }
};

template <>
inline constexpr OwnPhases own_phases<Source::normalize>{.slopes = true, .batch_slopes = true};
template <>
struct StageKernel<Source::normalize> {
  /// y = (x - mean) r w + b.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, e = item % G::inputs, c = e / W::pixels;
      T v[1] = {product(normalized_by_batch<S>(tile, row, e), channel_weight<W>(tile, c))};
      if constexpr (W::biased) v[0] += T(tile.parameters[W::bias + c]);
      ride<S, G::first_rider>(tile, row, Element<G>(e), v);
    });
  }

  /// The sums of dy and of dy h, with h = (x - mean) r: of each chunk, of each channel of a row, and of the batch,
  /// where they are db and dw.
  template <int S, class X, class Tile>
  SINTER_FN static void slope_parts(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    using M = MomentWork<G>;
    constexpr int to = Tile::Record::template saved<W::gather>, gradient = Tile::Record::template gradient<S>,
                  input = Tile::Record::template input<S>;
    x.items(tile.rows * M::chunks, [&](int item) {
      const int row = item / M::chunks, chunk = item % M::chunks;
      const auto record = tile.record(row);
      const auto moments = moments_of_channel<S>(tile, M::template number<Tile>(chunk, 0) / W::pixels);
      T total = T(0), along = T(0);
      SINTER_UNROLL_BY(8)
      for (int i = 0; i < M::chunk; ++i) {
        const int e = M::template number<Tile>(chunk, i);
        const T g = record[gradient + e];
        total += g;
        along = fma(g, moments.normalized(record[input + e]), along);
      }
      record[to + chunk] = total;
      record[to + M::chunks + chunk] = along;
    });
  }

  template <int S, class X, class Tile>
  SINTER_FN static void slopes(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    using M = MomentWork<G>;
    constexpr int at = Tile::Record::template saved<W::gather>;
    x.items(tile.rows * W::channels, [&](int item) {
      const int row = item / W::channels, c = item % W::channels;
      const auto moments = tile.record(row) + at;
      T total = T(0), along = T(0);
      SINTER_UNROLL_BY(8)
      for (int k = c * M::of_group; k < (c + 1) * M::of_group; ++k) {
        total += T(moments[k]);
        along += T(moments[M::chunks + k]);
      }
      tile.partials[of_rows(tile, W::channels, 0, c, row)] = total;
      tile.partials[of_rows(tile, W::channels, 1, c, row)] = along;
    });
  }

  template <int S, class X, class Tile>
  SINTER_FN static void batch_slopes(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    constexpr int at = Tile::Record::template saved<W::gather>;
    x.items(W::channels, [&](int c) {
      T total = T(0), along = T(0);
      SINTER_UNROLL_BY(rows_ahead)
      for (int row = 0; row < tile.rows; ++row) {
        total += T(tile.partials[of_rows(tile, W::channels, 0, c, row)]);
        along += T(tile.partials[of_rows(tile, W::channels, 1, c, row)]);
      }
      const auto batch = tile.record(0) + (at + W::batch_at);
      batch[3 * W::channels + c] = total;
      batch[4 * W::channels + c] = along;
      if constexpr (W::weighted) tile.add_gradient(W::weight + c, along);
      if constexpr (W::biased) tile.add_gradient(W::bias + c, total);
    });
  }

  /// dx = r w dy.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using G = typename Tile::template At<S>;
    using W = BatchNormWork<typename Tile::Model, G>;
    constexpr int gradient = Tile::Record::template gradient<S>;
    x.items(tile.rows * G::inputs, [&](int item) {
      const int row = item / G::inputs, e = item % G::inputs;
      const T scale = scale_of_channel<S>(tile, e / W::pixels), g = tile.record(row)[gradient + e];
      give_input_gradient<S>(tile, row, e, product(g, scale));
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
