// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "sinter/int8/geometry.hpp"
#include "sinter/int8/plan.hpp"
#include "sinter/int8/weights.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/fingerprint.hpp"

SINTER_NAMESPACE_BEGIN

namespace int8 {

/// How a model is computed in 8 bits, for functions that are not templates: what Plan and Layout say of it.
struct ModelFacts {
  struct OfOp {
    Op op;
    Role role;
    int target;
    Limits limits;
    Place place;
    Order read;  // in which the first input is stored

    std::size_t weight_place(int row, int column) const {
      return int8::weight_place(op, role, place, read, row, column);
    }
    std::size_t number_place(int row) const { return int8::number_place(op, role, place, row); }
  };
  std::vector<OfOp> ops;
  std::vector<std::size_t> scale_of;  // the value that has the quantization of each value
  std::span<const Parameter> parameters, buffers;
  Limits of_input{};
  int output_value = 0;
  std::size_t table_bytes = 0;
  std::uint64_t fingerprint = 0;
};

template <class Model>
ModelFacts facts() {
  using Ops = Program<Model>;
  ModelFacts all;
  for (std::size_t i = 0; i < Ops::ops.size(); ++i) {
    const auto& of = Plan<Model>::ops[i];
    const Op& op = Ops::ops[i];
    all.ops.push_back({op, of.role, of.target, of.limits, Layout<Model>::of(i),
                       Plan<Model>::values[static_cast<std::size_t>(op.inputs[0])].order});
  }
  for (std::size_t i = 0; i < Ops::ops.size(); ++i) {
    if (!Plan<Model>::ops[i].pools) continue;  // as if the pool were an op of its own
    const auto pool = static_cast<std::size_t>(Ops::values[static_cast<std::size_t>(all.ops[i].target)].producer);
    all.ops[pool].role = Role::max_pool;
    all.ops[i].target = Ops::ops[pool].inputs[0];
  }
  for (const auto& value : Plan<Model>::values) all.scale_of.push_back(static_cast<std::size_t>(value.scale));
  all.parameters = Ops::parameters;
  all.buffers = Ops::buffers;
  all.of_input = Plan<Model>::of_input;
  all.output_value = Ops::output_value;
  all.table_bytes = static_cast<std::size_t>(Layout<Model>::all.end.table);
  all.fingerprint = fingerprint<Model>;
  return all;
}

/// Weights, for the same functions.
template <bool Writable>
struct BasicConstants {
  template <class T>
  using Numbers = std::span<std::conditional_t<Writable, T, const T>>;

  Numbers<std::int8_t> weights;
  Numbers<std::int32_t> numbers;
  Numbers<std::uint8_t> tables;
  Numbers<OpNumbers> ops;
  Numbers<Quantization> values;

  template <class Of>
  explicit BasicConstants(Of& of)
      : weights(of.weights), numbers(of.numbers), tables(of.tables), ops(of.ops), values(of.values) {}
};
using Constants = BasicConstants<false>;
using WritableConstants = BasicConstants<true>;

}  // namespace int8

SINTER_NAMESPACE_END
