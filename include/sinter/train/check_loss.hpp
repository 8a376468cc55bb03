// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>
#include <utility>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/reshape.hpp"
#include "sinter/loss/bce_with_logits.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/loss/kl_div.hpp"
#include "sinter/loss/nll.hpp"
#include "sinter/loss/weighted_cross_entropy.hpp"
#include "sinter/train/heads.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// Whether a layer only names a shape anew, as Flatten and Reshape do.
template <class L>
inline constexpr bool only_shapes =
    std::is_same_v<typename L::Ops, OpList<>> || std::is_same_v<typename L::Ops, OpList<Map<fn::Identity>>>;
/// The last of these layers that does something.
template <class List>
struct LastLayer;
template <class... Layers>
struct LastLayer<TypeList<Layers...>> {
  static constexpr int number = [] {
    int last = -1, i = 0;
    ((last = only_shapes<Layers> ? last : i, ++i), ...);
    return last;
  }();
  using Type = typename LayerAt<TypeList<Layers...>, number>::Type;
};

template <class T, class... Choices>
inline constexpr bool is_any_of = (std::is_same_v<T, Choices> || ...);

/// Of a functor of a user nobody knows what it makes.
template <class F>
inline constexpr bool is_library_functor = is_any_of<F, fn::Relu, fn::Tanh, fn::Sigmoid, fn::Gelu, fn::GeluTanh,
                                                     fn::Silu, fn::Hardswish, fn::Softmax, fn::LogSoftmax>;
template <double slope>
inline constexpr bool is_library_functor<fn::LeakyRelu<slope>> = true;
template <double alpha>
inline constexpr bool is_library_functor<fn::Elu<alpha>> = true;
template <double beta, double threshold>
inline constexpr bool is_library_functor<fn::Softplus<beta, threshold>> = true;

template <class L>
inline constexpr bool is_library_layer = true;
template <class F>
inline constexpr bool is_library_layer<Activation<F>> = is_library_functor<F>;
template <class F>
inline constexpr bool is_library_layer<RowActivation<F>> = is_library_functor<F>;

template <class Loss>
inline constexpr bool takes_class_scores = std::is_same_v<Loss, CrossEntropyLoss>;
template <int Classes>
inline constexpr bool takes_class_scores<WeightedCrossEntropyLoss<Classes>> = true;
}  // namespace detail

template <class Model, class Loss>
constexpr bool check_loss();

namespace detail {
/// One head of a network, as a model of its own.
template <class Branch, int Size>
struct HeadModel {
  using LayerTypes = typename Branch::ChainLayers;
  static constexpr bool valid = true;
  static constexpr Dims output_dims = features(Size);
};
template <class Model, class Loss>
struct CheckHeads {
  static constexpr bool fit = HeadsOf<Model>::count == 0 || !std::is_same_v<typename Loss::Target, ClassTarget>;
  static constexpr bool check() { return true; }
};
template <class Model, class... Losses>
struct CheckHeads<Model, HeadLosses<Losses...>> {
  using Of = HeadsOf<Model>;
  static constexpr bool fit = [] {
    std::size_t i = 0;
    return Of::count == sizeof...(Losses) && (true && ... && (Losses::first == Of::first[i++])) &&
           HeadLosses<Losses...>::outputs == Of::first[Of::count];
  }();
  static constexpr bool check() {
    return []<int... I>(std::integer_sequence<int, I...>) {
      return (true && ... &&
              check_loss<HeadModel<typename Of::Last::template Head<I>, Losses::size>, typename Losses::Alone>());
    }(std::make_integer_sequence<int, sizeof...(Losses)>{});
  }
};
}  // namespace detail

/// Whether a loss suits the end of a network. The known mismatches train, badly, in silence: they are refused.
template <class Model, class Loss>
constexpr bool check_loss() {
  using Heads = detail::CheckHeads<Model, Loss>;
  static_assert(Heads::fit,
                "sinter: a network with several outputs takes a loss for each: "
                "head_losses<Net>(CrossEntropyLoss{}, 0.5 * MSELoss{})");
  using Last = typename detail::LastLayer<typename Model::LayerTypes>::Type;
  constexpr bool probabilities = detail::is_any_of<Last, Softmax, LogSoftmax>;
  constexpr bool applied_twice = detail::takes_class_scores<Loss> && probabilities;
  constexpr bool squashed_twice =
      std::is_same_v<Loss, BCEWithLogitsLoss> && (probabilities || std::is_same_v<Last, Sigmoid>);
  constexpr bool takes_logarithms = Model::valid && !std::is_same_v<Last, LogSoftmax> && detail::is_library_layer<Last>;
  constexpr bool not_logarithms = takes_logarithms && std::is_same_v<Loss, NLLLoss>;
  constexpr bool other_classes = Model::valid && !detail::fits_classes<Loss, Model::output_dims.size()>;
  constexpr bool no_distribution = takes_logarithms && std::is_same_v<Loss, KLDivLoss>;
  static_assert(!applied_twice,
                "sinter: CrossEntropyLoss takes scores and applies log-softmax itself: leave out the last "
                "(Log)Softmax, or use NLLLoss behind LogSoftmax");
  static_assert(!squashed_twice,
                "sinter: BCEWithLogitsLoss takes scores and applies the sigmoid itself: leave out the last Sigmoid or "
                "(Log)Softmax");
  static_assert(!not_logarithms,
                "sinter: NLLLoss takes log-probabilities: end the network with LogSoftmax, or use CrossEntropyLoss");
  static_assert(!no_distribution, "sinter: KLDivLoss takes log-probabilities: end the network with LogSoftmax");
  static_assert(!other_classes,
                "sinter: this loss has weights for another number of classes than the network has outputs");
  return Model::valid && Heads::fit && Heads::check() && !other_classes && !applied_twice && !squashed_twice &&
         !not_logarithms && !no_distribution;
}

SINTER_NAMESPACE_END
