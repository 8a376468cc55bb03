// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "sinter/kernels/host/winograd_image.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The plan `single`: one sample at a time, with the lanes along the outputs. For the few rows that leave most lanes of
/// a tile empty: the latency of one request. Its results have the bits of the tile's.
template <class P>
struct SinglePlan {
  using T = typename P::Scalar;
  static constexpr int slack = 64 * 8 / static_cast<int>(sizeof(T));  // kernels read past the last pixel of a row

  /// Whether the values that a stage reads besides its first one have the shape in which they are read, and no pool is
  /// after an add.
  static constexpr bool reads_as_stored(int s) {
    for (int i = P::stage(s).first; i < P::stage(s).last; ++i) {
      const Op& op = P::op(i);
      if (op.kind == OpKind::add && i < P::stage(s).pool) return false;
      // Statistics are no stored values.
      const int stored = op.kind == OpKind::statistics ? 0 : op.kind == OpKind::normalize ? 1 : op.input_count;
      for (int k = 0; k < stored; ++k)
        if (P::value_dims(op.inputs[k]) != op.seen(k) && (stored > 1 || P::edge(op.inputs[k]) != Window{}))
          return false;
    }
    return true;
  }
  template <int S = 0>
  static constexpr bool supports() {
    if constexpr (S == P::stage_count) {
      return true;
    } else {
      constexpr Source source = P::stage(S).source;
      if constexpr (source == Source::lookup || source == Source::statistics || source == Source::normalize ||
                    P::gathers(S) || !reads_as_stored(S))
        return false;
      else if constexpr (source == Source::convolution && !ImageBlocks<P, S>::supported)
        return false;
      else
        return supports<S + 1>();
    }
  }

  /// Stored values, contiguous, in elements.
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
  /// Where a row is loaded before it is copied to a place with a border.
  static constexpr int plain_input = round_up(places.back().offset + places.back().size(), 16) + slack;
  /// Where a convolution transforms its operands by Winograd's F(2, 3).
  static constexpr int scratch = round_up(plain_input + P::Ops::input.size() + slack, 16);
  template <int S>
  static constexpr int scratch_size() {
    if constexpr (S == P::stage_count)
      return 0;
    else if constexpr (P::by_winograd(S))
      return std::max(WinogradImage<P, S>::size, scratch_size<S + 1>());
    else
      return scratch_size<S + 1>();
  }
  static constexpr int size = scratch + scratch_size<0>();
};

/// The data of the kernels of one sample. `Weights` is the array of the parameters, or another storage, whose
/// weights.parameter<i>() is an argument of row_of().
template <class Plan, class Weights = const typename Plan::Scalar*>
struct Single {
  using P = Plan;
  using T = typename P::Scalar;
  using V = typename P::V;

  T* memory;
  Weights parameters;
  const T* batch;  // as in BatchMemory

  template <int Index>
  SINTER_INLINE auto parameter() const {
    if constexpr (std::is_pointer_v<Weights>)
      return parameters + P::parameter(Index).offset;
    else
      return parameters.template parameter<Index>();
  }

  /// The position of element p of stored value Value, for a reader that sees it in the shape `seen`.
  template <int Value>
  SINTER_INLINE T* at(Position p, Dims seen) const {
    constexpr Place place = SinglePlan<P>::value(Value);
    if (seen != place.dims) p = Position::of(p.within(seen), place.dims);
    return memory + place.at(p.channel, p.y, p.x);
  }

  /// Runs the riders [Index, End) of stage S on neighbouring outputs in the lanes, the first of them at `p`: of one row
  /// of pixels, or of a product with the whole sample. Masks are the identity in inference.
  template <int S, int Index, int End>
  SINTER_INLINE V ride(Position p, V v) const {
    if constexpr (Index == End) {
      return v;
    } else {
      constexpr Op op = P::op(Index);
      if constexpr (op.kind == OpKind::map) {
        v = fn::forward<typename P::Ops::template OpType<Index>::Functor>(v);
      } else if constexpr (op.kind == OpKind::add) {
        constexpr Place other = SinglePlan<P>::value(op.inputs[1 - P::Cut::main_input(Index)]);
        v = add(v, V::load(memory + other.at(p.channel, p.y, p.x)));
      } else if constexpr (op.kind == OpKind::normalize) {
        using Memory = BatchMemory<typename P::Cut::Model>;
        const auto of_batch = [&](auto row) SINTER_LAMBDA {
          const T* from = batch + Memory::at(Index, row) + p.channel;
          return P::stage(S).source == Source::matmul ? V::load(from) : V(*from);
        };
        v = fma(v - of_batch(Memory::mean), of_batch(Memory::scale), of_batch(Memory::shift));
      }
      return ride<S, Index + 1, End>(p, v);
    }
  }
  /// All riders, and the first `count` lanes to memory.
  template <int S>
  SINTER_INLINE void finish(Position p, V v, int count) const {
    constexpr Place out = SinglePlan<P>::output(S);
    store_first(ride<S, P::stage(S).first_rider(), P::stage(S).last>(p, v), memory + out.at(p.channel, p.y, p.x),
                count);
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
