// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/pack_sqrt.hpp"
#include "sinter/core/unroll.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/kernels/gpu/tile.hpp"
#include "sinter/ops/batch_normalization.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// Where an output of stage S is: its channel, its place in the image that the product made (in each window of a pool,
/// position k is `k / pool_width` rows down), and its number among the outputs of the stage.
template <class G>
struct Element {
  int channel, y, x, number;
  SINTER_FN explicit Element(int e)
      : channel(e / G::pooled_pixels), y(e % G::pooled_pixels / G::pooled_width), x(e % G::pooled_width), number(e) {}
  /// Its index among gradients and winners, and among outputs.
  SINTER_FN int in_planes() const { return number + channel * (G::plane - G::pooled_pixels); }
  SINTER_FN int in_outputs() const { return number + channel * (G::out_plane - G::pooled_pixels); }
  /// Position k of its window in the image before the pool.
  SINTER_FN int before_pool(int k) const {
    return (channel * G::height + y * G::pool_height + k / G::pool_width) * G::width + x * G::pool_width +
           k % G::pool_width;
  }
};

/// v[k] without an indexed register.
template <class T, int N>
SINTER_FN T pick(const T (&v)[N], int k) {
  T value = v[0];
  SINTER_UNROLL
  for (int i = 1; i < N; ++i) value = i == k ? v[i] : value;
  return value;
}

/// Applies op Index and the later riders of stage S to what its source made, and stores the output. v holds the numbers
/// of a pool's window, or one. Returns which of them won.
template <int S, int Index, class Tile, int N>
SINTER_FN int ride(const Tile& tile, int row, const Element<typename Tile::template At<S>>& e,
                   typename Tile::T (&v)[N]) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using Record = typename Tile::Record;
  using Ops = Program<typename Tile::Model>;
  const auto record = tile.record(row);
  if constexpr (Index == G::last) {
    static_assert(N == 1);
    constexpr int output = Record::template output<S>;
    record[output + e.in_outputs()] = v[0];
    return 0;
  } else {
    using O = OpConstants<typename Tile::Model, Index, Tile::cut>;
    constexpr Op op = O::op;
    if constexpr (op.kind == OpKind::map) {
      using F = typename Ops::template OpType<Index>::Functor;
      constexpr bool saves = Record::template keeps<S, Index>;
      [[maybe_unused]] T kept[N];
      SINTER_UNROLL
      for (int k = 0; k < N; ++k) {
        const T x = v[k];
        v[k] = fn::forward_at<F, O::op.in>(x, N > 1 ? e.before_pool(k) : e.number);
        if constexpr (saves) kept[k] = op.backward_reads_output ? v[k] : x;
      }
      const int winner = ride<S, Index + 1>(tile, row, e, v);
      if constexpr (saves) {
        constexpr int saved = Record::template saved<Index>;
        record[saved + e.number] = pick(kept, winner);
      }
      return winner;
    } else if constexpr (op.kind == OpKind::mask) {
      if constexpr (Tile::training) {
        constexpr int mask = Record::template mask<Index>, pixels = O::pixels;
        SINTER_UNROLL
        for (int k = 0; k < N; ++k) {
          const int element = N > 1 ? e.before_pool(k) : e.number;
          const T m = record[mask + (op.per_channel ? element / pixels : element)];
          v[k] = product(v[k], m);
        }
      }
      return ride<S, Index + 1>(tile, row, e, v);
    } else if constexpr (op.kind == OpKind::statistics) {
      return ride<S, Index + 1>(tile, row, e, v);  // none in inference
    } else if constexpr (op.kind == OpKind::normalize) {
      using W = NormalizeConstants<typename Tile::Model, Index>;
      SINTER_UNROLL
      for (int k = 0; k < N; ++k) {
        const int c = (N > 1 ? e.before_pool(k) : e.number) / W::pixels;
        const T mean = tile.parameters[W::running_mean + c], variance = tile.parameters[W::running_variance + c];
        T scale = T(1) / fn::sqrt(variance + static_cast<T>(W::epsilon)), shift = T(0);
        if constexpr (W::weighted) scale = product(scale, T(tile.parameters[W::weight + c]));
        if constexpr (W::biased) shift = tile.parameters[W::bias + c];
        v[k] = normalize_channel(v[k], mean, scale, shift);
      }
      return ride<S, Index + 1>(tile, row, e, v);
    } else if constexpr (op.kind == OpKind::add) {
      static_assert(N == 1);
      constexpr int other = Record::template value<op.inputs[O::other]>;
      const T read = record[other + e.number];
      v[0] = v[0] + read;
      return ride<S, Index + 1>(tile, row, e, v);
    } else {
      static_assert(op.kind == OpKind::pool);
      LargestElement<T, int> largest;
      SINTER_UNROLL
      for (int k = 0; k < N; ++k) largest.take(v[k], k);
      if constexpr (Tile::training) {
        constexpr int at = Record::template winner<S>;
        record[at + e.in_planes()] = kept_winner<T>(largest.number);
      }
      T one[1] = {largest.value};
      ride<S, Index + 1>(tile, row, e, one);
      return largest.number;
    }
  }
}

