// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "sinter/layers/chain.hpp"
#include "sinter/layers/inputs.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/model/builder.hpp"

SINTER_NAMESPACE_BEGIN

/// The layers of a model as a type.
template <class... Layers>
using LayerList = TypeList<Layers...>;

/// Whether layer `Number` (the input not counted) accepts the shape that it gets. When it does not, the compiler's
/// message shows the arguments of this template: which layer, what it got, and what it needs.
template <int Number, class Layer, Dims Got, class Needs>
inline constexpr bool layer_accepts = detail::accepts<Layer>(Got);
/// The same of a layer inside another one.
template <class Where, class Layer, class Got, class Needs>
inline constexpr bool inner_layer_accepts = detail::accepts<Layer>(Got::dims);
/// Whether the argument `Number` of a Sequential is a layer. The compiler's message shows it.
template <int Number, class T>
inline constexpr bool is_a_layer = Layer<T>;
/// Whether a Shared in layer `Number` gets a shape for which its weights have the shapes of its first place.
template <int Number, class Layer>
inline constexpr bool shared_weights_fit = Number < 0;
/// Whether a TakeInput in layer `Number` takes from the Inputs of its Sequential, and from their row.
template <int Number, class Layer>
inline constexpr bool takes_its_inputs = Number < 0;
/// Whether an int holds the numbers of the layer's output, and all others on the way to its shape.
template <class Where, class Layer, class Got>
inline constexpr bool sizes_fit = detail::is_countable<Got::dims, 1, Layer>;
/// Whether the parameters and buffers of the layers up to `Number` have no more numbers than an int counts.
template <int Number, class Layer, long long Numbers>
inline constexpr bool parameters_fit = Number < 0;

namespace detail {
template <class T>
inline constexpr bool is_an_input = requires { requires T::input_count >= 1; };

/// What a Builder reports about layers; see Builder. The hash differs between models that compute something else, or
/// have other names.
struct Built {
  int misfit = -1, mistaken = -1, too_large = -1;
  long long numbers = 0;
  std::uint64_t hash = 0;
};
template <class L>
constexpr void add_layer(GraphHash& hash) {
  hash.add(L::name);
  if constexpr (requires { L::head_names; })
    for (const std::string_view name : L::head_names) hash.add(name);
}
template <class Input, class... Layers>
constexpr Built build() {
  GraphHash hash;
  for (const RowPart& part : Input::parts) hash.add(part.dims), hash.add(part.name);
  Builder builder{&hash};
  [[maybe_unused]] Wire wire = builder.input<Input>();
  ((add_layer<Layers>(hash), wire = builder.template layer<Layers>(wire), hash.add(wire.dims)), ...);
  return {builder.misfit(), builder.mistaken(), builder.too_large(), builder.numbers(), hash.value()};
}
}  // namespace detail

/// A stack of layers. Give it a name of its own, which keeps the compiler's messages short:
///     struct Net : Sequential<Input<2>, Linear<8>, ReLU, Linear<2>> {};
template <class InputShape, class... Layers>
struct Sequential {
  using InputLayer = std::conditional_t<detail::is_an_input<InputShape>, InputShape, Input<1>>;

  // A layer that is refused by a static_assert of its class says so here, once.
  static_assert(sizeof(typename InputLayer::Shape) > 0 &&
                (true && ... && (sizeof(std::conditional_t<std::is_function_v<Layers>, int, Layers>) > 0)));

  static constexpr Dims input_dims = InputLayer::Shape::dims;
  static constexpr detail::Walk walk = detail::countable_walk<input_dims, Layers...>();
  /// The layer, or one inside of it, at which the walk stopped; void if it completed.
  using Refused =
      decltype(detail::first_refused<typename LayerList<Layers..., void>::template At<walk.accepted>, walk.reached, 0>(
          TypeList<place::layer<walk.accepted>>{}));
  using RefusedLayer = typename Refused::Layer;
  static_assert(detail::CheckedOptions<RefusedLayer>::check());
  static_assert(detail::CheckedOptions<InputLayer>::check());

