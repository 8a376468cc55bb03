// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

#include "sinter/layers/inputs.hpp"
#include "sinter/model/head_count.hpp"
#include "sinter/model/program.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
template <class Model, int... Index>
constexpr auto parts_of_heads(std::integer_sequence<int, Index...>) {
  using Ops = Program<Model>;
  using Last = EndOf<Model>;
  constexpr int before = Model::LayerTypes::size - 2;
  constexpr Dims in = before < 0 ? Ops::input : Ops::layer_outputs[before < 0 ? 0 : static_cast<std::size_t>(before)];
  std::array<RowPart, sizeof...(Index)> all{
      RowPart{Last::template Head<Index>::name, 0, Last::template Head<Index>::Layers::output(in)}...};
  for (std::size_t i = 1; i < all.size(); ++i) all[i].first = all[i - 1].first + all[i - 1].dims.size();
  return all;
}
}  // namespace detail

/// The outputs of a model: those of its Heads, or one without a name.
template <class Model>
inline constexpr auto output_parts = [] {
  if constexpr (head_count<Model> > 0)
    return detail::parts_of_heads<Model>(std::make_integer_sequence<int, head_count<Model>>{});
  else
    return std::array<RowPart, 1>{RowPart{{}, 0, Model::output_dims}};
}();

/// The number of the head of a name or number; -1 if there is none.
template <class Model>
constexpr int head_number(std::string_view name, int number) {
  if (number >= 0) return number < head_count<Model> ? number : -1;
  for (int i = 0; i < head_count<Model>; ++i)
    if (!name.empty() && output_parts<Model>[static_cast<std::size_t>(i)].name == name) return i;
  return -1;
}

SINTER_NAMESPACE_END
