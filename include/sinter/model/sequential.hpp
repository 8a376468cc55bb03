// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/layers/chain.hpp"

SINTER_NAMESPACE_BEGIN

/// The shape of a sample at the start of a network: Input<1, 28, 28> or Input<2>.
template <int... Sizes>
struct Input {
  using Shape = sinter::Shape<Sizes...>;
};

template <class... Layers>
using LayerList = TypeList<Layers...>;

/// Whether layer `Number` (the input not counted) accepts the shape that it gets. When it does not, the compiler's
/// message shows the arguments of this template: which layer, what it got, and what it needs.
template <int Number, class Layer, Dims Got, class Needs>
inline constexpr bool layer_accepts = Layer::accepts(Got);
template <int Number, class T>
inline constexpr bool is_a_layer = Layer<T>;

namespace detail {
template <class T>
inline constexpr bool is_an_input = false;
template <int... Sizes>
inline constexpr bool is_an_input<Input<Sizes...>> = true;

}  // namespace detail

/// A stack of layers. Give it a name of its own, which keeps the compiler's messages short:
///     struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};
template <class InputShape, class... Layers>
struct Sequential {
  using InputLayer = std::conditional_t<detail::is_an_input<InputShape>, InputShape, Input<1>>;

  // A layer whose options are wrong says so here, once.
  static_assert(sizeof(typename InputLayer::Shape) > 0 && (true && ... && (sizeof(Layers) > 0)));

  static constexpr Dims input_dims = InputLayer::Shape::dims;
  static constexpr detail::Walk walk = detail::walk<Layers...>(input_dims);
  static constexpr bool with_input = detail::is_an_input<InputShape>;
  static constexpr bool valid = with_input && walk.accepted == sizeof...(Layers);
  static constexpr Dims output_dims = walk.reached;

  // Layers whose shapes do not fit have been reported; a model without layers causes no further message.
  using LayerTypes = std::conditional_t<valid, LayerList<Layers...>, LayerList<>>;
  using InputRow = shape_of<input_dims>;
  using OutputRow = shape_of<output_dims>;

 private:
  template <int Number, Dims Got>
  static constexpr bool check() {
    static_assert(with_input, "sinter: a Sequential begins with the shape of a sample: Input<1, 28, 28>");
    if constexpr (with_input && !valid) {
      using Refused = typename LayerList<Layers...>::template At<Number>;
      if constexpr (Layer<Refused>)
        static_assert(
            layer_accepts<Number, Refused, Got, typename Refused::Needs>,
            "sinter: a layer does not accept the shape it gets: see layer_accepts<number, layer, got, needs>");
      else
        static_assert(is_a_layer<Number, Refused>, "sinter: an argument of Sequential is not a layer");
    }
    return true;
  }
  static_assert(check<walk.accepted, walk.reached>());
};

SINTER_NAMESPACE_END
