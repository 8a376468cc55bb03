// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <type_traits>

#include "sinter/kernels/host/stages/packed_rows.hpp"
#include "sinter/kernels/host/stages/winograd_image.hpp"
#include "sinter/plan/lifetimes.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// The plan `single`: one sample at a time, with the lanes along the outputs. For the few rows that leave most lanes of
/// a tile empty: the latency of one request. Its results have the bits of the tile's.
template <class PlanOfTile>
struct SinglePlan {
  using P = PlanOfTile;
  using Plan = P;
  using T = typename P::Scalar;
  using Values = BatchMemory<typename P::Cut::Model>;
  static constexpr bool training = false, input_gradient = false;
  /// Kernels read past the last pixel of a row: up to eight registers, and twice as many pixels as there are lanes, a
  /// stride apart.
  static constexpr int slack = [] {
    int stride = 1;
    for (int s = 0; s < P::stage_count; ++s)
      if (P::stage(s).source == Source::convolution) stride = std::max(stride, P::source(s).window.stride_width);
    return std::max(P::lanes == 1 ? 0 : 64 * 8 / static_cast<int>(sizeof(T)),
                    round_up((2 * P::lanes + 1) * stride, 16));
  }();

  /// Whether a stage reads value `v`, which has a border, as a row or in another shape: from a copy without the border.
  static constexpr bool reads_copy(int s, int v) {
    if (!P::has_edge(v)) return false;
    if (P::gathers(s) && P::stage(s).input == v) return true;
    for (int i = P::stage(s).first; i < P::stage(s).last; ++i) {
      const Op& op = P::op(i);
      if (op.kind == OpKind::index_map) continue;  // reads number by number
      // Statistics are no stored values.
      const int stored = op.kind == OpKind::statistics ? 0 : op.kind == OpKind::normalize ? 1 : op.input_count;
      for (int k = 0; k < stored; ++k)
        if (op.inputs[k] == v && P::value_dims(v) != op.seen(k)) return true;
    }
    return false;
  }
  static constexpr bool copied(int v) {
    if (P::has_edge(v))
      for (int s = 0; s < P::stage_count; ++s)
        if (reads_copy(s, v)) return true;
    return false;
  }
  static constexpr bool reads_copies(int s) {
    for (int v = 0; v < P::Ops::value_count; ++v)
      if (reads_copy(s, v)) return true;
    return false;
  }
  /// Whether a border, too, is in memory that others use, and is zeroed before each use: on machines without lanes,
  /// which have little memory. Elsewhere it stays zero: zeroing took 2 % of a ResNet-8.
  static constexpr bool shares_borders = P::lanes == 1;

 private:
  /// The layout of the memory, in elements, by lifetimes: stage s runs at the moment s, after the input is loaded.
  struct Layout {
    std::array<Place, static_cast<std::size_t>(P::stage_count + 1)> values{};  // the input, and what stages store
    std::array<int, static_cast<std::size_t>(P::Ops::value_count + 1)> copies{};
    int plain_input = 0, size = 0;
  };
  static constexpr Layout layout = [] {
    Layout l;
    constexpr int most = P::stage_count + P::Ops::value_count + 2;
    Lifetime lifetime[most]{};
    int* offset[most]{};
    int count = 0;
    const auto need = [&](int& to, int numbers, int first_use, int last_use) {
      lifetime[count] = {numbers > 0 ? round_up(numbers, 16) + slack : 0, first_use, last_use, 0};
      offset[count++] = &to;
    };
    for (int s = -1; s < P::stage_count; ++s) {
      const int v = s < 0 ? 0 : P::stage(s).output;
      Place& value = l.values[static_cast<std::size_t>(s + 1)];
      value = host_kernels::Tile<P, false>::value(v);
      const auto& of = P::Ops::values[static_cast<std::size_t>(v)];
      int last_use = v == P::Ops::output_value ? P::stage_count : s;
      for (int r = 0; r < of.read_count; ++r)
        last_use = std::max(last_use, P::Cut::of_op(P::Ops::readers[static_cast<std::size_t>(of.first_read + r)]));
      const bool alone = value.bordered() && !shares_borders;
      need(value.offset, value.size(), alone ? -1 : s, alone ? P::stage_count : last_use);
      if (copied(v)) need(l.copies[static_cast<std::size_t>(v)], P::value_dims(v).size(), s, last_use);
    }
    if (l.values[0].bordered()) need(l.plain_input, P::Ops::input.size(), -1, -1);
    l.size = round_up(place_by_lifetime(lifetime, count, 16), 16);
    for (int i = 0; i < count; ++i) *offset[i] = lifetime[i].offset;
    return l;
  }();

