// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sinter/model/program.hpp"
#include "sinter/ops/hash.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Ops, int Index>
constexpr void add_options_of(Hash& hash) {
  if constexpr (Ops::ops[static_cast<std::size_t>(Index)].kind == OpKind::map) {
    using Functor = typename Ops::template OpType<Index>::Functor;
    if constexpr (requires { Functor::options; })
      for (const double option : Functor::options) hash.add(option);
  }
}
template <class Ops, int... Index>
constexpr void add_options(Hash& hash, std::integer_sequence<int, Index...>) {
  (add_options_of<Ops, Index>(hash), ...);
}
/// The fingerprint, for a running program: a compiler may find that a deep network takes too many steps.
template <class Model>
constexpr std::uint64_t fingerprint_of() {
  using Ops = Program<Model>;
  Hash hash;
  hash.add(Ops::input);
  for (const char* name : Ops::layer_names) hash.add(name);
  for (const Op& op : Ops::ops) {
    hash.add(op.name);
    hash.add(static_cast<int>(op.kind));
    hash.add(op.in);
    hash.add(op.out);
    hash.add(op.window);
    for (int i = 0; i < op.input_count; ++i) hash.add(op.inputs[i]);
    for (const int number : {op.weight, op.bias, op.mean, op.variance, op.groups, op.begin}) hash.add(number);
    if (op.kind == OpKind::recurrence) hash.add(op.directions);
    if (op.lengths > 0) hash.add(op.lengths);
    if (op.kind == OpKind::matrix_product) {
      for (const bool flag : {op.first_transposed, op.second_transposed, op.causal}) hash.add(static_cast<int>(flag));
      hash.add(op.factor);
    }
    hash.add(op.epsilon);
  }
  add_options<Ops>(hash, std::make_integer_sequence<int, Ops::op_count>{});
  const auto add = [&](const Parameter& p) {
    hash.add(p.name);
    for (const int size : p.shape) hash.add(size);
    hash.add(p.offset);
  };
  for (const Parameter& p : Ops::parameters) add(p);
  for (const Parameter& p : Ops::buffers) add(p);
  return hash.value;
}
}  // namespace detail

/// A number that two models share if they compute the same from the same array of parameters: of their layers' names,
/// their ops and the positions of their tensors. Functors are distinguished by their name, else that of their type, and
/// by `static constexpr double options[]`, where they have them.
template <class Model>
inline constexpr std::uint64_t fingerprint = detail::fingerprint_of<Model>();

SINTER_NAMESPACE_END
