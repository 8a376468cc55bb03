// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/element_kernels.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/kernels/host/stages/group_norm.hpp"
#include "sinter/ops/index_sum.hpp"
#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Calls f(position, count) along the rows of pixels: at least `count` of them from there on; a pack takes the first
/// ones.
template <int L, class F>
SINTER_INLINE void for_each_pack(Dims dims, F&& f) {
  for (int c = 0; c < dims.channels; ++c)
    for (int y = 0; y < dims.height; ++y)
      for (int x = 0; x < dims.width; x += L) f(Position{c, y, x}, dims.width - x);
}

/// The operands of stage S for one sample: outputs in the lanes, as many of them as are left in a row of pixels. See
/// element_kernels.
template <class P, int S, class One>
struct SingleAccess {
  using V = typename P::V;
  using Op = typename P::Ops::template OpType<P::stage(S).first>;
  static constexpr int inputs = P::source(S).input_count;

  const One& single;

  template <int K, class F>
  SINTER_INLINE void each(F&& f) const {
    for_each_pack<P::lanes>(P::source(S).seen(K), f);
  }
  template <int K>
  SINTER_INLINE V load(Position p) const {
    return V::load(single.template at<P::source(S).inputs[K]>(p, P::source(S).seen(K)));
  }
  template <int K>
  SINTER_INLINE static Position in_output(Position p) {
    return {p.channel + P::source(S).first_channel(K), p.y, p.x};
  }
  SINTER_INLINE void finish(Position p, V v, int count) const { single.template finish<S>(p, v, count); }
};
template <class Kernel>
struct SingleElementKernel {
  template <class P, int S, class One>
  static void forward(const One& single) {
    Kernel::forward(SingleAccess<P, S, One>{single});
  }
};
template <>
struct SingleKernel<Source::map> : SingleElementKernel<element_kernels::Riders> {};
template <>
struct SingleKernel<Source::elementwise> : SingleElementKernel<element_kernels::Elementwise> {};
template <>
struct SingleKernel<Source::concat> : SingleElementKernel<element_kernels::Concat> {};

/// The index map that stage S of a plan begins with.
template <class P, int S>
using IndexSumOf =
    IndexSum<typename P::Ops::template OpType<P::stage(S).first>::Indices, P::source(S).in, false, P::Ops::hash>;

/// Whether a map only exchanges the dimensions of a series.
constexpr bool exchanges_series(const IndexMap& map, Dims in) {
  IndexMap exchanged = unchanged(in);
  std::swap(exchanged.factor[0].out_axis, exchanged.factor[2].out_axis);
  return in.rank == 2 && map == exchanged;
}
/// That map, a square of numbers at a time.
template <class P, int S, class One>
void single_exchange(const One& single) {
  using V = typename P::V;
  constexpr Op op = P::source(S);
  constexpr int L = P::lanes;
  for (int c = 0; c < op.out.channels; c += L)
    for (int x = 0; x < op.out.width; x += L)
      transposed_copy<V>(
          [&](int i) SINTER_LAMBDA {
            const Position p{std::min(x + i, P::source(S).in.channels - 1), 0, c};
            return V::load(single.template at<P::stage(S).input>(p, P::source(S).in));
          },
          [&](int i, V v) SINTER_LAMBDA {
            if (c + i < P::source(S).out.channels)
              single.template finish<S>({c + i, 0, x}, v, P::source(S).out.width - x);
          });
}

/// Numbers of a value by their positions, one by one; neighbours that come from neighbours together.
template <class P, int S, class One>
void single_index_map(const One& single) {
  using V = typename P::V;
  using T = typename P::Scalar;
  using Sum = IndexSumOf<P, S>;
  constexpr Op op = P::source(S);
  constexpr Place in = One::input(S);
  constexpr bool in_rows = Sum::keeps_rows && (in.dims == op.in || !in.bordered());
  for_each_pack<P::lanes>(op.out, [&](Position p, int count) SINTER_LAMBDA {
    const auto load = [&](int c, int y, int x) SINTER_LAMBDA {
      return *single.template at<P::stage(S).input>(Position{c, y, x}, P::source(S).in);
    };
    const int lanes = std::min(count, P::lanes);
    V v(0);
    if (in_rows && Sum::any(p.channel, p.y, p.x) && Sum::any(p.channel, p.y, p.x + lanes - 1)) {
      const auto from = Sum::first(p.channel, p.y, p.x);
      v = V::load(single.template at<P::stage(S).input>({from.at[0], from.at[1], from.at[2]}, P::source(S).in));
    } else {
      for (int lane = 0; lane < lanes; ++lane) v.set(lane, Sum::template of<T>(p.channel, p.y, p.x + lane, load));
    }
    single.template finish<S>(p, v, lanes);
  });
}

