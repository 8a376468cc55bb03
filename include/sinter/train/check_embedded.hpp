// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>

#include "sinter/core/macros.hpp"
#include "sinter/data/check.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/lookup.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

[[noreturn]] SINTER_COLD void fail_embedded(std::size_t row, const std::string& place, double value, int count,
                                            int layer);

/// Where an Embedding's numbers begin in a row of the network's input; -1 if layers make them of it.
template <class Ops>
constexpr int first_embedded(const Op& lookup) {
  int value = lookup.inputs[0], first = 0;
  while (value != 0) {
    const Op& maker = Ops::ops[static_cast<std::size_t>(Ops::values[static_cast<std::size_t>(value)].producer)];
    if (maker.kind != OpKind::index_map || maker.begin < 0) return -1;
    first += maker.begin * maker.in.pixels();
    value = maker.inputs[0];
  }
  return first;
}

/// Fails, naming row and place, at the first input that an Embedding of the model has no row for.
template <class Model, Dataset D>
void check_embedded([[maybe_unused]] const D& data) {
  using Ops = Program<Model>;
  using View = inputs_of<D>;
  if constexpr (std::is_same_v<typename View::Space, HostMemory>)
    for (const Op& op : Ops::ops) {
      const int first = op.kind == OpKind::lookup ? first_embedded<Ops>(op) : -1;
      if (first < 0) continue;
      const int count = Ops::parameters[static_cast<std::size_t>(op.weight)].shape[0];
      constexpr Dims dims = View::Shape::dims;
      const View rows = data.inputs();
      const Normalize normalize = normalize_of(data);
      for (std::size_t row = 0; row < rows.rows; ++row)
        for (int i = first; i < first + op.in.size(); ++i) {
          const int c = i / dims.pixels(), y = i / dims.width % dims.height, x = i % dims.width;
          const auto given = rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride];
          const double number = static_cast<double>(given) * double{normalize.scale} + double{normalize.shift};
          if (row_of_table(number, count) < 0) fail_embedded(row, place_text(dims, c, y, x), number, count, op.layer);
        }
    }
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/check_embedded.ipp"
#endif
