// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/kernels/host/tile/ride.hpp"
#include "sinter/ops/index_sum.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Calls f(position) for every element of an image, or of a row.
template <class F>
SINTER_INLINE void for_each_position(Dims dims, F&& f) {
  for (int c = 0; c < dims.channels; ++c)
    for (int y = 0; y < dims.height; ++y)
      for (int x = 0; x < dims.width; ++x) f(Position{c, y, x});
}

/// The index map that stage S of a plan begins with, in one direction.
template <class P, int S, bool Transposed>
using IndexSumOf =
    IndexSum<typename P::Ops::template OpType<P::stage(S).first>::Indices, P::source(S).in, Transposed, P::Ops::hash>;

/// A stage that consists of riders: y = f(x).
template <>
struct StageKernel<Source::map> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    constexpr Dims dims = P::source_dims(S);
    for_each_position(dims, [&](Position p) {
      typename Tile::V one[1] = {tile.load(value_at<Tile, P::stage(S).input>(p, dims))};
      ride<Tile, S, P::stage(S).first>(tile, p, one);
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    constexpr Place g = Tile::gradient_of(S);
    for (int i = 0; i < Tile::Plan::source_dims(S).size(); ++i)
      give_input_gradient<Tile, S>(tile, i, tile.load(g.begin() + i));
  }
};

/// Several values in one, channel after channel.
template <>
struct StageKernel<Source::concat> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    unroll<P::source(S).input_count>([&](auto k) SINTER_LAMBDA {
      constexpr int K = decltype(k)::value;
      constexpr Dims seen = P::source(S).seen(K);
      for_each_position(seen, [&](Position p) SINTER_LAMBDA {
        typename Tile::V one[1] = {tile.load(value_at<Tile, P::source(S).inputs[K]>(p, seen))};
        ride<Tile, S, P::stage(S).first + 1>(tile, Position{p.channel + P::source(S).first_channel(K), p.y, p.x}, one);
      });
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    constexpr int n = P::source(S).input_count;
    unroll<n>([&](auto k) SINTER_LAMBDA {
      constexpr int K = n - 1 - decltype(k)::value;
      constexpr Place dy = Tile::gradient_of(S);
      for_each_position(P::source(S).seen(K), [&](Position p) SINTER_LAMBDA {
        const auto g = tile.load(dy.at(p.channel + P::source(S).first_channel(K), p.y, p.x));
        give_gradient<Tile, P::stage(S).first, K>(tile, p, g);
      });
    });
  }
};

/// Two values, element by element.
template <>
struct StageKernel<Source::multiply> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    constexpr Op op = P::source(S);
    for_each_position(op.in, [&](Position p) SINTER_LAMBDA {
      typename Tile::V one[1] = {product(tile.load(value_at<Tile, P::source(S).inputs[0]>(p, P::source(S).in)),
                                         tile.load(value_at<Tile, P::source(S).inputs[1]>(p, P::source(S).in)))};
      ride<Tile, S, P::stage(S).first + 1>(tile, p, one);
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    constexpr Op op = P::source(S);
    for_each_position(op.in, [&](Position p) SINTER_LAMBDA {
      const auto g = tile.load(Tile::gradient_of(S).at(p.channel, p.y, p.x));
      const auto a = tile.load(value_at<Tile, P::source(S).inputs[0]>(p, P::source(S).in)),
                 b = tile.load(value_at<Tile, P::source(S).inputs[1]>(p, P::source(S).in));
      give_gradient<Tile, P::stage(S).first, 1>(tile, p, product(a, g));
      give_gradient<Tile, P::stage(S).first, 0>(tile, p, product(b, g));
    });
  }
};

/// Numbers of a value by their positions, and the transposed map for their gradients.
template <>
struct StageKernel<Source::index_map> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    using Sum = IndexSumOf<P, S, false>;
    constexpr Op op = P::source(S);
    for_each_position(op.out, [&](Position p) SINTER_LAMBDA {
      const auto load = [&](int c, int y, int x) SINTER_LAMBDA {
        return tile.load(value_at<Tile, P::stage(S).input>(Position{c, y, x}, P::source(S).in));
      };
      typename Tile::V one[1] = {Sum::template of<typename Tile::V>(p.channel, p.y, p.x, load)};
      ride<Tile, S, P::stage(S).first + 1>(tile, p, one);
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    using Sum = IndexSumOf<P, S, true>;
    constexpr Op op = P::source(S);
    for_each_position(op.in, [&](Position p) SINTER_LAMBDA {
      const auto load = [&](int c, int y, int x) SINTER_LAMBDA { return tile.load(Tile::gradient_of(S).at(c, y, x)); };
      give_input_gradient<Tile, S>(tile, p, Sum::template of<typename Tile::V>(p.channel, p.y, p.x, load));
    });
  }
};