template <>
struct SingleKernel<Source::index_map> {
  template <class P, int S, class One>
  SINTER_INLINE static void forward(const One& single) {
    constexpr bool as_stored = One::input(S).dims == P::source(S).in || !One::input(S).bordered();
    if constexpr (as_stored && exchanges_series(IndexSumOf<P, S>::map, P::source(S).in))
      single_exchange<P, S>(single);
    else
      single_index_map<P, S>(single);
  }
};

/// A pool that does not ride, number by number.
template <>
struct SingleKernel<Source::pool> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    using T = typename P::Scalar;
    using V = typename P::V;
    constexpr Op op = P::source(S);
    constexpr Place in = One::input(S);
    for_each_pack<P::lanes>(op.out, [&](Position p, int count) SINTER_LAMBDA {
      V pooled(0);
      for (int lane = 0; lane < P::lanes && lane < count; ++lane) {
        const CoveredPixels covered(P::source(S), p.y, p.x + lane);
        T total(0);
        LargestElement<T> largest;
        covered.each([&](int y, int x, int k) SINTER_LAMBDA {
          const T v = *single.at(in.at(p.channel, y, x));
          if constexpr (P::source(S).average)
            total += v;
          else
            largest.take(v, static_cast<T>(k));
        });
        pooled.set(lane, P::source(S).average ? product(total, weight_in_mean<T>(covered.divisor)) : largest.value);
      }
      single.template finish<S>(p, pooled, count);
    });
  }
};

/// The moments of a group number by number, as a lane of a tile has them, and then the lanes along a row of pixels.
template <>
struct SingleKernel<Source::group_normalize> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    using T = typename P::Scalar;
    using V = typename P::V;
    constexpr Op op = P::source(S);
    const auto at = [&](Position p) SINTER_LAMBDA { return single.template at<P::stage(S).input>(p, P::source(S).in); };
    for (int group = 0; group < op.groups; ++group) {
      const auto moments = moments_of_group<T>(op.in.size() / op.groups, op.epsilon, [&](auto take) SINTER_LAMBDA {
        for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA { take(*at(p)); });
      });
      const GroupMoments<V> same{V(moments.mean), V(moments.rest), V(moments.scale)};
      for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA {
        if (p.x % P::lanes != 0) return;
        const int count = op.in.width - p.x;
        const auto along = [&](auto parameter) SINTER_LAMBDA {
          const int first = op.per_channel ? 0 : p.y * op.in.width + p.x;
          const auto row = row_of(parameter, p.channel, op.per_channel ? 1 : op.in.pixels());
          V v(row[first]);
          for (int i = 1; i < P::lanes && i < count && !op.per_channel; ++i) v.set(i, row[first + i]);
          return v;
        };
        V v = same.normalized(V::load(at(p)));
        if constexpr (P::source(S).weight >= 0) v = product(v, along(single.template parameter<P::source(S).weight>()));
        if constexpr (P::source(S).bias >= 0) v = add(v, along(single.template parameter<P::source(S).bias>()));
        single.template finish<S>(p, v, count);
      });
    }
  }
};

/// A function of rows: as many together as there are lanes, and the others one by one.
template <>
struct SingleKernel<Source::row> {
  template <class P, int S, class One>
  static void forward(const One& single) {
    using F = typename P::Ops::template OpType<P::stage(S).first>::Functor;
    using T = typename P::Scalar;
    using V = typename P::V;
    constexpr int rows = P::source(S).groups, n = P::output_dims(S).size() / rows, L = P::lanes;
    const T* const x = single.at(One::input(S).begin());
    T* const y = single.at(One::output(S).begin());
    constexpr int together = rows / L * L;
    if constexpr (together > 0) {
      V* const from = reinterpret_cast<V*>(single.memory + SinglePlan<P>::scratch);
      V* const to = from + round_up(n, L);
      for (int row = 0; row < together; row += L) {
        for (int k = 0; k < n; k += L)
          transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(x + (row + i) * n + k); },
                             [&](int i, V v) SINTER_LAMBDA { from[k + i] = v; });
        F::forward(static_cast<const V*>(from), to, n);
        for (int k = 0; k < n; k += L)
          transposed_copy<V>([&](int i) SINTER_LAMBDA { return to[k + i]; },
                             [&](int i, V v) SINTER_LAMBDA { store_first(v, y + (row + i) * n + k, n - k); });
      }
    }
    for (int row = together; row < rows; ++row) F::forward(x + row * n, y + row * n, n);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
