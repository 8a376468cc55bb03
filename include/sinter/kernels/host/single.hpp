// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/group_norm.hpp"
#include "sinter/kernels/host/image_adjoint.hpp"
#include "sinter/kernels/host/load.hpp"
#include "sinter/kernels/host/single_products.hpp"

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

/// Riders on stored values, or on one stage's: some channels of a value, the product of two, several concatenated.
template <class P, int S, class W>
void single_values(const Single<P, W>& single) {
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
    constexpr Dims dims = source == Source::slice ? op.out : op.in;
    for_each_pack<P::lanes>(dims, [&](Position p, int count) SINTER_LAMBDA {
      const int first = source == Source::slice ? P::source(S).begin : 0;
      V v = V::load(single.template at<P::stage(S).input>({p.channel + first, p.y, p.x}, P::source(S).in));
      if constexpr (source == Source::multiply)
        v = product(v, V::load(single.template at<P::source(S).inputs[1]>(p, P::source(S).in)));
      single.template finish<S>(p, v, count);
    });
  }
}

/// A pool that does not ride, number by number.
template <class P, int S, class W>
void single_pool(const Single<P, W>& single) {
  using T = typename P::Scalar;
  using V = typename P::V;
  constexpr Op op = P::source(S);
  constexpr Place in = SinglePlan<P>::input(S);
  for_each_pack<P::lanes>(op.out, [&](Position p, int count) SINTER_LAMBDA {
    V pooled(0);
    for (int lane = 0; lane < P::lanes && lane < count; ++lane) {
      const Covered<P, S> covered(Position{p.channel, p.y, p.x + lane});
      T best(0);
      bool first = true;
      covered.each([&](int y, int x, int) SINTER_LAMBDA {
        const T v = single.memory[in.at(p.channel, y, x)];
        if constexpr (P::source(S).average)
          best = v + best;
        else if (first || v > best || v != v)
          best = v;
        first = false;
      });
      if constexpr (P::source(S).average) best = product(best, covered.template share<T>());
      pooled.set(lane, best);
    }
    single.template finish<S>(p, pooled, count);
  });
}

/// The moments of a group number by number, as a lane of a tile has them, and then the lanes along a row of pixels.
template <class P, int S, class W>
void single_group_norm(const Single<P, W>& single) {
  using T = typename P::Scalar;
  using V = typename P::V;
  constexpr Op op = P::source(S);
  const auto at = [&](Position p) SINTER_LAMBDA { return single.template at<P::stage(S).input>(p, P::source(S).in); };
  for (int group = 0; group < op.groups; ++group) {
    const auto moments = GroupMoments<T>::of(op.in.size() / op.groups, op.epsilon, [&](auto take) SINTER_LAMBDA {
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

template <class P, int S, class W>
void single_stage(const Single<P, W>& single) {
  constexpr Stage stage = P::stage(S);
  if constexpr (P::by_winograd(S)) {
    single_winograd<P, S>(single);
  } else if constexpr (stage.source == Source::convolution) {
    single_convolution<P, S>(single);
  } else if constexpr (stage.source == Source::transposed) {
    single_adjoint<P, S>(single);
  } else if constexpr (stage.source == Source::matmul) {
    single_matmul<P, S>(single);
  } else if constexpr (stage.source == Source::pool) {
    single_pool<P, S>(single);
  } else if constexpr (stage.source == Source::group_normalize) {
    single_group_norm<P, S>(single);
  } else if constexpr (stage.source == Source::row) {
    using F = typename P::Ops::template OpType<stage.first>::Functor;
    F::forward(static_cast<const typename P::Scalar*>(single.memory + SinglePlan<P>::input(S).offset),
               single.memory + SinglePlan<P>::output(S).offset, P::output_dims(S).size());
  } else {
    single_values<P, S>(single);
  }
}

/// One row of a batch. Returns the address of its outputs.
template <class P, class W, class View>
const typename P::Scalar* forward_single(const Single<P, W>& single, const BatchInputs<View>& inputs, std::size_t row) {
  using V = typename P::V;
  constexpr Place in = SinglePlan<P>::value(0);
  constexpr Dims d = in.dims;
  if constexpr (!in.bordered()) {
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], single.memory + in.offset);
  } else {
    // Borders stay zero: rows are copied into their middle.
    typename P::Scalar* const plain = single.memory + SinglePlan<P>::plain_input;
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], plain);
    for (int c = 0; c < d.channels; ++c)
      for (int y = 0; y < d.height; ++y)
        std::copy_n(plain + (c * d.height + y) * d.width, d.width, single.memory + in.at(c, y, 0));
  }
  unroll<P::stage_count>([&](auto s) SINTER_LAMBDA { single_stage<P, decltype(s)::value>(single); });
  return single.memory + SinglePlan<P>::value(P::Ops::output_value).offset;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
