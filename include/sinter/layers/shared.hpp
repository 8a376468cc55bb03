// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/layers/chain.hpp"
#include "sinter/layers/refused.hpp"

SINTER_NAMESPACE_BEGIN

/// Layers that use one set of parameters in all places of a model. A type is a set: give each a name of its own.
///     struct Tower : Shared<Linear<32>, ReLU, Linear<8>> {};
///     Concat<Path<Slice<0, 16>, Tower>, Path<Slice<16, 16>, Tower>>     // a siamese pair
/// The first place names the parameters ("0.0.1.0.weight"), which start once and are counted once; their gradients from
/// all places are added. Statistics of a BatchNorm follow the places one after another, and masks of each place are its
/// own.
template <class... Layers>
struct Shared : detail::Chain<Layers...> {
  static constexpr const char* name = "Shared";
  using Needs = needs::a_shape_that_its_layers_accept;
  using Parts = TypeList<detail::Chain<Layers...>>;
  using PartNames = TypeList<place::shared>;
  using SharedLayers = detail::Chain<Layers...>;

  static constexpr bool valid = sizeof...(Layers) > 0;
  static constexpr bool check() {
    static_assert(valid, "sinter: Shared takes one layer or more: struct Tower : Shared<Linear<8>, ReLU> {}");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Shared;
}  // namespace sinter
