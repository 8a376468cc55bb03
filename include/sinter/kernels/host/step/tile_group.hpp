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

/// What rides on the products of stage S forward: nothing or one map, which names no model.
template <class Tile, int S>
struct ForwardMap {
  using P = typename Tile::Plan;
  static constexpr int rider = P::stage(S).first + 1;
  static constexpr bool rides = rider < P::stage(S).last, saves = rides && Tile::training && P::saves(S, rider);
  static constexpr int to = Tile::output(S).begin().offset;
  static constexpr int saved = saves ? Tile::saved(rider).begin().offset : to;
  static constexpr auto functor() {
    if constexpr (rides)
      return std::type_identity<typename P::Ops::template OpType<rider>::Functor>{};
    else
      return std::type_identity<fn::Identity>{};
  }
  using Map = MapOfTiles<typename decltype(functor())::type, saves, typename Tile::T>;
};
/// Where the gradients of the inputs of stage S go, through nothing or one map to the stage before.
template <class Tile, int S>
struct BackwardMap {
  using P = typename Tile::Plan;
  static constexpr int before = P::Cut::producer(P::stage(S).input), rider = P::stage(before).last - 1;
  static constexpr bool rides = rider >= P::stage(before).first_rider();
  static constexpr int to = Tile::gradient_of(before).begin().offset;
  static constexpr int saved = !rides                    ? to
                               : P::saves(before, rider) ? Tile::saved(rider).begin().offset
                                                         : Tile::output(before).begin().offset;
  static constexpr auto functor() {
    if constexpr (rides)
      return std::type_identity<typename P::Ops::template OpType<rider>::Functor>{};
    else
      return std::type_identity<fn::Identity>{};
  }
  using Map = MapBackOfTiles<typename decltype(functor())::type, typename Tile::T>;
};

/// The product of stage S forward, y = W x + b, or back, dx = W^T dy, with a map.
template <Pass pass, class Tile, int S>
struct MappedProduct {
  using P = typename Tile::Plan;
  using Isa = typename P::ISA;
  using V = typename Tile::V;
  static constexpr bool forward = pass == Pass::forward;
  static constexpr Op op = P::source(S);
  static constexpr int in = op.in.size(), out = op.out.size(), rows = forward ? out : in, L = Tile::lanes;
  using Places = std::conditional_t<forward, ForwardMap<Tile, S>, BackwardMap<Tile, S>>;
  using Map = typename Places::Map;
  using Blocks = BlocksOfProduct<Isa, V, rows>;
  static constexpr GroupProduct<Isa, typename Tile::T> product{
      .rows = rows,
      .terms = forward ? in : out,
      .row = forward ? in : 1,
      .column = forward ? 1 : in,
      .weight = P::parameter(op.weight).offset,
      .bias = forward && op.with_bias ? P::parameter(op.bias).offset : -1,
      .x = (forward ? Tile::input(S) : Tile::gradient_of(S)).begin().offset * L,
      .to = Places::to * L,
      .saved = Places::saved * L,
      .many = Blocks::many,
      .one = Blocks::one,
  };
};
/// Those of few terms are compiled for their sizes.
template <Pass pass, class Tile, int S>
SINTER_INLINE void mapped_group_kernel(const TileGroup<Tile>& group, typename Tile::T* waiting) {
  using Of = MappedProduct<pass, Tile, S>;
  using Map = typename Of::Map;
  const GroupMemory<typename Tile::T> memory{group.first.memory, group.first.parameters, group.stride, group.count,
                                             waiting};
  if constexpr (Of::in * Of::out < least_shared_product)
    multiply_tiles_with<typename Of::Isa, typename Of::V>(
        Of::product.in(memory), Of::Blocks::constant_many, Of::Blocks::constant_one,
        Map{memory.tiles + Of::product.to, memory.tiles + Of::product.saved, memory.stride});
  else
    shared_group_product<typename Of::Isa, typename Of::V, Map>(Of::product, memory);
}

/// The same with all ops that ride.
template <Pass pass, class Group, int S>
SINTER_INLINE void tile_group_kernel(const Group& group, typename Group::Scalar* waiting) {
  using Tile = typename Group::Tile;
  using P = typename Tile::Plan;
  using V = typename Tile::V;
  constexpr bool forward = pass == Pass::forward;
  constexpr Op op = P::source(S);
  constexpr int in = op.in.size(), out = op.out.size();
  const typename Tile::T* bias = nullptr;
  if constexpr (forward && op.with_bias) bias = group.first.parameter(op.bias);
  const ProductOfTiles<typename Tile::T> product{
      .matrix = {group.first.parameter(op.weight), forward ? in : 1, forward ? 1 : in, bias},
      .rows = forward ? out : in,
      .terms = forward ? in : out,
      .x = group.first.at((forward ? Tile::input(S) : Tile::gradient_of(S)).begin()),
      .stride = group.stride,
      .tiles = group.count,
      .waiting = waiting,
  };
  const auto sink = [group](int tile, int i, V v) SINTER_LAMBDA {
    if constexpr (pass == Pass::forward) {
      V one[1] = {v};
      ride<Tile, S, P::stage(S).first + 1>(group[tile], Position{i, 0, 0}, one);
    } else {
      give_input_gradient<Tile, S>(group[tile], i, v);
    }
  };
  using Blocks = BlocksOfProduct<typename P::ISA, V, forward ? out : in>;
  if constexpr (in * out < least_shared_product)
    multiply_tiles_with<typename P::ISA, V>(product, Blocks::constant_many, Blocks::constant_one, sink);
  else
    multiply_tiles_with<typename P::ISA, V>(product, Blocks::many, Blocks::one, sink);
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
  if constexpr (names_no_model)
    mapped_group_kernel<pass, Tile, S>(group, waiting);
  else if constexpr (Equal::shared(S))
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