/// The number of the element of op Index's output from which output e of stage S was made.
template <int S, int Index, class Tile>
SINTER_FN int element_of(const Tile& tile, int row, const Element<typename Tile::template At<S>>& e) {
  if constexpr (Index < Tile::template At<S>::stage.pool) {
    constexpr int winner = Tile::Record::template winner<S>;
    const typename Tile::T won = tile.record(row)[winner + e.in_planes()];
    return e.before_pool(winner_in(won));
  } else {
    return e.number;
  }
}

template <int Index, int K, class Tile>
SINTER_FN void give_gradient(const Tile& tile, int row, int e, typename Tile::T dy);  // nvcc: attributes here alone

/// The adjoint: takes the gradient of output e of stage S back through the riders to its source.
template <int S, int Index, class Tile>
SINTER_FN typename Tile::T ride_back(const Tile& tile, int row, const Element<typename Tile::template At<S>>& e,
                                     typename Tile::T dy) {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using Record = typename Tile::Record;
  using Ops = Program<typename Tile::Model>;
  if constexpr (Index < G::first_rider) {
    return dy;
  } else {
    using O = OpConstants<typename Tile::Model, Index>;
    constexpr Op op = O::op;
    const auto record = tile.record(row);
    if constexpr (op.kind == OpKind::map) {
      using F = typename Ops::template OpType<Index>::Functor;
      constexpr bool own = Record::template keeps<S, Index>;
      constexpr int saved = own ? Record::template saved<Index> : Record::template output<S>;
      const T kept = record[saved + (own ? e.number : e.in_outputs())];
      return ride_back<S, Index - 1>(tile, row, e,
                                     fn::backward_at<F, O::op.in>(kept, dy, element_of<S, Index>(tile, row, e)));
    } else if constexpr (op.kind == OpKind::mask) {
      constexpr int mask = Record::template mask<Index>, pixels = O::pixels;
      const int element = element_of<S, Index>(tile, row, e);
      const T m = record[mask + (op.per_channel ? element / pixels : element)];
      return ride_back<S, Index - 1>(tile, row, e, product(dy, m));
    } else if constexpr (op.kind == OpKind::add) {
      give_gradient<Index, O::other>(tile, row, e.number, dy);
      return ride_back<S, Index - 1>(tile, row, e, dy);
    } else {
      return ride_back<S, Index - 1>(tile, row, e, dy);
    }
  }
}

/// Whether a mask of whole channels has dropped one, which then has no gradient.
template <int S, class Tile>
SINTER_FN bool is_dropped(const Tile& tile, int row, int channel) {
  constexpr int op = Tile::template At<S>::channel_mask;
  if constexpr (op < 0) {
    return false;
  } else {
    constexpr int mask = Tile::Record::template mask<op>;
    return tile.record(row)[mask + channel] == typename Tile::T(0);
  }
}

/// Takes the gradient of element e of a value: to the stage that made it, or out, for the input of the network.
template <int Value, class Tile>
SINTER_FN void take_gradient(const Tile& tile, int row, int e, typename Tile::T dy) {
  using S = Stages<typename Tile::Model>;
  if constexpr (Value == 0) {
    constexpr int inputs = S::inputs;
    if constexpr (Tile::input_gradient) tile.to_input[static_cast<std::ptrdiff_t>(tile.first + row) * inputs + e] = dy;
  } else {
    constexpr int stage = S::template made_by<Value>;
    using G = typename Tile::template At<stage>;
    constexpr int gradient = Tile::Record::template gradient<stage>, last = G::last - 1;
    const Element<G> element(e);
    tile.record(row)[gradient + element.in_planes()] = ride_back<stage, last>(tile, row, element, dy);
  }
}

/// Takes the gradient of element e of what op `Index` reads as its input `K`. Where other ops read the same value, it
/// is stored; the last one adds all of them, in their order.
template <int Index, int K, class Tile>
SINTER_HOST_DEVICE inline void give_gradient(const Tile& tile, int row, int e, typename Tile::T dy) {
  using T = typename Tile::T;
  using R = ReadConstants<typename Tile::Model, Index, K>;
  using Record = typename Tile::Record;
  if constexpr (!R::learned && !Tile::input_gradient) {
    return;
  } else if constexpr (!R::last) {
    constexpr int read_gradient = Record::template read_gradient<R::number>;
    tile.record(row)[read_gradient + e] = dy;
  } else {
    if constexpr (R::turn > 0) {
      T sum = T(0);
      unroll<R::turn>([&](auto t) SINTER_LAMBDA {
        constexpr int before = R::template in_turn<decltype(t)::value>,
                      read_gradient = Record::template read_gradient<before>;
        const T one = tile.record(row)[read_gradient + e];
        sum = decltype(t)::value == 0 ? one : sum + one;
      });
      dy = sum + dy;
    }
    take_gradient<R::value>(tile, row, e, dy);
  }
}
/// The same for the first input of stage S.
template <int S, class Tile>
SINTER_FN void give_input_gradient(const Tile& tile, int row, int e, typename Tile::T dy) {
  constexpr int first = Tile::template At<S>::stage.first;
  give_gradient<first, 0>(tile, row, e, dy);
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
