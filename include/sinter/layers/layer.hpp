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

/// What a layer needs, as types with an English name: the compiler's message shows it.
namespace needs {
struct rows_of_features_put_Flatten_before_it;
struct an_image_of_channels_height_width;
struct an_image_at_least_as_large_as_the_window_and_channels_divisible_by_groups;
struct a_path_and_a_shortcut_that_accept_it_and_end_in_the_same_shape;
struct branches_that_accept_it_and_end_in_images_of_one_height_and_width_or_in_features;
struct a_series_of_channels_and_a_length_at_least_as_long_as_the_window_and_channels_divisible_by_groups;
struct a_series_of_channels_and_a_length;
struct an_image_that_becomes_one_of_at_least_a_pixel_and_channels_divisible_by_groups;
struct a_path_and_a_gate_that_accept_it_and_end_in_its_shape;
struct two_branches_that_accept_it_and_end_in_the_same_shape;
struct heads_that_accept_it_and_end_in_rows_of_features;
struct a_shape_that_its_layers_accept;
struct as_many_channels_as_are_taken_of_it;
struct as_many_numbers_as_the_new_shape_has;
struct any_shape;
}  // namespace needs

SINTER_NAMESPACE_END

namespace sinter {
namespace needs = internal::needs;
using internal::OpList;
}  // namespace sinter
