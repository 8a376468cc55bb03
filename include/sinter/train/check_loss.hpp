// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/activation.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/nll.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class List>
struct LastLayer {
  using Type = typename List::template At<List::size - 1>;
};
template <>
struct LastLayer<TypeList<>> {
  using Type = void;
};
template <class L>
inline constexpr bool is_library_layer = true;
template <class F>
inline constexpr bool is_library_layer<Activation<F>> =
    std::is_same_v<Activation<F>, ReLU> || std::is_same_v<Activation<F>, Tanh> ||
    std::is_same_v<Activation<F>, Sigmoid>;
template <class F>
inline constexpr bool is_library_layer<RowActivation<F>> =
    std::is_same_v<RowActivation<F>, Softmax> || std::is_same_v<RowActivation<F>, LogSoftmax>;
}  // namespace detail

/// Whether a loss suits the end of a network. The known mismatches train, badly, in silence: they are refused.
template <class Model, class Loss>
constexpr bool check_loss() {
  using Last = typename detail::LastLayer<typename Model::LayerTypes>::Type;
  constexpr bool applied_twice =
      std::is_same_v<Loss, CrossEntropyLoss> && (std::is_same_v<Last, LogSoftmax> || std::is_same_v<Last, Softmax>);
  constexpr bool not_logarithms = Model::valid && std::is_same_v<Loss, NLLLoss> && !std::is_same_v<Last, LogSoftmax> &&
                                  detail::is_library_layer<Last>;
  static_assert(!applied_twice,
                "sinter: CrossEntropyLoss takes scores and applies log-softmax itself: leave out the last "
                "(Log)Softmax, or use NLLLoss behind LogSoftmax");
  static_assert(!not_logarithms,
                "sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax, or use CrossEntropyLoss");
  return Model::valid && !applied_twice && !not_logarithms;
}

SINTER_NAMESPACE_END
