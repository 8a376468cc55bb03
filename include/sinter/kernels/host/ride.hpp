// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/bytes.hpp"
#include "sinter/fn/apply.hpp"
#include "sinter/kernels/host/tile.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

// -- forward: from what a source made, through the riders of its stage, to memory -------------------------------------

/// Whether a pool takes v rather than the best so far: v is larger, or NaN. A NaN stays, as in PyTorch.
template <class V>
SINTER_INLINE typename V::Mask beats(V v, V best) {
  return (v > best) | (v != v);
}

/// The largest of v, and which it was, lane by lane.
template <class V, int N>
SINTER_INLINE V largest(const V (&v)[N], V& which) {
  V best = v[0];
  which = V(0);
  unroll<N - 1>([&](auto k) SINTER_LAMBDA {
    constexpr int i = decltype(k)::value + 1;
    const auto larger = beats(v[i], best);
    best = select(larger, v[i], best);
    which = select(larger, V(i), which);
  });
  return best;
}

/// What a pool makes of its window, in row-major order.
template <bool Average, class V, int N>
SINTER_INLINE V pool_window(const V (&v)[N]) {
  if constexpr (Average) {
    V total = v[0];
    unroll<N - 1>([&](auto k) SINTER_LAMBDA { total = add(v[decltype(k)::value + 1], total); });
    return product(total, V(static_cast<scalar_of<V>>(1.0 / N)));
  } else {
    V which;
    return largest(v, which);
  }
}

/// Runs op `I` and those behind it on the N values of a pool's window (N = 1 without one), whose first is at `p`.
template <class Tile, int S, int I, int N>
SINTER_INLINE void ride(const Tile& tile, Position p, typename Tile::V (&v)[N]) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Stage stage = P::stage(S);
  if constexpr (I == stage.last) {
    static_assert(N == 1);
    constexpr Place out = Tile::output(S);
    tile.store(out.at(p.channel, p.y, p.x), v[0]);
  } else {
    constexpr Op op = P::op(I);
    // Where element k of the window lies.
    constexpr int width = N > 1 ? P::op(stage.pool).window.width : 1;
    auto element = [&](int k) SINTER_LAMBDA { return Position{p.channel, p.y + k / width, p.x + k % width}; };
    if constexpr (op.kind == OpKind::map) {
      using F = typename P::Ops::template OpType<I>::Functor;
      unroll<N>([&](auto k) SINTER_LAMBDA {
        const V x = v[k];
        v[k] = fn::forward<F>(x);
        if constexpr (Tile::training && P::saves(S, I))
          tile.store(Tile::saved(I).offset + element(k).within(op.in), op.backward_reads_output ? v[k] : x);
      });
      ride<Tile, S, I + 1>(tile, p, v);
    } else if constexpr (op.kind == OpKind::mask) {
      if constexpr (Tile::training)
        unroll<N>([&](auto k) SINTER_LAMBDA {
          const int at = op.per_channel ? p.channel : element(k).within(op.in);
          v[k] = product(v[k], tile.load(Tile::mask(I).offset + at));
        });
      ride<Tile, S, I + 1>(tile, p, v);
    } else {
      static_assert(op.kind == OpKind::pool);
      const Position pooled{p.channel, p.y / op.window.height, p.x / op.window.width};
      V one[1];
      if constexpr (op.average || !Tile::training) {
        one[0] = pool_window<op.average>(v);
      } else {
        V which;
        one[0] = largest(v, which);
        store_bytes(which, tile.argmax(I, pooled.within(op.out)));
      }
      ride<Tile, S, I + 1>(tile, pooled, one);
    }
  }
}

// -- backward: from the gradient of a stage's output, through its riders, to the gradient of its source ---------------

/// Runs the adjoints of op `I` and those before it on g, the gradient of op I's output at `p`.
template <class Tile, int S, int I>
SINTER_INLINE void ride_back(const Tile& tile, Position p, typename Tile::V g) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Stage stage = P::stage(S);
  if constexpr (I < stage.first_rider()) {
    constexpr Place to = Tile::gradient_of(S);
    tile.store(to.at(p.channel, p.y, p.x), g);
  } else {
    constexpr Op op = P::op(I);
    if constexpr (op.kind == OpKind::map) {
      using F = typename P::Ops::template OpType<I>::Functor;
      V saved;
      if constexpr (P::saves(S, I)) {
        saved = tile.load(Tile::saved(I).offset + p.within(op.in));
      } else {
        constexpr Place out = Tile::output(S);
        saved = tile.load(out.at(p.channel, p.y, p.x));
      }
      ride_back<Tile, S, I - 1>(tile, p, fn::backward<F>(saved, g));
    } else if constexpr (op.kind == OpKind::mask) {
      const int at = op.per_channel ? p.channel : p.within(op.in);
      ride_back<Tile, S, I - 1>(tile, p, product(g, tile.load(Tile::mask(I).offset + at)));
    } else if constexpr (stage.sparse) {
      ride_back<Tile, S, I - 1>(tile, p, g);  // stays pooled: the kernel reads where it belongs
    } else {
      constexpr int n = op.window.taps();
      V which;
      if constexpr (!op.average) which = load_bytes<V>(tile.argmax(I, p.within(op.out)));
      unroll<n>([&](auto k) SINTER_LAMBDA {
        constexpr int i = decltype(k)::value;
        constexpr Window w = P::op(I).window;
        const Position q{p.channel, p.y * w.height + i / w.width, p.x * w.width + i % w.width};
        if constexpr (P::op(I).average)
          ride_back<Tile, S, I - 1>(tile, q, product(g, V(static_cast<typename Tile::T>(1.0 / n))));
        else
          ride_back<Tile, S, I - 1>(tile, q, select(which == V(i), g, V(0)));
      });
    }
  }
}

/// Takes the gradient of a stage's output (of the input of the network for S = -1), element by element.
template <class Tile, int S>
SINTER_INLINE void give_gradient(const Tile& tile, Position p, typename Tile::V g) {
  if constexpr (S < 0) {
    if constexpr (Tile::input_gradient) tile.store(Tile::memory_plan.input_gradient.at(p.channel, p.y, p.x), g);
  } else {
    ride_back<Tile, S, Tile::Plan::stage(S).last - 1>(tile, p, g);
  }
}

/// Whether anybody wants the gradient of the value that stage S reads.
template <class Tile, int S>
inline constexpr bool wants_input_gradient = S > 0 || Tile::input_gradient;

/// The same for element `feature` in row-major order of the output, as products with whole samples count it.
template <class Tile, int S>
SINTER_INLINE void give_gradient(const Tile& tile, int feature, typename Tile::V g) {
  constexpr Dims dims = S < 0 ? Tile::Plan::Ops::input : Tile::Plan::output_dims(S < 0 ? 0 : S);
  if constexpr (dims.rank == 1)
    give_gradient<Tile, S>(tile, Position{feature, 0, 0}, g);
  else
    give_gradient<Tile, S>(
        tile, Position{feature / dims.pixels(), feature % dims.pixels() / dims.width, feature % dims.width}, g);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
