// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "sinter/kernels/host/group_norm.hpp"
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

  /// Whether the values that a stage reads besides its first one have the shape in which they are read, and no pool
  /// stands behind an add.
  static constexpr bool reads_as_stored(int s) {
    for (int i = P::stage(s).first; i < P::stage(s).last; ++i) {
      const Op& op = P::op(i);
      if (op.kind == OpKind::add && i < P::stage(s).pool) return false;
      for (int k = 0; k < op.input_count; ++k)
        if (P::value_dims(op.inputs[k]) != op.seen(k) && (op.input_count > 1 || P::edge(op.inputs[k]) != Window{}))
          return false;
    }
    return true;
  }
  template <int S = 0>
  static constexpr bool supports() {
    if (BatchMemory<typename P::Cut::Model>::used) return false;
    if constexpr (S == P::stage_count) {
      return true;
    } else {
      constexpr Source source = P::stage(S).source;
      if constexpr (source == Source::pool || source == Source::transposed || source == Source::lookup ||
                    source == Source::multiply || source == Source::slice || P::gathers(S) || !reads_as_stored(S))
        return false;
      else if constexpr (source == Source::convolution && !ImageBlocks<P, S>::supported)
        return false;
      else
        return supports<S + 1>();
    }
  }

  /// Stored values in elements, one after another.
  static constexpr std::array<Place, static_cast<std::size_t>(P::stage_count + 1)> places = [] {
    std::array<Place, static_cast<std::size_t>(P::stage_count + 1)> all{};
    int offset = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i] = host_kernels::Tile<P, false>::value(i == 0 ? 0 : P::stage(static_cast<int>(i) - 1).output);
      all[i].offset = offset;
      offset += round_up(all[i].size(), 16) + slack;
    }
    return all;
  }();
  static constexpr Place value(int v) { return places[static_cast<std::size_t>(P::Cut::producer(v) + 1)]; }
  static constexpr Place input(int s) { return value(P::stage(s).input); }
  static constexpr Place output(int s) { return value(P::stage(s).output); }
  /// Where a row is loaded before it goes into a place with an edge.
  static constexpr int plain_input = round_up(places.back().offset + places.back().size(), 16) + slack;
  static constexpr int size = plain_input + P::Ops::input.size() + slack;
};

/// Maps and adds that ride, on neighbouring outputs in the lanes, the first of them at `p`. Masks are the identity in
/// inference.
template <class P, int I, int End, class V>
SINTER_INLINE V ride_maps(const typename P::Scalar* memory, Position p, V v) {
  if constexpr (I == End) {
    return v;
  } else {
    constexpr Op op = P::op(I);
    if constexpr (op.kind == OpKind::map) {
      v = fn::forward<typename P::Ops::template OpType<I>::Functor>(v);
    } else if constexpr (op.kind == OpKind::add) {
      constexpr Place other = SinglePlan<P>::value(op.inputs[1 - P::Cut::main_input(I)]);
      v = add(v, V::load(memory + other.at(p.channel, p.y, p.x)));
    }
    return ride_maps<P, I + 1, End>(memory, p, v);
  }
}

