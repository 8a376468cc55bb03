// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include "sinter/model/hashed.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Model, class Indices>
struct FirstLayers;
template <class Model, std::size_t... Index>
struct FirstLayers<Model, std::index_sequence<Index...>> {
  using Type = Sequential<typename Model::InputLayer, typename Model::LayerTypes::template At<Index>...>;
};
}  // namespace detail

/// The first `Count` layers of a model: features. Its network takes its parameters from one of the whole model:
///     Network<Truncate<LeNet, 7>> features;
///     features = net;
template <class Model, int Count>
struct Truncate : detail::FirstLayers<Model, std::make_index_sequence<Count>>::Type {
  static_assert(Count >= 0 && Count <= Model::LayerTypes::size, "sinter: Truncate keeps more layers than there are");
  using Whole = detail::Hashed<Model>;
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Truncate;
}  // namespace sinter
