// SPDX-License-Identifier: MIT
#pragma once

#include <type_traits>

#include "sinter/int8/fixed_point.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

/// Why a layer has no arithmetic of 8 bits, as types with readable names: the compiler's message shows them.
namespace no_int8 {
struct sums_of_more_than_33155_products_may_overflow_32_bits;
struct a_transposed_convolution;
struct a_constant_for_each_position;
struct a_function_of_whole_rows_before_the_end;
struct normalisation_by_the_sample_itself;
struct numbers_moved_or_summed_by_position;
struct a_table_of_embeddings;
struct a_recurrence;
struct a_product_of_two_values;
struct a_function_of_two_values;
}  // namespace no_int8

namespace int8 {
enum class Refusal {
  none,
  fan_in,
  transposed,
  position,
  row,
  normalisation,
  moved,
  lookup,
  recurrence,
  matrix_product,
  elementwise
};

/// Why an op of a model is refused.
template <class Ops>
constexpr Refusal refusal_of(const Op& op) {
  switch (op.kind) {
    case OpKind::product:
      return op.transposed ? Refusal::transposed : op.fan_in() > most_products ? Refusal::fan_in : Refusal::none;
    case OpKind::map:
      return op.of_position ? Refusal::position : Refusal::none;
    case OpKind::row:
      return op.output != Ops::output_value || op.groups > 1 ? Refusal::row : Refusal::none;
    case OpKind::group_normalize:
      return Refusal::normalisation;
    case OpKind::index_map:
      return Refusal::moved;
    case OpKind::lookup:
      return Refusal::lookup;
    case OpKind::recurrence:
      return Refusal::recurrence;
    case OpKind::matrix_product:
      return Refusal::matrix_product;
    case OpKind::elementwise:
      return op.multiplies ? Refusal::none : Refusal::elementwise;
    case OpKind::mask:
    case OpKind::pool:
    case OpKind::add:
    case OpKind::concat:
    case OpKind::statistics:
    case OpKind::normalize:
      break;
  }
  return Refusal::none;
}
/// The first op that is refused; -1 without one.
template <class Ops>
inline constexpr int refused_op = [] {
  for (int i = 0; i < Ops::op_count; ++i)
    if (refusal_of<Ops>(Ops::ops[static_cast<std::size_t>(i)]) != Refusal::none) return i;
  return -1;
}();

template <Refusal Why>
constexpr auto reason() {
  using enum Refusal;
  if constexpr (Why == fan_in)
    return std::type_identity<no_int8::sums_of_more_than_33155_products_may_overflow_32_bits>{};
  else if constexpr (Why == transposed)
    return std::type_identity<no_int8::a_transposed_convolution>{};
  else if constexpr (Why == position)
    return std::type_identity<no_int8::a_constant_for_each_position>{};
  else if constexpr (Why == row)
    return std::type_identity<no_int8::a_function_of_whole_rows_before_the_end>{};
  else if constexpr (Why == normalisation)
    return std::type_identity<no_int8::normalisation_by_the_sample_itself>{};
  else if constexpr (Why == moved)
    return std::type_identity<no_int8::numbers_moved_or_summed_by_position>{};
  else if constexpr (Why == lookup)
    return std::type_identity<no_int8::a_table_of_embeddings>{};
  else if constexpr (Why == recurrence)
    return std::type_identity<no_int8::a_recurrence>{};
  else if constexpr (Why == matrix_product)
    return std::type_identity<no_int8::a_product_of_two_values>{};
  else {
    static_assert(Why == elementwise, "sinter: name the reason for this refusal");
    return std::type_identity<no_int8::a_function_of_two_values>{};
  }
}
}  // namespace int8

/// Whether a layer of a model has arithmetic of 8 bits. When it has not, the compiler's message shows the arguments of
/// this template: the number of the layer (the input not counted), its type, and why.
template <class Number, class Layer, class Why>
inline constexpr bool layer_has_int8 = std::is_void_v<Number>;

namespace int8 {
template <class Model, int Op = refused_op<Program<Model>>>
struct Refused {
  static constexpr internal::Op op = Program<Model>::ops[static_cast<std::size_t>(Op)];
  using Place = place::layer<op.layer>;
  using Layer = typename Model::LayerTypes::template At<op.layer>;
  using Why = typename decltype(reason<refusal_of<Program<Model>>(op)>())::type;
};
template <class Model>
struct Refused<Model, -1> {
  using Place = void;
  using Layer = void;
  using Why = void;
};
/// If a layer of the model has no arithmetic of 8 bits, compilation ends here with a message.
template <class Model>
struct CheckModel {
  using Of = Refused<Model>;
  static_assert(layer_has_int8<typename Of::Place, typename Of::Layer, typename Of::Why>,
                "sinter: a layer of this model has no int8 arithmetic: see layer_has_int8<number, layer, why>");
};
}  // namespace int8

SINTER_NAMESPACE_END