 public:
  static constexpr Place value(int v) { return layout.values[static_cast<std::size_t>(P::Cut::producer(v) + 1)]; }
  /// A value without its border, for the readers that want it so.
  static constexpr Place copy(int v) {
    return {.offset = layout.copies[static_cast<std::size_t>(v)], .dims = P::value_dims(v)};
  }
  static constexpr Place place(const Reference& r) { return r.role == Role::value ? value(r.id) : Place{}; }
  static constexpr int offset(const Reference& r) {
    return r.role == Role::parameter  ? parameter(r.id)
           : r.role == Role::of_batch ? of_batch(r.id, Values::mean)
                                      : place(r).offset;
  }
  /// Where parts of the memory, a parameter and the numbers of a normalize op begin.
  static constexpr int begin(int) { return 0; }
  static constexpr int parameter(int i) { return P::parameter(i).offset; }
  static constexpr int of_batch(int i, typename Values::Row row) { return Values::at(i, row); }
  /// Where a row is loaded before it is copied to a place with a border.
  static constexpr int plain_input = layout.plain_input;
  /// Where a convolution transforms its operands by Winograd's F(2, 3) or copies pixels, or a recurrence or a product
  /// of matrices works.
  static constexpr int scratch = layout.size;
  template <int S>
  static constexpr int scratch_size() {
    if constexpr (S == P::stage_count)
      return 0;
    else if constexpr (P::by_winograd(S))
      return std::max(WinogradImage<P, S>::size, scratch_size<S + 1>());
    else if constexpr (P::stage(S).source == Source::convolution)
      return std::max(ImageBlocks<P, S>::packed ? PackedPixels<P, S>::size : 0, scratch_size<S + 1>());
    else if constexpr (P::stage(S).source == Source::recurrence)
      return std::max(SingleRecurrence(P::source(S), P::lanes).size, scratch_size<S + 1>());
    else if constexpr (P::stage(S).source == Source::row)
      return std::max(P::source(S).groups < P::lanes
                          ? 0
                          : 2 * P::lanes * round_up(P::output_dims(S).size() / P::source(S).groups, P::lanes),
                      scratch_size<S + 1>());
    else if constexpr (P::stage(S).source == Source::matrix_product)
      return std::max(SingleMatrixProduct(P::source(S), P::lanes).size, scratch_size<S + 1>());
    else {
      constexpr Source source = P::stage(S).source;
      static_assert(source == Source::matmul || source == Source::transposed || source == Source::pool ||
                        source == Source::concat || source == Source::elementwise || source == Source::index_map ||
                        source == Source::group_normalize || source == Source::lookup || source == Source::map,
                    "sinter: say in scratch_size how much memory this kind of op works in, or that it needs none");
      return scratch_size<S + 1>();
    }
  }
  static constexpr int size = scratch + scratch_size<0>();
};

/// The data of the kernels of one sample. `Weights` is the array of the parameters, or another storage, whose
/// weights.parameter<i>() is an argument of row_of(). `Places` are those of the whole plan, or what a kernel that
/// stages share is given.
template <class P, class Weights = const typename P::Scalar*, class Places = SinglePlan<P>>
struct Single {
  using T = typename P::Scalar;
  using V = typename P::V;

