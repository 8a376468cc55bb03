// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <utility>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/plan/given_places.hpp"
#include "sinter/kernels/host/single/image_adjoint.hpp"
#include "sinter/kernels/host/single/single_lookup.hpp"
#include "sinter/kernels/host/single/single_matrix_product.hpp"
#include "sinter/kernels/host/single/single_products.hpp"
#include "sinter/kernels/host/single/single_recurrence.hpp"
#include "sinter/kernels/host/stages/group_norm.hpp"
#include "sinter/kernels/host/step/load.hpp"
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

/// Riders on stored values, or on one stage's: the product of two, several concatenated.
template <class P, int S, class One>
void single_values(const One& single) {
  using V = typename P::V;
  constexpr Op op = P::source(S);
  constexpr Source source = P::stage(S).source;
  if constexpr (source == Source::concat) {
    unroll<op.input_count>([&](auto k) SINTER_LAMBDA {
      constexpr int K = decltype(k)::value;
      constexpr Dims seen = P::source(S).seen(K);
      for_each_pack<P::lanes>(seen, [&](Position p, int count) SINTER_LAMBDA {
        const V v = V::load(single.template at<P::source(S).inputs[K]>(p, seen));
        single.template finish<S>({p.channel + P::source(S).first_channel(K), p.y, p.x}, v, count);
      });
    });
  } else {
    for_each_pack<P::lanes>(op.in, [&](Position p, int count) SINTER_LAMBDA {
      V v = V::load(single.template at<P::stage(S).input>(p, P::source(S).in));
      if constexpr (source == Source::multiply)
        v = product(v, V::load(single.template at<P::source(S).inputs[1]>(p, P::source(S).in)));
      single.template finish<S>(p, v, count);
    });
  }
}

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
  using Sum = IndexSumOf<P, S, false>;
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

