// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>

#include "sinter/core/shape.hpp"
#include "sinter/core/type_list.hpp"

SINTER_NAMESPACE_BEGIN

/// The op types that a layer lowers to, in order.
template <class... Ops>
using OpList = TypeList<Ops...>;

/// A layer is a declaration: a name, the shapes that it accepts, what it needs in words, and a lowering to ops: a chain
/// of them, or, where `Layer::build(builder, wire)` wires them, any graph. It has no loop, no device and no backward.
/// `Layer::output(in)` exists only where the ops as a chain do not tell the shape (Flatten, Residual).
template <class L>
concept Layer = requires(Dims in) {
  { L::name } -> std::convertible_to<const char*>;
  { L::accepts(in) } -> std::convertible_to<bool>;
  typename L::Needs;
  typename L::Ops;
};

/// What a layer needs, as types with readable names: the compiler's message shows them.
namespace needs {
struct no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride;
struct rows_of_features_put_Flatten_before_it;
struct the_row_of_these_Inputs_so_it_comes_first_in_a_branch;
struct an_image_of_channels_height_width;
struct an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
struct a_path_and_a_shortcut_that_accept_it_and_end_in_the_same_shape;
struct branches_that_accept_it_and_end_in_images_of_one_height_and_width_or_in_features;
struct a_series_of_channels_and_a_length_at_least_as_long_as_the_window_and_channels_divisible_by_groups;
struct a_series_of_channels_and_a_length;
struct an_image_that_becomes_one_of_at_least_a_pixel_and_channels_divisible_by_groups;
struct a_path_and_a_gate_that_accept_it_and_end_in_its_shape;
struct two_branches_that_accept_it_and_end_in_the_same_shape;
struct heads_that_accept_it;
struct a_shape_that_its_layers_accept;
struct a_dimension_of_that_number_with_as_many_numbers_as_are_taken;
struct as_many_dimensions_as_it_names_with_the_batch;
struct dimensions_of_these_numbers;
struct an_image_or_a_series;
struct last_dimensions_of_the_normalized_shape;
struct an_image_whose_channels_are_divisible_by_the_square_of_the_factor;
struct an_image_whose_height_and_width_are_divisible_by_the_factor;
struct an_image_higher_and_wider_than_its_padding;
struct a_series_longer_than_its_padding;
struct as_many_numbers_as_the_new_shape_has;
struct any_shape;
}  // namespace needs

namespace detail {
/// Whether the options of a layer, or of an op, are valid. A type that refuses some has a constant `valid`, and a
/// `check()` that says why, which is then the only message.
template <class T>
constexpr bool is_valid() {
  if constexpr (requires { T::valid; })
    return T::valid;
  else
    return true;
}
/// How many ops are valid, up to the first that is not.
template <class... Ops>
constexpr int valid_ops(OpList<Ops...>) {
  int count = 0;
  (void)(... && (is_valid<Ops>() && ++count > 0));
  return count;
}
/// Whether a layer and its ops are valid.
template <class L>
constexpr bool all_valid() {
  if constexpr (is_valid<L>() && Layer<L>)
    return valid_ops(typename L::Ops{}) == L::Ops::size;
  else
    return is_valid<L>();
}
/// Whether a layer is given more plain numbers than it takes: PyTorch's inputs before its outputs, or an option without
/// a name.
template <class L>
constexpr bool has_number_too_many() {
  if constexpr (requires { L::number_too_many; })
    return L::number_too_many;
  else
    return false;
}
template <class L>
constexpr bool accepts(Dims in) {
  return !has_number_too_many<L>() && L::accepts(in);
}
template <class L, bool TooMany = has_number_too_many<L>()>
struct NeedsOf {
  using Type = typename L::Needs;
};
template <class L>
struct NeedsOf<L, true> {
  using Type = needs::no_further_number_for_inputs_follow_from_the_layer_before_and_options_have_names_like_Stride;
};
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::OpList;
}  // namespace sinter
