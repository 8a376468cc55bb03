// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "sinter/fn/output_kind.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class OpType>
constexpr fn::OutputKind output_kind_of_op(Dims in) {
  if constexpr (requires { typename OpType::Functor; })
    return fn::output_kind_of<typename OpType::Functor>;
  else if constexpr (requires { OpType::Indices::indices(in); })
    return only_reorders(OpType::Indices::indices(in)) ? fn::OutputKind::as_input : fn::OutputKind::numbers;
  else
    return fn::OutputKind::numbers;
}
template <class Ops, std::size_t... Index>
constexpr auto output_kinds(std::index_sequence<Index...>) {
  return std::array<fn::OutputKind, sizeof...(Index)>{
      output_kind_of_op<typename Ops::template OpType<static_cast<int>(Index)>>(Ops::ops[Index].in)...};
}
}  // namespace detail

/// What `count` outputs of a model are, from number `first` on: by the op that makes them, looking through those that
/// only copy, reorder and join. Outputs of several ops are numbers.
template <class Model>
constexpr fn::OutputKind output_kind(int first, int count) {
  using Ops = Program<Model>;
  constexpr auto kinds = detail::output_kinds<Ops>(std::make_index_sequence<Ops::ops.size()>{});
  int value = Ops::output_value;
  for (std::size_t i = kinds.size(); i-- > 0;) {  // an op is after those that it reads
    const Op& op = Ops::ops[i];
    if (op.output != value) continue;
    if (op.kind == OpKind::concat) {
      int input = 0;
      while (first >= op.channels[input]) first -= op.channels[input++];
      if (first + count > op.channels[input]) return fn::OutputKind::numbers;
      value = op.inputs[input];
    } else if (kinds[i] == fn::OutputKind::as_input) {
      if (op.kind == OpKind::index_map && (first > 0 || count != op.out.size())) return fn::OutputKind::numbers;
      value = op.inputs[0];
    } else {
      return kinds[i];
    }
  }
  return fn::OutputKind::numbers;  // the input of the network
}

SINTER_NAMESPACE_END
