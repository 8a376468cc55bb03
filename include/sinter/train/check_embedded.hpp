// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <type_traits>

#include "sinter/core/macros.hpp"
#include "sinter/data/check.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/lookup.hpp"
#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

[[noreturn]] SINTER_COLD void fail_embedded(std::size_t row, const std::string& place, double value, int count,
                                            int layer);
[[noreturn]] SINTER_COLD void fail_length(std::size_t row, const std::string& place, double value, const char* name,
                                          int most, int layer);

/// Where the numbers of a value begin in a row of the network's input; -1 if layers make them of it.
template <class Ops>
constexpr int first_in_input(int value) {
  int first = 0;
  while (value != 0) {
    const Op& maker = Ops::ops[static_cast<std::size_t>(Ops::values[static_cast<std::size_t>(value)].producer)];
    if (maker.kind != OpKind::index_map || maker.begin < 0) return -1;
    first += maker.begin * maker.in.pixels();
    value = maker.inputs[0];
  }
  return first;
}

/// Calls visit(row, place, number) for numbers [first, end) of each row of the inputs.
template <class View, class Visit>
void each_number(const View& rows, Normalize normalize, int first, int end, Visit visit) {
  constexpr Dims dims = View::Shape::dims;
  for (std::size_t row = 0; row < rows.rows; ++row)
    for (int i = first; i < end; ++i) {
      const int c = i / dims.pixels(), y = i / dims.width % dims.height, x = i % dims.width;
      const auto given = rows.row(row)[c * rows.channel_stride + y * rows.height_stride + x * rows.width_stride];
      visit(
          row, [&] { return place_text(dims, c, y, x); },
          static_cast<double>(given) * double{normalize.scale} + double{normalize.shift});
    }
}

/// The ops of a model that look up rows of a table, or read a length.
template <class Ops>
constexpr bool reads_numbers_of_rows() {
  for (const Op& op : Ops::ops)
    if (op.kind == OpKind::lookup || op.lengths != 0) return true;
  return false;
}
template <class Ops, class View, class NumberOf>
void check_numbers_of_rows(const View& rows, Normalize normalize, NumberOf number_of) {
  for (const Op& op : Ops::ops) {
    if (op.kind != OpKind::lookup && op.lengths == 0) continue;
    const int first = first_in_input<Ops>(op.inputs[op.lengths]);
    if (first < 0) continue;
    if (op.kind == OpKind::lookup) {
      const int count = Ops::parameters[static_cast<std::size_t>(op.weight)].shape[0];
      each_number(rows, normalize, first, first + op.in.size(), [&](std::size_t row, auto place, double number) {
        if (row_of_table(number, count) < 0) fail_embedded(number_of(row), place(), number, count, op.layer);
      });
    } else {
      each_number(rows, normalize, first, first + 1, [&](std::size_t row, auto place, double number) {
        if (steps_of_row(number, op.in.channels) == 0)
          fail_length(number_of(row), place(), number, op.name, op.in.channels, op.layer);
      });
    }
  }
}

/// Fails, naming row and place, at the first input that an Embedding of the model has no row for, or that is not a
/// valid length if the model has Lengths. Row i is named number_of(i).
template <class Model, class View, class NumberOf = std::identity>
void check_embedded_in([[maybe_unused]] const View& rows, [[maybe_unused]] Normalize normalize,
                       [[maybe_unused]] NumberOf number_of = {}) {
  if constexpr (reads_numbers_of_rows<Program<Model>>() && std::is_same_v<typename View::Space, HostMemory>)
    check_numbers_of_rows<Program<Model>>(rows, normalize, number_of);
}

/// The same of the inputs of a dataset.
template <class Model, Dataset D, class NumberOf = std::identity>
void check_embedded(const D& data, NumberOf number_of = {}) {
  check_embedded_in<Model>(data.inputs(), normalize_of(data), number_of);
}

}  // namespace detail

SINTER_NAMESPACE_END

#if SINTER_BODIES
#include "sinter/train/check_embedded.ipp"
#endif
