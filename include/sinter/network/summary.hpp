// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

#include "sinter/core/printable.hpp"
#include "sinter/model/model_and_scalar.hpp"
#include "sinter/model/program.hpp"
#include "sinter/network/summary_rows.hpp"
#include "sinter/ops/text.hpp"

SINTER_NAMESPACE_BEGIN

/// The cost of a forward pass of one sample.
struct Totals {
  long long parameters = 0;
  long long multiply_adds = 0;  ///< of the products, zeros counted too
  long long parameter_bytes = 0;
  long long activation_bytes = 0;  ///< of the output of every op; fused kernels keep fewer
};

namespace detail {

/// The options of a layer, from its ops: "Conv2d 10, 5x5, padding 1".
constexpr void add_label(plan_text::Writer& to, const SummaryRow& layer) {
  to += layer.name;
  bool first = true;
  for (const Op& op : layer.ops) {
    const bool groups = op.kind == OpKind::group_normalize && op.per_channel;
    if (op.kind != OpKind::product && op.kind != OpKind::pool && op.kind != OpKind::mask &&
        op.kind != OpKind::recurrence && !groups)
      continue;
    if (op.kind == OpKind::product && op.per_channel) continue;
    to += first ? " " : "; ";
    first = false;
    if (op.kind == OpKind::product) {
      plan_text::add_number(to, op.out.channels);
      if (!op.whole) to += ", ";
    }
    if (groups)
      plan_text::add_number(to, op.groups);
    else if (op.kind == OpKind::mask)
      plan_text::add_fraction(to, op.probability);
    else if (op.kind == OpKind::recurrence)
      plan_text::add_number(to, op.hidden);
    else if (!op.whole)
      plan_text::add_window(to, op);
    if (op.directions > 1) to += ", both directions";
    if (op.kind == OpKind::recurrence && op.out.rank == 1) to += ", final state";
    if (op.projected > 0) {
      to += ", projection ";
      plan_text::add_number(to, op.projected);
    }
    if (op.learned > 0) to += ", learned state";
    if (op.given > 0) to += ", given state";
    if (op.lengths > 0) to += ", lengths";
    if ((op.kind == OpKind::product || op.kind == OpKind::recurrence) && !op.with_bias) to += ", no bias";
  }
}

/// "Input", of several "Input picture", or "Input 0" where it has no name.
constexpr void add_input(plan_text::Writer& to, const RowPart& input, int number) {
  to += "Input";
  if (!input.name.empty()) {
    to += ' ';
    each_printable(input.name, false, [&](char c) { to += c; });
  } else if (number >= 0) {
    to += ' ';
    plan_text::add_number(to, number);
  }
}

/// The table, row by row and cell by cell: to count characters as well as to write them.
struct SummaryTable {
  static constexpr int columns = 5;
  static constexpr std::string_view headings[columns] = {"#", "Layer", "Output", "Parameters", "Multiply-adds"};

  std::span<const RowPart> inputs;
  std::span<const SummaryRow> layers;
  Totals totals{};

  constexpr int first_layer() const { return static_cast<int>(inputs.size()) + 1; }
  constexpr int rows() const { return first_layer() + static_cast<int>(layers.size()) + 1; }  // the last one: totals

  constexpr void add_cell(plan_text::Writer& to, int row, int column) const {
    const auto count = [&to](long long n, bool always) {
      if (n != 0 || always) plan_text::add_number(to, n, true);
    };
    if (row == 0) {
      to += headings[column];
    } else if (row < first_layer()) {
      const RowPart& input = inputs[static_cast<std::size_t>(row - 1)];
      if (column == 1) add_input(to, input, inputs.size() > 1 ? row - 1 : -1);
      if (column == 2) plan_text::add_shape(to, input.dims);
    } else if (row == rows() - 1) {
      if (column == 1) to += "Total";
      if (column == 3) count(totals.parameters, true);
      if (column == 4) count(totals.multiply_adds, true);
    } else {
      const SummaryRow& layer = layers[static_cast<std::size_t>(row - first_layer())];
      if (column == 0) add_row_path(to, layers, layer);
      if (column == 1) add_label(to, layer);
      if (column == 2) plan_text::add_shape(to, layer.output);
      if (column == 3) count(layer.parameters, false);
      if (column == 4) count(layer.multiply_adds, false);
    }
  }
  constexpr std::size_t cell_size(int row, int column) const {
    plan_text::Writer counter;
    add_cell(counter, row, column);
    return counter.size;
  }

  /// Words begin where their column begins, numbers end where it ends, and no line ends in blanks.
  constexpr void add_all(plan_text::Writer& to) const {
    std::size_t width[columns] = {};
    for (int row = 0; row < rows(); ++row)
      for (int column = 0; column < columns; ++column)
        if (const std::size_t size = cell_size(row, column); size > width[column]) width[column] = size;
    for (int row = 0; row < rows(); ++row) {
      std::size_t blanks = 0;
      for (int column = 0; column < columns; ++column) {
        const std::size_t size = cell_size(row, column), rest = width[column] - size;
        const bool is_number = column == 0 || column >= 3;
        if (is_number) blanks += rest;
        for (; size != 0 && blanks > 0; --blanks) to += ' ';
        add_cell(to, row, column);
        blanks += is_number ? 2 : rest + 2;
      }
      to += '\n';
    }
    to += "Bytes: ";
    plan_text::add_number(to, totals.parameter_bytes, true);
    to += " of parameters, ";
    plan_text::add_number(to, totals.activation_bytes, true);
    to += " of activations per sample\n";
  }
};

template <class M>
constexpr Totals totals_of() {
  using Ops = Program<typename ModelAndScalar<M>::Model>;
  constexpr auto bytes = static_cast<long long>(sizeof(typename ModelAndScalar<M>::Scalar));
  Totals totals;
  for (const Op& op : Ops::ops) {
    totals.multiply_adds += op.multiply_adds();
    totals.activation_bytes += bytes * op.out.size();
  }
  totals.parameters = Ops::trained;
  totals.parameter_bytes = bytes * totals.parameters;
  return totals;
}

template <class M>
constexpr std::size_t write_summary(char* to) {
  using Model = typename ModelAndScalar<M>::Model;
  const auto layers = summary_rows<Model, Program<Model>>();
  plan_text::Writer writer{to};
  SummaryTable{Model::InputLayer::parts, layers, totals_of<M>()}.add_all(writer);
  return writer.size;
}
template <class M>
constexpr auto summary_characters() {
  std::array<char, write_summary<M>(nullptr)> all{};
  write_summary<M>(all.data());
  return all;
}
template <class M>
inline constexpr auto summary_storage = summary_characters<M>();

}  // namespace detail

/// The totals of a model (in floats) or of a Network: static_assert(summary_of<LeNet>.parameters == 21840).
template <class M, class Distinct = detail::DistinctOf<M>>
inline constexpr Totals summary_of = detail::totals_of<Distinct>();

/// A model, or a Network, as a table: its layers, also those inside others, their options, output shapes and costs. A
/// constant of the program: `std::cout << summary<LeNet>();`
template <class M, class Distinct = detail::DistinctOf<M>>
constexpr std::string_view summary() {
  return {detail::summary_storage<Distinct>.data(), detail::summary_storage<Distinct>.size()};
}

SINTER_NAMESPACE_END

namespace sinter {
using internal::summary;
using internal::summary_of;
}  // namespace sinter
