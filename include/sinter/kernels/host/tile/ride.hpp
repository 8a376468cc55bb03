// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/bytes.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/kernels/host/tile/tile.hpp"
#include "sinter/ops/batch_normalization.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

// -- forward: from a source's output, through the riders of its stage, to memory -------------------------------------

/// The largest of v, lane by lane.
template <class V, int N>
SINTER_INLINE LargestElement<V> largest(const V (&v)[N]) {
  LargestElement<V> best;
  unroll<N>([&](auto k) SINTER_LAMBDA { best.take(v[k], V(decltype(k)::value)); });
  return best;
}

/// The output of a pool for its window, in row-major order.
template <bool Average, class V, int N>
SINTER_INLINE V pool_window(const V (&v)[N]) {
  if constexpr (Average) {
    V total = v[0];
    unroll<N - 1>([&](int k) SINTER_LAMBDA { total = add(v[k + 1], total); });
    return product(total, V(weight_in_mean<scalar_of<V>>(N)));
  } else {
    return largest(v).value;
  }
}

/// The position of element p of a stored value, for a reader that sees it in the shape `seen`: a Flatten changes the
/// shape.
template <class Tile, int Value>
SINTER_INLINE Spot value_at(Position p, Dims seen) {
  constexpr Place place = Tile::value(Value);
  if (seen != place.dims) p = Position::of(p.within(seen), place.dims);
  return place.at(p.channel, p.y, p.x);
}

/// Runs op `Index` and the following ones on the N values of a pool's window (N = 1 without one), whose first is at
/// `p`.
template <class Tile, int S, int Index, int N>
SINTER_INLINE void ride(const Tile& tile, Position p, typename Tile::V (&v)[N]) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Stage stage = P::stage(S);
  if constexpr (Index == stage.last) {
    static_assert(N == 1);
    constexpr Place out = Tile::output(S);
    tile.store(out.at(p.channel, p.y, p.x), v[0]);
  } else {
    constexpr Op op = P::op(Index);
    // The position of element k of the window.
    constexpr int width = N > 1 ? P::op(stage.pool).window.width : 1;
    auto element = [&](int k) SINTER_LAMBDA { return Position{p.channel, p.y + k / width, p.x + k % width}; };
    if constexpr (op.kind == OpKind::map) {
      using F = typename P::Ops::template OpType<Index>::Functor;
      unroll<N>([&](auto k) SINTER_LAMBDA {
        const V x = v[k];
        v[k] = fn::forward_at<F, P::op(Index).in>(x, element(k).within(P::op(Index).in));
        if constexpr (Tile::training && P::saves(S, Index))
          tile.store(Tile::saved(Index).begin() + element(k).within(op.in), op.backward_reads_output ? v[k] : x);
      });
      ride<Tile, S, Index + 1>(tile, p, v);
    } else if constexpr (op.kind == OpKind::mask) {
      if constexpr (Tile::training)
        unroll<N>([&](int k) SINTER_LAMBDA {
          const int at = op.per_channel ? p.channel : element(k).within(op.in);
          v[k] = product(v[k], tile.load(Tile::mask(Index).begin() + at));
        });
      ride<Tile, S, Index + 1>(tile, p, v);
    } else if constexpr (op.kind == OpKind::statistics) {
      ride<Tile, S, Index + 1>(tile, p, v);  // none in inference
    } else if constexpr (op.kind == OpKind::normalize) {
      using Memory = typename Tile::Values;
      const auto of_batch = [&](auto row) SINTER_LAMBDA { return V(tile.of_batch(Index, row)[p.channel]); };
      const V mean = of_batch(Memory::mean), scale = of_batch(Memory::scale), shift = of_batch(Memory::shift);
      unroll<N>([&](int k) SINTER_LAMBDA { v[k] = normalize_channel(v[k], mean, scale, shift); });
      ride<Tile, S, Index + 1>(tile, p, v);
    } else if constexpr (op.kind == OpKind::add) {
      constexpr int other = op.inputs[1 - P::Cut::main_input(Index)];
      unroll<N>([&](int k) SINTER_LAMBDA { v[k] = add(v[k], tile.load(value_at<Tile, other>(element(k), op.in))); });
      ride<Tile, S, Index + 1>(tile, p, v);
    } else {
      static_assert(op.kind == OpKind::pool);
      const Position pooled{p.channel, p.y / op.window.height, p.x / op.window.width};
      V one[1];
      if constexpr (op.average || !Tile::training) {
        one[0] = pool_window<op.average>(v);
      } else {
        const auto best = largest(v);
        one[0] = best.value;
        store_bytes(best.number, tile.bytes(Tile::argmax(Index), pooled.within(op.out)));
      }
      ride<Tile, S, Index + 1>(tile, pooled, one);
    }
  }
}

// -- backward: from the gradient of a stage's output, through its riders, to the gradient of its source ---------------

// nvcc wants attributes on the first declaration only.
template <class Tile, int Index, int K>
SINTER_INLINE void give_gradient(const Tile& tile, Position p, typename Tile::V g);

/// The place of the gradient that a value was given as number `turn`.
template <class Tile, int Value>
SINTER_INLINE Spot read_gradient_before(int turn, Position p) {
  return Tile::read_gradient(Tile::Plan::GradientOrder::in_turn(Value, turn)).at(p.channel, p.y, p.x);
}