/// A pool that does not ride, number by number.
template <class P, int S, class One>
void single_pool(const One& single) {
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

/// The moments of a group number by number, as a lane of a tile has them, and then the lanes along a row of pixels.
template <class P, int S, class One>
void single_group_norm(const One& single) {
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

/// A function of rows: as many together as there are lanes, and the others one by one.
template <class P, int S, class One>
void single_rows(const One& single) {
  using F = typename P::Ops::template OpType<P::stage(S).first>::Functor;
  using T = typename P::Scalar;
  using V = typename P::V;
  constexpr int rows = P::source(S).groups, n = P::output_dims(S).size() / rows, L = P::lanes;
  const T* const x = single.at(One::input(S).begin());
  T* const y = single.at(One::output(S).begin());
  int row = 0;
  if constexpr (rows >= L) {
    V* const from = reinterpret_cast<V*>(single.memory + SinglePlan<P>::scratch);
    V* const to = from + round_up(n, L);
    for (; row + L <= rows; row += L) {
      for (int k = 0; k < n; k += L)
        transposed_copy<V>([&](int i) SINTER_LAMBDA { return V::load(x + (row + i) * n + k); },
                           [&](int i, V v) SINTER_LAMBDA { from[k + i] = v; });
      F::forward(static_cast<const V*>(from), to, n);
      for (int k = 0; k < n; k += L)
        transposed_copy<V>([&](int i) SINTER_LAMBDA { return to[k + i]; },
                           [&](int i, V v) SINTER_LAMBDA { store_first(v, y + (row + i) * n + k, n - k); });
    }
  }
  for (; row < rows; ++row) F::forward(x + row * n, y + row * n, n);
}

template <class P, int S, class One>
SINTER_INLINE void single_kernel(const One& single) {
  constexpr Stage stage = P::stage(S);
  if constexpr (P::by_winograd(S)) {
    single_winograd<P, S>(single);
  } else if constexpr (stage.source == Source::convolution) {
    if constexpr (ImageBlocks<P, S>::packed)
      single_packed_convolution<P, S>(single);
    else
      single_convolution<P, S>(single);
  } else if constexpr (stage.source == Source::transposed) {
    single_adjoint<P, S>(single);
  } else if constexpr (stage.source == Source::matmul) {
    single_matmul<P, S>(single);
  } else if constexpr (stage.source == Source::pool) {
    single_pool<P, S>(single);
  } else if constexpr (stage.source == Source::recurrence) {
    SingleRecurrenceStage<P, S, One>{single}.forward();
  } else if constexpr (stage.source == Source::index_map) {
    constexpr bool as_stored = One::input(S).dims == P::source(S).in || !One::input(S).bordered();
    if constexpr (as_stored && exchanges_series(IndexSumOf<P, S, false>::map, P::source(S).in))
      single_exchange<P, S>(single);
    else
      single_index_map<P, S>(single);
  } else if constexpr (stage.source == Source::matrix_product) {
    SingleMatrixProductStage<P, S, One>{single}.forward();
  } else if constexpr (stage.source == Source::lookup) {
    single_lookup<P, S>(single);
  } else if constexpr (stage.source == Source::group_normalize) {
    single_group_norm<P, S>(single);
  } else if constexpr (stage.source == Source::row) {
    single_rows<P, S>(single);
  } else {
    static_assert(stage.source == Source::concat || stage.source == Source::multiply || stage.source == Source::map,
                  "sinter: name the kernel of one sample of this kind of op in single_kernel");
    single_values<P, S>(single);
  }
}

/// The kernel of stage S and of all that equal it.
template <class P, int S, class W>
SINTER_SHARED void shared_single_kernel(const Single<P, W>& single,
                                        const typename GivenPlaces<SinglePlan<P>, S, Pass::forward>::Offsets& offsets) {
  using Places = GivenPlaces<SinglePlan<P>, S, Pass::forward>;
  single_kernel<P, S>(Single<P, W, Places>{single.memory, single.parameters, single.batch, Places(offsets)});
}
template <class P, int S, class W>
void single_stage(const Single<P, W>& single) {
  using Equal = EqualStages<SinglePlan<P>, Pass::forward>;
  constexpr int first = Equal::first(S);
  if constexpr (Equal::shared(S) && std::is_pointer_v<W> && !SinglePlan<P>::reads_copies(S))
    shared_single_kernel<P, first>(single, offsets_of_stage<SinglePlan<P>, first, Pass::forward, S>);
  else
    single_kernel<P, S>(single);
}

/// Copies value V to where it has no border, if a stage reads it there.
template <class P, int V, class W>
void copy_value(const Single<P, W>& single) {
  if constexpr (SinglePlan<P>::copied(V)) {
    constexpr Place from = SinglePlan<P>::value(V), to = SinglePlan<P>::copy(V);
    for (int c = 0; c < to.dims.channels; ++c)
      for (int y = 0; y < to.dims.height; ++y)
        std::copy_n(single.at(from.at(c, y, 0)), to.dims.width, single.at(to.at(c, y, 0)));
  }
}

/// One row of a batch. Returns the address of its outputs.
template <class P, class W, class View>
const typename P::Scalar* forward_single(const Single<P, W>& single, const BatchInputs<View>& inputs, std::size_t row) {
  using V = typename P::V;
  constexpr Place in = SinglePlan<P>::value(0);
  constexpr Dims d = in.dims;
  if constexpr (!in.bordered()) {
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], single.at(in.begin()));
  } else {
    // Borders stay zero: rows are copied into their middle.
    typename P::Scalar* const plain = single.memory + SinglePlan<P>::plain_input;
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], plain);
    for (int c = 0; c < d.channels; ++c)
      for (int y = 0; y < d.height; ++y)
        std::copy_n(plain + (c * d.height + y) * d.width, d.width, single.at(in.at(c, y, 0)));
  }
  copy_value<P, 0>(single);
  unroll<P::stage_count>([&](auto s) SINTER_LAMBDA {
    single_stage<P, decltype(s)::value>(single);
    copy_value<P, P::stage(decltype(s)::value).output>(single);
  });
  return single.at(SinglePlan<P>::value(P::Ops::output_value).begin());
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
