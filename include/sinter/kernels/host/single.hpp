// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/host/image_convolution.hpp"
#include "sinter/kernels/host/load.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The plan `single`: one sample at a time, with the lanes along the outputs. For the few rows that leave most lanes of
/// a tile empty: the latency of one request. It computes what the tile computes, to the bit.
template <class P>
struct SinglePlan {
  using T = typename P::Scalar;
  static constexpr int slack = 64 * 8 / static_cast<int>(sizeof(T));  // kernels read past the last pixel of a row

  template <int S = 0>
  static constexpr bool supports() {
    if constexpr (S == P::stage_count) {
      return true;
    } else {
      constexpr Source source = P::stage(S).source;
      if constexpr (source == Source::pool)
        return false;
      else if constexpr (source == Source::convolution && !ImageBlocks<P, S>::supported)
        return false;
      else
        return supports<S + 1>();
    }
  }

  /// Values in elements, one after another: where stage s puts its output, s = -1 being the input.
  static constexpr Place output(int s) {
    Place place = host_kernels::Tile<P, false>::output(-1);
    int offset = 0;
    for (int i = -1; i <= s; ++i) {
      place = host_kernels::Tile<P, false>::output(i);
      place.offset = offset;
      offset += round_up(place.size(), 16) + slack;
    }
    return place;
  }
  /// Where a row is loaded before it goes into a place with a border.
  static constexpr int plain_input =
      round_up(output(P::stage_count - 1).offset + output(P::stage_count - 1).size(), 16) + slack;
  static constexpr int size = plain_input + P::Ops::input.size() + slack;
};

/// Maps that ride, on neighbouring outputs in the lanes. Masks are the identity in inference.
template <class P, int I, int End, class V>
SINTER_INLINE V ride_maps(V v) {
  if constexpr (I == End) {
    return v;
  } else if constexpr (P::op(I).kind == OpKind::map) {
    return ride_maps<P, I + 1, End>(fn::forward<typename P::Ops::template OpType<I>::Functor>(v));
  } else {
    return ride_maps<P, I + 1, End>(v);
  }
}

template <class P, int S>
void single_convolution(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  using V = typename P::V;
  using I = ImageBlocks<P, S>;
  using B = typename I::B;
  constexpr Stage stage = P::stage(S);
  constexpr Place in = SinglePlan<P>::output(S - 1), out = SinglePlan<P>::output(S);
  const auto* weight = parameters + P::parameter(B::op.weight).offset;
  const typename P::Scalar* bias = nullptr;
  if constexpr (B::op.with_bias) bias = parameters + P::parameter(B::op.bias).offset;

  for (int group = 0; group < B::w.groups; ++group)
    overlapping_blocks<I::channels>(B::outputs, [&](int first) {
      int channel[I::channels];
      unroll<I::channels>([&](auto c) SINTER_LAMBDA { channel[c] = group * B::outputs + first + decltype(c)::value; });
      for (int y = 0; y < B::computed.height; ++y)
        for (int begin = 0; begin < I::width; begin += I::chunk) {
          const int x = begin + I::chunk <= I::width || I::width < I::chunk ? begin : I::width - I::chunk;
          image_block<P, S>(
              memory + in.offset, in, weight, bias, channel, y, x,
              [&](int c, int at, int count, auto& window) SINTER_LAMBDA {
                constexpr int n = static_cast<int>(sizeof(window) / sizeof(V));
                // The riders before the pool, the pool, and those behind it.
                constexpr int until = stage.pool < 0 ? stage.last : stage.pool;
                unroll<n>([&](auto k) SINTER_LAMBDA { window[k] = ride_maps<P, stage.first + 1, until>(window[k]); });
                V v = window[0];
                if constexpr (stage.pool >= 0) {
                  v = pool_window<P::op(stage.pool).average>(window);
                  v = ride_maps<P, stage.pool + 1, stage.last>(v);
                }
                store_first(v, memory + out.at(channel[c], y, at), count);
              });
        }
    });
}

