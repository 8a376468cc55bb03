// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/plan/moments.hpp"

SINTER_NAMESPACE_BEGIN

/// Why a layer cannot stream, as types with readable names: the compiler's message shows them.
namespace cannot_stream {
struct a_cell_that_begins_at_the_end_of_the_sequence;
struct numbers_made_of_all_moments;
struct moments_as_features_of_one_row;
struct numbers_that_move_to_other_moments;
struct a_weight_or_statistics_for_each_moment;
struct a_constant_for_each_moment;
struct a_window_that_does_not_slide_along_the_time;
struct a_transposed_convolution;
struct padding_as_wide_as_the_window;
struct a_first_state_or_a_length_that_a_row_gives;
struct branches_with_numbers_of_different_moments;
}  // namespace cannot_stream

namespace detail {
template <Unstreamable Why>
constexpr auto reason() {
  using enum Unstreamable;
  if constexpr (Why == reverse)
    return std::type_identity<cannot_stream::a_cell_that_begins_at_the_end_of_the_sequence>{};
  else if constexpr (Why == all_moments)
    return std::type_identity<cannot_stream::numbers_made_of_all_moments>{};
  else if constexpr (Why == one_row)
    return std::type_identity<cannot_stream::moments_as_features_of_one_row>{};
  else if constexpr (Why == moved)
    return std::type_identity<cannot_stream::numbers_that_move_to_other_moments>{};
  else if constexpr (Why == parameters)
    return std::type_identity<cannot_stream::a_weight_or_statistics_for_each_moment>{};
  else if constexpr (Why == positions)
    return std::type_identity<cannot_stream::a_constant_for_each_moment>{};
  else if constexpr (Why == window)
    return std::type_identity<cannot_stream::a_window_that_does_not_slide_along_the_time>{};
  else if constexpr (Why == transposed)
    return std::type_identity<cannot_stream::a_transposed_convolution>{};
  else if constexpr (Why == padding)
    return std::type_identity<cannot_stream::padding_as_wide_as_the_window>{};
  else if constexpr (Why == inputs)
    return std::type_identity<cannot_stream::a_first_state_or_a_length_that_a_row_gives>{};
  else
    return std::type_identity<cannot_stream::branches_with_numbers_of_different_moments>{};
}
/// A placeholder for a model that cannot stream, so that it is refused once.
struct Streamable : Sequential<Input<1>> {};
}  // namespace detail

/// Whether a layer of a model can run moment by moment. When it cannot, the compiler's message shows the arguments of
/// this template: the number of the layer (the input not counted), its type, and why.
template <class Number, class Layer, class Why>
inline constexpr bool layer_streams = std::is_void_v<Number>;

namespace detail {
template <class Model, int Op = Moments<Model>::refused>
struct RefusedByStream {
  static constexpr int number = Program<Model>::ops[static_cast<std::size_t>(Op)].layer;
  using Place = place::layer<number>;
  using Layer = typename Model::LayerTypes::template At<number>;
  using Why = typename decltype(reason<Moments<Model>::why>())::type;
};
template <class Model>
struct RefusedByStream<Model, -1> {
  using Place = void;
  using Layer = void;
  using Why = void;
};
template <class Model>
using StreamableModel = std::conditional_t<(Moments<Model>::refused < 0), Model, Streamable>;
/// The model, if a Stream can run it; else the compiler's message says which layer refuses, once.
template <class Model>
struct CheckForStream {
  using Refused = RefusedByStream<Model>;
  using Type = StreamableModel<Model>;
  static_assert(layer_streams<typename Refused::Place, typename Refused::Layer, typename Refused::Why>,
                "sinter: a layer of this model cannot stream: see layer_streams<number, layer, why>");
};
}  // namespace detail

SINTER_NAMESPACE_END