template <class P, int S>
void single_convolution(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  using V = typename P::V;
  using I = ImageBlocks<P, S>;
  using B = typename I::B;
  constexpr Stage stage = P::stage(S);
  constexpr Place in = SinglePlan<P>::input(S), out = SinglePlan<P>::output(S);
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
          image_block<P, S>(memory + in.offset, in, weight, bias, channel, y, x,
                            [&](int c, int at, int count, auto& window) SINTER_LAMBDA {
                              constexpr int n = static_cast<int>(sizeof(window) / sizeof(V));
                              // The riders before the pool, the pool, and those behind it.
                              constexpr int until = stage.pool < 0 ? stage.last : stage.pool;
                              const Position p{channel[c], y, at};
                              unroll<n>([&](auto k) SINTER_LAMBDA {
                                window[k] = ride_maps<P, stage.first + 1, until>(memory, p, window[k]);
                              });
                              V v = window[0];
                              if constexpr (stage.pool >= 0) {
                                v = pool_window<P::op(stage.pool).average>(window);
                                v = ride_maps<P, stage.pool + 1, stage.last>(memory, p, v);
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
  constexpr Op op = P::source(S);
  constexpr int L = P::lanes, in = op.in.size(), out = op.out.size(), blocks = out > L ? 2 : 1;
  const auto* weight = parameters + P::parameter(op.weight).offset;
  const auto* x = memory + SinglePlan<P>::input(S).offset;
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
      if constexpr (P::source(S).with_bias) {  // nvcc cannot read it from `op` here
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
      const int first = m + decltype(b)::value * L;
      const V v = ride_maps<P, P::stage(S).first + 1, P::stage(S).last>(memory, Position{first, 0, 0}, sum[b]);
      store_first(v, y + first, out - first);
    });
  }
}

/// Riders on stored values: those of a concat one after another.
template <class P, int S>
void single_copy(typename P::Scalar* memory) {
  using V = typename P::V;
  constexpr Stage stage = P::stage(S);
  constexpr Place out = SinglePlan<P>::output(S);
  constexpr bool concat = stage.source == Source::concat;
  unroll<concat ? P::source(S).input_count : 1>([&](auto k) SINTER_LAMBDA {
    constexpr int K = decltype(k)::value;
    constexpr Place in = SinglePlan<P>::value(P::source(S).inputs[K]);
    constexpr Dims seen = P::source(S).seen(K);
    for (int c = 0; c < seen.channels; ++c)
      for (int y = 0; y < seen.height; ++y)
        for (int x = 0; x < seen.width; x += P::lanes) {
          const Position p{c + (concat ? P::source(S).first_channel(K) : 0), y, x};
          const int from = in.dims == seen ? in.at(c, y, x) : in.offset + Position{c, y, x}.within(seen);
          store_first(ride_maps<P, stage.first_rider(), stage.last>(memory, p, V::load(memory + from)),
                      memory + out.at(p.channel, y, x), seen.width - x);
        }
  });
}

/// The moments of a group number by number, as a lane of a tile has them, and then the lanes along a row of pixels.
template <class P, int S>
void single_group_norm(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  using T = typename P::Scalar;
  using V = typename P::V;
  constexpr Stage stage = P::stage(S);
  constexpr Op op = P::source(S);
  constexpr Place in = SinglePlan<P>::input(S), out = SinglePlan<P>::output(S);
  const auto place = [&](Position p) SINTER_LAMBDA {
    return in.dims == op.in ? in.at(p.channel, p.y, p.x) : in.offset + p.within(op.in);
  };
  for (int group = 0; group < op.groups; ++group) {
    const auto moments = GroupMoments<T>::of(op.in.size() / op.groups, op.epsilon, [&](auto take) SINTER_LAMBDA {
      for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA { take(memory[place(p)]); });
    });
    const GroupMoments<V> same{V(moments.mean), V(moments.rest), V(moments.scale)};
    for_each_of_group(op, group, [&](Position p) SINTER_LAMBDA {
      if (p.x % P::lanes != 0) return;
      const int count = op.in.width - p.x;
      const auto along = [&](int parameter) SINTER_LAMBDA {
        const T* from = parameters + P::parameter(parameter).offset;
        V v(from[op.per_channel ? p.channel : p.within(op.in)]);
        for (int i = 1; i < P::lanes && i < count && !op.per_channel; ++i) v.set(i, from[p.within(op.in) + i]);
        return v;
      };
      V v = same.normalized(V::load(memory + place(p)));
      if constexpr (op.weight >= 0) v = product(v, along(op.weight));
      if constexpr (op.bias >= 0) v = add(v, along(op.bias));
      store_first(ride_maps<P, stage.first + 1, stage.last>(memory, p, v), memory + out.at(p.channel, p.y, p.x), count);
    });
  }
}

template <class P, int S>
void single_stage(typename P::Scalar* memory, const typename P::Scalar* parameters) {
  constexpr Stage stage = P::stage(S);
  if constexpr (stage.source == Source::convolution) {
    single_convolution<P, S>(memory, parameters);
  } else if constexpr (stage.source == Source::matmul) {
    single_matmul<P, S>(memory, parameters);
  } else if constexpr (stage.source == Source::group_normalize) {
    single_group_norm<P, S>(memory, parameters);
  } else if constexpr (stage.source == Source::row) {
    using F = typename P::Ops::template OpType<stage.first>::Functor;
    F::forward(static_cast<const typename P::Scalar*>(memory + SinglePlan<P>::input(S).offset),
               memory + SinglePlan<P>::output(S).offset, P::output_dims(S).size());
  } else {
    single_copy<P, S>(memory);
  }
}

/// One row of a batch. Returns where its outputs lie.
template <class P, class View>
const typename P::Scalar* forward_single(typename P::Scalar* memory, const typename P::Scalar* parameters,
                                         const BatchInputs<View>& inputs, std::size_t row) {
  using V = typename P::V;
  constexpr Place in = SinglePlan<P>::value(0);
  constexpr Dims d = in.dims;
  if constexpr (!in.bordered()) {
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
  return memory + SinglePlan<P>::value(P::Ops::output_value).offset;
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
