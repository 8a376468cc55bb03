// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/fn/identity.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/map.hpp"

SINTER_NAMESPACE_BEGIN

/// The same numbers, row-major, in another shape: Reshape<N> is no op, as Flatten; Reshape<C, H, W> is a copy, because
/// convolutions read images as they lie.
template <int... Sizes>
struct Reshape {
  static constexpr const char* name = "Reshape";
  using Needs = needs::as_many_numbers_as_the_new_shape_has;
  using Ops = std::conditional_t<sizeof...(Sizes) == 1, OpList<>, OpList<Map<fn::Identity>>>;
  static constexpr bool accepts(Dims in) { return in.size() == Shape<Sizes...>::size; }
  static constexpr Dims output(Dims) { return Shape<Sizes...>::dims; }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    x.dims = output(x.dims);
    if constexpr (Ops::size == 0)
      return x;
    else
      return to.template op<Map<fn::Identity>>(x);
  }

  static constexpr bool valid = dims_of<Sizes...>().rank > 0;
  static constexpr bool check() {
    static_assert(
        valid,
        "sinter: Reshape takes 1 to 3 sizes: <features>, <channels, length>, <channels, height, width>, of at most "
        "2,147,483,647 numbers");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Reshape;
}  // namespace sinter
