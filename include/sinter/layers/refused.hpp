// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/chain.hpp"

SINTER_NAMESPACE_BEGIN

/// The position of a layer inside others, as the compiler's message shows it: Place<layer<2>, path, layer<1>> is
/// "2.path.1".
template <class... Steps>
struct Place;
namespace place {
template <int Number>
struct layer;
template <int Number>
struct branch;
struct path;
struct shortcut;
struct transform;
struct gate;
struct shared;
struct lengths;
struct initial_state;
}  // namespace place

namespace detail {

/// The type whose `check()` reports why an op is not valid: its functor, if that refuses its options, or else the op.
template <class O>
struct CheckedOp : O {};
template <class O>
  requires requires { requires !O::options_are_valid; }
struct CheckedOp<O> : O::Functor {};

/// The type whose `check()` reports invalid options of a layer: its first op that is not valid, or else the layer
/// itself.
template <class L>
struct CheckedOptions {
  static constexpr bool check() { return true; }
};
template <class L>
  requires(!is_valid<L>())
struct CheckedOptions<L> : L {};
template <class L>
  requires(is_valid<L>() && !all_valid<L>())
struct CheckedOptions<L> : CheckedOp<typename L::Ops::template At<valid_ops(typename L::Ops{})>> {};

/// A layer that does not accept the shape it gets.
template <class Where, class L, Dims In>
struct RefusedLayer {
  using At = Where;
  using Layer = L;
  using Got = shape_of<In>;
};

/// The name of part Index of a layer that consists of others.
template <class L, int Index>
constexpr auto name_of_part() {
  if constexpr (requires { typename L::PartNames; })
    return TypeList<typename L::PartNames::template At<Index>>{};
  else
    return TypeList<place::branch<Index>>{};
}

template <class L, Dims Got, int Index, class... Steps>
constexpr auto first_refused(TypeList<Steps...> where);

/// In part Index of L, or in a later one.
template <class L, Dims Got, int Index, class Part, class... Layers, class... Steps>
constexpr auto first_refused_in(TypeList<Part>, TypeList<Layers...>, TypeList<Steps...> where) {
  constexpr Walk walked = countable_walk<Got, Layers...>();
  if constexpr (walked.accepted == sizeof...(Layers))
    return first_refused<L, Got, Index + 1>(where);
  else
    return first_refused<typename TypeList<Layers...>::template At<walked.accepted>, walked.reached, 0>(
        TypeList<Steps..., Part, place::layer<walked.accepted>>{});
}
/// L does not accept a shape: because of a layer inside it, or by itself.
template <class L, Dims Got, int Index, class... Steps>
constexpr auto first_refused(TypeList<Steps...> where) {
  constexpr bool left = [] {
    if constexpr (is_valid<L>() && requires { typename L::Parts; })
      return Index < L::Parts::size;
    else
      return false;
  }();
  if constexpr (left)
    return first_refused_in<L, Got, Index>(name_of_part<L, Index>(),
                                           typename L::Parts::template At<Index>::ChainLayers{}, where);
  else
    return RefusedLayer<Place<Steps...>, L, Got>{};
}

}  // namespace detail

SINTER_NAMESPACE_END