  static constexpr bool with_input = detail::is_an_input<InputShape>,
                        valid_input = detail::is_valid<InputLayer>() && InputLayer::Shape::countable;
  static constexpr bool accepted = with_input && valid_input && walk.accepted == sizeof...(Layers);
  static constexpr detail::Built built = [] {
    if constexpr (accepted)
      return detail::build<InputLayer, Layers...>();
    else
      return detail::Built{};
  }();
  static constexpr bool valid = accepted && built.misfit < 0 && built.mistaken < 0 && built.too_large < 0;
  static constexpr Dims output_dims = walk.reached;

  // Layers whose shapes do not fit have been reported; a model without layers causes no further message.
  using LayerTypes = std::conditional_t<valid, LayerList<Layers...>, LayerList<>>;
  using InputRow = shape_of<input_dims>;
  using OutputRow = shape_of<output_dims>;

 private:
  template <int Number, Dims Got, int TooLarge, long long Numbers>
  static constexpr bool check() {
    static_assert(with_input, "sinter: a Sequential begins with the shape of a sample: Input<1, 28, 28>");
    if constexpr (TooLarge >= 0)
      static_assert(parameters_fit<TooLarge, typename LayerList<Layers...>::template At<TooLarge>, Numbers>,
                    "sinter: a network has at most 2,147,483,647 numbers, and with this layer there are more: see "
                    "parameters_fit<number, layer, numbers up to it>; make the layers narrower");
    else if constexpr (built.misfit >= 0)
      static_assert(shared_weights_fit<built.misfit, typename LayerList<Layers...>::template At<built.misfit>>,
                    "sinter: a Shared gets a shape for which its weights would have other shapes than in its first "
                    "place: see shared_weights_fit<number, layer>");
    else if constexpr (built.mistaken >= 0)
      static_assert(takes_its_inputs<built.mistaken, typename LayerList<Layers...>::template At<built.mistaken>>,
                    "sinter: a TakeInput takes one of the Inputs of its Sequential, before any other layer has read "
                    "their row: see takes_its_inputs<number, layer>");
    if constexpr (with_input && valid_input && !accepted && detail::all_valid<RefusedLayer>()) {
      if constexpr (Layer<RefusedLayer>) {
        using Needs = typename detail::NeedsOf<RefusedLayer>::Type;
        if constexpr (!detail::is_countable<Refused::Got::dims, 1, RefusedLayer>)
          static_assert(sizes_fit<typename Refused::At, RefusedLayer, typename Refused::Got>,
                        "sinter: a value of a network has at most 2,147,483,647 numbers, and with this layer there are "
                        "more: see sizes_fit<place, layer, got>; make its numbers smaller");
        else if constexpr (std::is_same_v<RefusedLayer, typename LayerList<Layers...>::template At<Number>>)
          static_assert(
              layer_accepts<Number, RefusedLayer, Got, Needs>,
              "sinter: a layer does not accept the shape it gets: see layer_accepts<number, layer, got, needs>");
        else
          static_assert(inner_layer_accepts<typename Refused::At, RefusedLayer, typename Refused::Got, Needs>,
                        "sinter: a layer inside another one does not accept the shape it gets: see "
                        "inner_layer_accepts<place, layer, got, needs>");
      } else {
        static_assert(
            is_a_layer<Number, RefusedLayer>,
            "sinter: an argument of Sequential, or of a Path in it, is not a layer: see is_a_layer<number, argument>; "
            "layers are types, as ReLU or Linear<8>, without parentheses");
      }
    }
    return true;
  }
  static_assert(check<walk.accepted, walk.reached, built.too_large, built.numbers>());
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::layer_accepts;
using internal::Sequential;
}  // namespace sinter
