// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class List, int Number>
struct LayerAt {
  using Type = typename List::template At<Number>;
};
template <class List>
struct LayerAt<List, -1> {
  using Type = void;
};
template <class Model>
using EndOf = typename LayerAt<typename Model::LayerTypes, Model::LayerTypes::size - 1>::Type;
}  // namespace detail

/// How many outputs a model has that are heads of a Heads layer, its last one; 0 where it ends in another.
template <class Model>
inline constexpr int head_count = [] {
  if constexpr (requires { detail::EndOf<Model>::head_count; })
    return detail::EndOf<Model>::head_count;
  else
    return 0;
}();

SINTER_NAMESPACE_END