/// Runs the adjoints of op `Index` and those before it on g, the gradient of op Index's output at `p`.
template <class Tile, int S, int Index>
SINTER_INLINE void ride_back(const Tile& tile, Position p, typename Tile::V g) {
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Stage stage = P::stage(S);
  if constexpr (Index < stage.first_rider()) {
    constexpr Place to = Tile::gradient_of(S);
    tile.store(to.at(p.channel, p.y, p.x), g);
  } else {
    constexpr Op op = P::op(Index);
    if constexpr (op.kind == OpKind::map) {
      using F = typename P::Ops::template OpType<Index>::Functor;
      V saved;
      if constexpr (P::saves(S, Index)) {
        saved = tile.load(Tile::saved(Index).begin() + p.within(op.in));
      } else {
        constexpr Place out = Tile::output(S);
        saved = tile.load(out.at(p.channel, p.y, p.x));
      }
      ride_back<Tile, S, Index - 1>(tile, p, fn::backward_at<F, P::op(Index).in>(saved, g, p.within(op.in)));
    } else if constexpr (op.kind == OpKind::mask) {
      const int at = op.per_channel ? p.channel : p.within(op.in);
      ride_back<Tile, S, Index - 1>(tile, p, product(g, tile.load(Tile::mask(Index).begin() + at)));
    } else if constexpr (op.kind == OpKind::add) {
      give_gradient<Tile, Index, 1 - P::Cut::main_input(Index)>(tile, p, g);
      ride_back<Tile, S, Index - 1>(tile, p, g);
    } else if constexpr (P::sparse(S)) {
      ride_back<Tile, S, Index - 1>(tile, p, g);  // stays pooled: the kernel reads where it belongs
    } else {
      constexpr int n = op.window.taps();
      V which;
      if constexpr (!op.average) which = load_bytes<V>(tile.bytes(Tile::argmax(Index), p.within(op.out)));
      unroll<n>([&](auto k) SINTER_LAMBDA {
        constexpr int i = decltype(k)::value;
        constexpr Window w = P::op(Index).window;
        const Position q{p.channel, p.y * w.height + i / w.width, p.x * w.width + i % w.width};
        if constexpr (P::op(Index).average)
          ride_back<Tile, S, Index - 1>(tile, q, product(g, V(weight_in_mean<typename Tile::T>(n))));
        else
          ride_back<Tile, S, Index - 1>(tile, q, select(which == V(i), g, V(0)));
      });
    }
  }
}

/// Whether the gradient of stage S's input is needed.
template <class Tile, int S>
inline constexpr bool wants_input_gradient = Tile::Plan::Cut::wants_input_gradient(S) || Tile::input_gradient;

/// Takes the gradient of a value, element by element: to the stage that made it, or out, for the input of the network.
template <class Tile, int Value>
SINTER_INLINE void take_gradient(const Tile& tile, Position p, typename Tile::V g) {
  using P = typename Tile::Plan;
  if constexpr (Value == 0) {
    if constexpr (Tile::input_gradient) tile.store(Tile::memory_plan.input_gradient.at(p.channel, p.y, p.x), g);
  } else {
    constexpr int S = P::Cut::producer(Value);
    ride_back<Tile, S, P::stage(S).last - 1>(tile, p, g);
  }
}

/// Takes the gradient of what op `Index` reads as its input `K`. Where other ops read the same value, it is stored; the
/// last one adds them up, in the order in which they came. An element may be given twice.
template <class Tile, int Index, int K>
inline void give_gradient(const Tile& tile, Position p, typename Tile::V g) {
  using P = typename Tile::Plan;
  using GradientOrder = typename P::GradientOrder;
  constexpr int value = P::op(Index).inputs[K];
  if constexpr (P::Cut::learned(value) || Tile::input_gradient) {
    constexpr int read = GradientOrder::read(Index, K), turn = GradientOrder::turn(read);
    constexpr Dims seen = P::op(Index).seen(K), dims = P::value_dims(value);
    if constexpr (seen != dims) p = Position::of(p.within(seen), dims);  // a Flatten in between
    if constexpr (turn + 1 < GradientOrder::count(value)) {
      constexpr Place to = Tile::read_gradient(read);
      tile.store(to.at(p.channel, p.y, p.x), g);
    } else {
      if constexpr (turn > 0) {
        typename Tile::V sum = tile.load(read_gradient_before<Tile, value>(0, p));
        unroll<turn - 1>([&](int t)
                             SINTER_LAMBDA { sum = add(sum, tile.load(read_gradient_before<Tile, value>(t + 1, p))); });
        g = add(sum, g);
      }
      take_gradient<Tile, value>(tile, p, g);
    }
  }
}
/// The same of the first input of stage S.
template <class Tile, int S>
SINTER_INLINE void give_input_gradient(const Tile& tile, Position p, typename Tile::V g) {
  give_gradient<Tile, Tile::Plan::stage(S).first, 0>(tile, p, g);
}
/// For element `feature` in row-major order, as products with whole samples count.
template <class Tile, int S>
SINTER_INLINE void give_input_gradient(const Tile& tile, int feature, typename Tile::V g) {
  give_input_gradient<Tile, S>(tile, Position::of(feature, Tile::Plan::source(S).in), g);
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
