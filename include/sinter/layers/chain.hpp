// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/layer.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
constexpr Dims through(Dims dims, OpList<>) { return dims; }
template <class First, class... Rest>
constexpr Dims through(Dims dims, OpList<First, Rest...>) {
  return through(First::describe(dims).out, OpList<Rest...>{});
}
/// The shape after a layer that accepts `in`.
template <class L>
constexpr Dims output_of(Dims in) {
  if constexpr (requires { L::output(in); })
    return L::output(in);
  else
    return through(in, typename L::Ops{});
}

/// The shapes from layer to layer, up to the first layer that does not accept what it gets.
struct Walk {
  int accepted = 0;  // layers
  Dims reached{};

  template <class L>
  constexpr bool step() {
    if constexpr (Layer<L> && all_valid<L>()) {
      Dims next;
      if constexpr (requires { L::result(reached); })
        next = L::result(reached);
      else if (detail::accepts<L>(reached))
        next = output_of<L>(reached);
      if (next.rank == 0 || next.size() < 1) return false;
      reached = next;
      ++accepted;
      return true;
    } else {
      return false;
    }
  }
};
/// Through the first `most` layers.
template <class... Layers>
constexpr Walk walk(Dims input, int most = sizeof...(Layers)) {
  Walk walk{0, input};
  (void)(... && (walk.accepted < most && walk.template step<Layers>()));
  return walk;
}
/// Whether an int holds all numbers on the way through the first `Most` layers: else it is no constant.
template <Dims Input, int Most, class... Layers>
inline constexpr bool is_countable =
    requires { typename std::bool_constant<(walk<Layers...>(Input, Most).accepted < 0)>; };
/// The walk, up to the first layer that does not accept what it gets, or with which a number is too large for an int.
template <Dims Input, class... Layers, int Most = sizeof...(Layers)>
constexpr Walk countable_walk(std::integral_constant<int, Most> = {}) {
  if constexpr (is_countable<Input, Most, Layers...>)
    return walk<Layers...>(Input, Most);
  else
    return countable_walk<Input, Layers...>(std::integral_constant<int, Most - 1>{});
}

/// The ops of a layer; none if the type is not a layer, which is refused elsewhere.
template <class L>
struct OpsOf {
  using Type = OpList<>;
};
template <Layer L>
struct OpsOf<L> {
  using Type = typename L::Ops;
};

/// Layers one after the other inside a layer: a branch of it. Without layers, the identity. Layers that contain others
/// return from `result` both whether they accept a shape and their output shape: two separate questions would reach the
/// layers inside twice, and those inside of these four times.
template <class... Layers>
struct Chain {
  using ChainLayers = TypeList<Layers...>;
  using Ops = concatenate<typename OpsOf<Layers>::Type...>;
  /// The shape after all layers; of rank 0 if one does not accept what it gets.
  static constexpr Dims result(Dims in) {
    const Walk walked = walk<Layers...>(in);
    return walked.accepted == sizeof...(Layers) ? walked.reached : Dims{};
  }
  static constexpr bool accepts(Dims in) { return result(in).rank > 0; }
  static constexpr Dims output(Dims in) { return result(in); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    [[maybe_unused]] int number = 0;
    ((x = to.template child<Layers>(number++, x)), ...);
    return x;
  }
};
}  // namespace detail

SINTER_NAMESPACE_END