/// A function of the whole sample, or of each of its rows, in place on a copy.
template <>
struct StageKernel<Source::row> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    using F = typename P::Ops::template OpType<P::stage(S).first>::Functor;
    constexpr int rows = P::source(S).groups, n = P::output_dims(S).size() / rows;
    static_assert(!Tile::output(S).bordered(), "sinter: put a MapIndices between a Row and a convolution with padding");
    // Packs of samples are an array of V.
    const auto* x = reinterpret_cast<const typename Tile::V*>(flat_input<Tile, S>(tile));
    auto* y = reinterpret_cast<typename Tile::V*>(tile.at(Tile::output(S).begin()));
    for (int row = 0; row < rows; ++row) F::forward(x + row * n, y + row * n, n);
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    using F = typename P::Ops::template OpType<P::stage(S).first>::Functor;
    constexpr int rows = P::source(S).groups, n = P::output_dims(S).size() / rows;
    const auto* y = reinterpret_cast<const typename Tile::V*>(tile.at(Tile::output(S).begin()));
    auto* dy = reinterpret_cast<typename Tile::V*>(tile.at(Tile::gradient_of(S).begin()));  // becomes dx
    for (int row = 0; row < rows; ++row) F::backward(y + row * n, dy + row * n, n);
    for (int i = 0; i < rows * n; ++i) give_input_gradient<Tile, S>(tile, i, dy[i]);
  }
};

/// Which element of its window a pool took: a byte, and a second one where windows are that large.
template <class Tile, int S>
SINTER_INLINE void store_which(const Tile& tile, int element, typename Tile::V which) {
  using V = typename Tile::V;
  constexpr int pool = Tile::Plan::stage(S).first, count = Tile::Plan::op(pool).out.size();
  if constexpr (Tile::Plan::op(pool).window.taps() > 256) {
    const V high = convert<V>(convert<integer_of<V>>(which) >> 8);
    store_bytes(high, tile.bytes(Tile::argmax(pool), count + element));
    which = which - high * V(256);  // exact
  }
  store_bytes(which, tile.bytes(Tile::argmax(pool), element));
}
template <class Tile, int S>
SINTER_INLINE typename Tile::V load_which(const Tile& tile, int element) {
  using V = typename Tile::V;
  constexpr int pool = Tile::Plan::stage(S).first, count = Tile::Plan::op(pool).out.size();
  const V low = load_bytes<V>(tile.bytes(Tile::argmax(pool), element));
  if constexpr (Tile::Plan::op(pool).window.taps() <= 256)
    return low;
  else
    return low + load_bytes<V>(tile.bytes(Tile::argmax(pool), count + element)) * V(256);
}

/// A pool that cannot ride: any window, stride and padding; windows may overlap. (nvcc does not accept local constants
/// in a lambda.)
template <>
struct StageKernel<Source::pool> {
  template <class Tile, int S>
  static void forward(const Tile& tile) {
    using P = typename Tile::Plan;
    using V = typename Tile::V;
    constexpr Op op = P::source(S);
    constexpr Place in = Tile::input(S);
    for_each_position(op.out, [&](Position p) {
      const CoveredPixels covered(P::source(S), p.y, p.x);
      V total(0);
      LargestElement<V> largest;
      covered.each([&](int y, int x, int k) SINTER_LAMBDA {
        const V v = tile.load(in.at(p.channel, y, x));
        if constexpr (P::source(S).average)
          total = add(v, total);
        else
          largest.take(v, V(static_cast<T_of<Tile>>(k)));
      });
      if constexpr (!P::source(S).average && Tile::training)
        store_which<Tile, S>(tile, p.within(op.out), largest.number);
      V one[1] = {P::source(S).average ? product(total, V(weight_in_mean<T_of<Tile>>(covered.divisor)))
                                       : largest.value};
      ride<Tile, S, P::stage(S).first + 1>(tile, p, one);
    });
  }
  template <class Tile, int S>
  static void input_gradient(const Tile& tile) {
    using P = typename Tile::Plan;
    using V = typename Tile::V;
    constexpr Op op = P::source(S);
    V* dx = reinterpret_cast<V*>(tile.scratch());  // [C, H, W]
    for (int i = 0; i < op.in.size(); ++i) dx[i] = V(0);
    for_each_position(op.out, [&](Position p) {
      const CoveredPixels covered(P::source(S), p.y, p.x);
      V g = tile.load(Tile::gradient_of(S).at(p.channel, p.y, p.x)), which(0);
      if constexpr (P::source(S).average)
        g = product(g, V(weight_in_mean<T_of<Tile>>(covered.divisor)));
      else
        which = load_which<Tile, S>(tile, p.within(op.out));
      covered.each([&](int y, int x, int k) SINTER_LAMBDA {
        V& to = dx[Position{p.channel, y, x}.within(op.in)];
        if constexpr (P::source(S).average)
          to += g;
        else
          to += select(which == V(static_cast<T_of<Tile>>(k)), g, V(0));
      });
    });
    for_each_position(op.in, [&](Position p) { give_input_gradient<Tile, S>(tile, p, dx[p.within(op.in)]); });
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