  T* memory;
  Weights parameters;
  const T* batch;  // as in BatchMemory
  Places places{};

  static constexpr bool with_copies = std::is_same_v<Places, SinglePlan<P>>;

  static constexpr Place value(int v) { return Places::value(v); }
  static constexpr Place input(int s) {
    const int v = P::stage(s).input;
    return with_copies && SinglePlan<P>::reads_copy(s, v) ? SinglePlan<P>::copy(v) : value(v);
  }
  static constexpr Place output(int s) { return value(P::stage(s).output); }
  SINTER_INLINE T* at(Spot spot) const { return memory + places.begin(spot.base) + spot.offset; }

  template <int Index>
  SINTER_INLINE auto parameter() const {
    if constexpr (std::is_pointer_v<Weights>)
      return parameters + places.parameter(Index);
    else
      return parameters.template parameter<Index>();
  }

  /// The position of element p of stored value Value, for a reader that sees it in the shape `seen`. Where a value has
  /// another shape, its numbers follow one another: in a copy, if it has a border.
  template <int Value>
  SINTER_INLINE T* at(Position p, Dims seen) const {
    constexpr Place place = Places::value(Value);
    if (seen != place.dims) {
      p = Position::of(p.within(seen), place.dims);
      if constexpr (with_copies && SinglePlan<P>::copied(Value))
        return at(SinglePlan<P>::copy(Value).at(p.channel, p.y, p.x));
    }
    return at(place.at(p.channel, p.y, p.x));
  }

  /// Runs the riders [Index, End) of stage S on outputs in the lanes, the first of them at `p`: of one row of pixels,
  /// `Step` apart, or of a product with the whole sample. Masks are the identity in inference.
  template <int S, int Index, int End, int Step = 1>
  SINTER_INLINE V ride(Position p, V v) const {
    if constexpr (Index == End) {
      return v;
    } else {
      constexpr Op op = P::op(Index);
      if constexpr (op.kind == OpKind::map) {
        using F = typename P::Ops::template OpType<Index>::Functor;
        if constexpr (fn::OfPosition<F>)
          v = F::forward(v, load_every<Step, V>(F::template numbers<T, op.in>() + p.within(op.in)));
        else
          v = fn::forward<F>(v);
      } else if constexpr (op.kind == OpKind::add) {
        v = add(v, load_every<Step, V>(at<op.inputs[1 - P::Cut::main_input(Index)]>(p, op.in)));
      } else if constexpr (op.kind == OpKind::normalize) {
        using Memory = BatchMemory<typename P::Cut::Model>;
        const auto of_batch = [&](auto row) SINTER_LAMBDA {
          const T* from = batch + places.of_batch(Index, row) + p.channel;
          constexpr Source source = P::stage(S).source;
          constexpr bool features_in_lanes =
              source == Source::matmul ||
              (op.in.rank == 1 && (source == Source::recurrence || requires { Places::features_in_lanes; }));
          return features_in_lanes ? V::load(from) : V(*from);
        };
        v = normalize_channel(v, of_batch(Memory::mean), of_batch(Memory::scale), of_batch(Memory::shift));
      } else {
        static_assert(op.kind == OpKind::mask || op.kind == OpKind::statistics,
                      "sinter: say in Single::ride what this kind of op does in registers");
      }
      return ride<S, Index + 1, End, Step>(p, v);
    }
  }
  /// All riders, and the first `count` lanes to memory.
  template <int S>
  SINTER_INLINE void finish(Position p, V v, int count) const {
    constexpr Place out = output(S);
    store_first(ride<S, P::stage(S).first_rider(), P::stage(S).last>(p, v), at(out.at(p.channel, p.y, p.x)), count);
  }
};

/// The kernel of a kind of stage for one sample, `forward<P, S>(single)`. The header of each kind has its record.
template <Source source>
struct SingleKernel;

}  // namespace host_kernels

SINTER_NAMESPACE_END