/// y = W x + b with the outputs in the lanes: blocks of W are turned on the way, 2 blocks of outputs at a time so that
/// two chains of fma overlap.
template <class P, int S>
void single_matmul(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  using V = typename P::V;
  constexpr Op op = P::op(P::stage(S).first);
  constexpr int L = P::lanes, in = op.in.size(), out = op.out.size(), blocks = out > L ? 2 : 1;
  const auto* weight = parameters + P::parameter(op.weight).offset;
  const auto* x = memory + SinglePlan<P>::output(S - 1).offset;
  auto* y = memory + SinglePlan<P>::output(S).offset;

  for (int begin = 0; begin < out; begin += blocks * L) {
    // The last block reaches back; with fewer outputs than lanes the last one is repeated.
    const int m = begin + blocks * L <= out || out < blocks * L ? begin : out - blocks * L;
    V sum[blocks];
    int row[blocks][L];
    unroll<blocks>([&](auto b) SINTER_LAMBDA {
      unroll<L>([&](auto i) SINTER_LAMBDA {
        const int at = m + decltype(b)::value * L + decltype(i)::value;
        row[b][i] = at < out ? at : out - 1;
      });
      sum[b] = V(0);
      if constexpr (op.with_bias) {
        const auto* bias = parameters + P::parameter(op.bias).offset;
        typename P::Scalar start[L];
        unroll<L>([&](auto i) SINTER_LAMBDA { start[i] = bias[row[b][i]]; });
        sum[b] = V::load(start);
      }
    });
    int k = 0;
    for (; k + L <= in; k += L)
      unroll<blocks>([&](auto b) SINTER_LAMBDA {
        V turned[L];
        unroll<L>([&](auto i) SINTER_LAMBDA { turned[i] = V::load(weight + row[b][i] * in + k); });
        transpose(turned);
        unroll<L>([&](auto i) SINTER_LAMBDA { sum[b] = fma(turned[i], V(x[k + decltype(i)::value]), sum[b]); });
      });
    if constexpr (in % L != 0)
      for (; k < in; ++k)
        unroll<blocks>([&](auto b) SINTER_LAMBDA {
          V column;
          unroll<L>([&](auto i) SINTER_LAMBDA { column.set(decltype(i)::value, weight[row[b][i] * in + k]); });
          sum[b] = fma(column, V(x[k]), sum[b]);
        });
    unroll<blocks>([&](auto b) SINTER_LAMBDA {
      const V v = ride_maps<P, P::stage(S).first + 1, P::stage(S).last>(sum[b]);
      store_first(v, y + m + decltype(b)::value * L, out - m - decltype(b)::value * L);
    });
  }
}

template <class P, int S>
void single_stage(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  using V = typename P::V;
  constexpr Stage stage = P::stage(S);
  if constexpr (stage.source == Source::convolution) {
    single_convolution<P, S>(memory, parameters);
  } else if constexpr (stage.source == Source::matmul) {
    single_matmul<P, S>(memory, parameters);
  } else if constexpr (stage.source == Source::row) {
    using F = typename P::Ops::template OpType<stage.first>::Functor;
    F::forward(static_cast<const typename P::Scalar*>(memory + SinglePlan<P>::output(S - 1).offset),
               memory + SinglePlan<P>::output(S).offset, P::output_dims(S).size());
  } else {
    constexpr Place in = SinglePlan<P>::output(S - 1), out = SinglePlan<P>::output(S);
    constexpr Dims dims = out.dims;
    for (int c = 0; c < dims.channels; ++c)
      for (int y = 0; y < dims.height; ++y)
        for (int x = 0; x < dims.width; x += P::lanes)
          store_first(
              ride_maps<P, stage.first, stage.last>(V::load(
                  memory + (in.dims == dims ? in.at(c, y, x) : in.offset + (c * dims.height + y) * dims.width + x))),
              memory + out.at(c, y, x), dims.width - x);
  }
}

/// One row of a batch. Returns where its outputs lie.
template <class P, class View>
const typename P::Scalar* forward_single(typename P::Scalar* memory, const typename P::Scalar* parameters,
                                         const BatchInputs<View>& inputs, std::size_t row) {
  using V = typename P::V;
  constexpr Place in = SinglePlan<P>::output(-1);
  constexpr Dims d = in.dims;
  if constexpr (in.border_height == 0 && in.border_width == 0) {
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], memory + in.offset);
  } else {
    // Borders stay zero: rows are copied into their middle.
    typename P::Scalar* const plain = memory + SinglePlan<P>::plain_input;
    load_row<typename P::ISA, V>(inputs, inputs.choice[row], plain);
    for (int c = 0; c < d.channels; ++c)
      for (int y = 0; y < d.height; ++y)
        std::copy_n(plain + (c * d.height + y) * d.width, d.width, memory + in.at(c, y, 0));
  }
  unroll<P::stage_count>([&](auto s) SINTER_LAMBDA { single_stage<P, decltype(s)::value>(memory, parameters); });
  return memory + SinglePlan<P>::output(P::stage_count - 1).offset;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
