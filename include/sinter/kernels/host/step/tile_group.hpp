// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/core/of_library.hpp"
#include "sinter/fn/identity.hpp"
#include "sinter/fn/of_position.hpp"
#include "sinter/kernels/host/products/product_of_tiles.hpp"
#include "sinter/kernels/host/step/step.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Tiles that run the stages together, so that weights are read once for all of them. Their memories are `stride`
/// numbers apart.
template <class T>
struct TileGroup {
  using Tile = T;
  using Scalar = typename Tile::T;
  Tile first;
  std::ptrdiff_t stride = 0;
  int count = 1;
  int last_rows = Tile::lanes;            // that count in the last tile
  Scalar* const* slot_of_tile = nullptr;  // of each tile, where gradients are added up

  SINTER_INLINE Tile operator[](int i) const {
    Tile tile = first;
    tile.memory += i * stride;
    if (slot_of_tile) tile.gradient = slot_of_tile[i];
    if (tile.partial) tile.partial += i * BatchMemory<typename Tile::Plan::Cut::Model>::partial_size;
    tile.rows = i + 1 == count ? last_rows : Tile::lanes;
    return tile;
  }
};

/// Numbers from one tile's memory to the next.
template <class Tile>
inline constexpr std::ptrdiff_t memory_stride = tile_stride(Tile::memory_plan.packs, Tile::lanes);

/// How many tiles run the stages together in inference: as many as the second-level cache holds.
template <class Tile>
constexpr int tiles_of_workspace(std::size_t most_rows) {
  if (!Tile::Plan::layered) return 1;
  constexpr std::ptrdiff_t bytes = memory_stride<Tile> * static_cast<std::ptrdiff_t>(sizeof(typename Tile::T));
  constexpr int most = static_cast<int>(std::clamp<std::ptrdiff_t>((1 << 19) / bytes, 4, 64)) / 4 * 4;
  return static_cast<int>(std::clamp<std::size_t>((most_rows + Tile::lanes - 1) / Tile::lanes, 1, most));
}

/// The inputs of a product are read again for each block of outputs: this many tiles of the widest fit in the
/// second-level cache.
template <class Plan>
inline constexpr int most_together = [] {
  int widest = 1;
  for (int s = 0; s < Plan::stage_count; ++s)
    if (Plan::stage(s).source == Source::matmul)
      widest = std::max({widest, Plan::source(s).in.size(), Plan::source(s).out.size()});
  const int bytes = widest * Plan::lanes * static_cast<int>(sizeof(typename Plan::Scalar));
  return std::clamp((1 << 21) / bytes / 4 * 4, 4, 64);
}();

/// The size of the incomplete sums of this many tiles.
template <class Tile>
constexpr std::size_t waiting_size(int tiles) {
  bool wait = false;
  for (int s = 0; s < Tile::Plan::stage_count; ++s)
    wait = wait || (Tile::Plan::layered && Tile::Plan::source(s).out.size() > terms_of_block);
  return wait ? static_cast<std::size_t>(tiles) * round_up(rows_of_block, 12) * Tile::lanes : 0;
}

/// Whether an op is a map that is the same in every model and at every position.
template <class P, int Index>
inline constexpr bool is_shared_map = [] {
  if constexpr (P::op(Index).kind == OpKind::map) {
    using F = typename P::Ops::template OpType<Index>::Functor;
    return detail::is_of_library<F> && !fn::OfPosition<F>;
  } else {
    return false;
  }
}();
/// Whether nothing or one such map rides on stage S.
template <class P, int S>
inline constexpr bool rides_shared_map = [] {
  constexpr int first = P::stage(S).first_rider(), riders = P::stage(S).last - first;
  if constexpr (riders == 1)
    return is_shared_map<P, first>;
  else
    return riders == 0;
}();
/// Whether the gradient of stage S's input goes to the stage before alone, in the order of its numbers.
template <class Tile, int S>
inline constexpr bool gives_through_shared_map = [] {
  using P = typename Tile::Plan;
  constexpr int value = P::stage(S).input;
  if constexpr (value == 0 || !P::Cut::learned(value)) {
    return false;
  } else {
    constexpr int before = P::Cut::producer(value);
    return P::GradientOrder::count(value) == 1 && !P::sparse(before) && !Tile::gradient_of(before).bordered() &&
           !Tile::output(before).bordered() && rides_shared_map<P, before>;
  }
}();

/// What rides on the products of stage S forward: nothing or one map, which names no model, or all of its ops.
template <class Group, int S>
SINTER_INLINE auto forward_sink(const Group& group) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  constexpr int rider = P::stage(S).first + 1;
  T* const to = group.first.at(Tile::output(S).begin());
  if constexpr (rider == P::stage(S).last) {
    return MapOfTiles<fn::Identity, false, T>{to, nullptr, group.stride};
  } else if constexpr (rides_shared_map<P, S>) {
    using F = typename P::Ops::template OpType<rider>::Functor;
    constexpr bool saves = Tile::training && P::saves(S, rider);
    T* saved = nullptr;
    if constexpr (saves) saved = group.first.at(Tile::saved(rider).begin());
    return MapOfTiles<F, saves, T>{to, saved, group.stride};
  } else {
    return [group](int tile, int m, typename Tile::V v) SINTER_LAMBDA {
      typename Tile::V one[1] = {v};
      ride<Tile, S, P::stage(S).first + 1>(group[tile], Position{m, 0, 0}, one);
    };
  }
}

