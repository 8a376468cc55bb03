// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/chain.hpp"
#include "sinter/layers/refused.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class L>
inline constexpr bool is_chain = requires { typename L::ChainLayers; };
/// A branch, or, where it is a layer alone, which is refused elsewhere, what was meant.
template <class L>
struct ChainOf {
  using Type = Chain<L>;
};
template <class L>
  requires is_chain<L>
struct ChainOf<L> {
  using Type = L;
};
template <class L>
using chain_of = typename ChainOf<L>::Type;
}  // namespace detail

/// Several layers as one: a branch of a Residual, a Concat or Heads, or a block of a model.
///     struct Block : Path<Conv2d<16, 3, Padding<1>>, BatchNorm2d<>, ReLU> {};
///     struct Net : Sequential<Input<3, 32, 32>, Block, Block, Flatten, Linear<10>> {};
/// Each place has parameters of its own, named as those of a torch.nn.Sequential inside another: "1.0.weight".
template <class... Layers>
struct Path : detail::Chain<Layers...> {
  static constexpr const char* name = "Path";
  using Needs = needs::a_shape_that_its_layers_accept;
  using Parts = TypeList<detail::Chain<Layers...>>;
  using PartNames = TypeList<place::path>;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Path;
}  // namespace sinter