template <class Group, int S>
SINTER_INLINE void tile_group_matmul_forward(const Group& group) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  const typename Tile::T* bias = nullptr;
  if constexpr (op.with_bias) bias = group.first.parameter(op.bias);
  const ProductOfTiles<typename Tile::T> product{
      .matrix = {group.first.parameter(op.weight), in, 1, bias},
      .rows = out,
      .terms = in,
      .x = group.first.at(Tile::input(S).begin()),
      .stride = group.stride,
      .tiles = group.count,
      .waiting = nullptr,
  };
  multiply_tiles<typename P::ISA, V, out, in>(product, forward_sink<Group, S>(group));
}

/// Where the gradients of the inputs of stage S go: through nothing or one map to the stage before, or through all ops.
template <class Group, int S>
SINTER_INLINE auto backward_sink(const Group& group) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  if constexpr (gives_through_shared_map<Tile, S>) {
    constexpr int before = P::Cut::producer(P::stage(S).input), rider = P::stage(before).last - 1;
    T* const to = group.first.at(Tile::gradient_of(before).begin());
    if constexpr (rider < P::stage(before).first_rider()) {
      return MapBackOfTiles<fn::Identity, T>{to, to, group.stride};
    } else {
      const Spot saved = P::saves(before, rider) ? Tile::saved(rider).begin() : Tile::output(before).begin();
      return MapBackOfTiles<typename P::Ops::template OpType<rider>::Functor, T>{group.first.at(saved), to,
                                                                                 group.stride};
    }
  } else {
    return [group](int tile, int k, typename Tile::V v)
               SINTER_LAMBDA { give_input_gradient<Tile, S>(group[tile], k, v); };
  }
}

/// dx = W^T dy.
template <class Group, int S>
SINTER_INLINE void tile_group_matmul_input_gradient(const Group& group, typename Group::Scalar* waiting) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  const ProductOfTiles<typename Tile::T> product{
      .matrix = {group.first.parameter(op.weight), 1, in, nullptr},
      .rows = in,
      .terms = out,
      .x = group.first.at(Tile::gradient_of(S).begin()),
      .stride = group.stride,
      .tiles = group.count,
      .waiting = waiting,
  };
  multiply_tiles<typename P::ISA, V, in, out>(product, backward_sink<Group, S>(group));
}

template <Pass pass, class Group, int S>
SINTER_INLINE void tile_group_kernel(const Group& group, typename Group::Scalar* waiting) {
  if constexpr (pass == Pass::forward)
    tile_group_matmul_forward<Group, S>(group);
  else
    tile_group_matmul_input_gradient<Group, S>(group, waiting);
}
/// The kernel of stage S and of all that equal it.
template <Pass pass, class Tile, int S>
SINTER_SHARED void shared_tile_group_kernel(const TileGroup<Tile>& group, typename Tile::T* waiting,
                                            const typename GivenPlaces<Tile, S, pass>::Offsets& offsets) {
  using Same = StageTile<Tile, S, pass>;
  const TileGroup<Same> same{Same(group.first, offsets), group.stride, group.count, group.last_rows,
                             group.slot_of_tile};
  tile_group_kernel<pass, TileGroup<Same>, S>(same, waiting);
}
template <Pass pass, class Tile, int S>
void run_tile_group(const TileGroup<Tile>& group, typename Tile::T* waiting) {
  using Equal = EqualStages<Tile, pass>;
  constexpr int first = Equal::first(S);
  constexpr bool names_no_model =
      pass == Pass::forward ? rides_shared_map<typename Tile::Plan, S> : gives_through_shared_map<Tile, S>;
  [[maybe_unused]] const Watch<typename Tile::Plan::ISA> watch(
      pass == Pass::forward ? Part::forward : Part::input_gradient, S);
  static_assert(!Tile::output(S).bordered(), "sinter: begin_value is not called here; only convolutions want borders");
  if constexpr (!names_no_model && Equal::shared(S))
    shared_tile_group_kernel<pass, Tile, first>(group, waiting, offsets_of_stage<Tile, first, pass, S>);
  else
    tile_group_kernel<pass, TileGroup<Tile>, S>(group, waiting);
}

/// The stages [First, End) of a group, forward and backward. The gradients of weights of products come later, from all
/// groups of the batch at once.
template <class Group, int First, int End>
void tile_group_forward(const Group& group) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = First + decltype(s)::value;
    if constexpr (Tile::Plan::layered && Tile::Plan::stage(S).source == Source::matmul)
      run_tile_group<Pass::forward, Tile, S>(group, nullptr);
    else
      for (int i = 0; i < group.count; ++i) run_stage<Pass::forward, Tile, S>(group[i]);
  });
}
template <class Group, int First, int End>
void tile_group_backward(const Group& group, typename Group::Scalar* waiting) {
  using Tile = typename Group::Tile;
  unroll<End - First>([&](auto s) SINTER_LAMBDA {
    constexpr int S = End - 1 - decltype(s)::value;
    if constexpr (Tile::Plan::stage(S).source != Source::matmul) {
      for (int i = 0; i < group.count; ++i) backward_stage<Tile, S>(group[i]);
    } else if constexpr (wants_input_gradient<Tile, S>) {
      run_tile_group<Pass::input_gradient, Tile, S>(group, waiting);
    }
  });
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
