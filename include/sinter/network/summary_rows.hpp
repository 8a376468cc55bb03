// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>
#include <utility>

#include "sinter/layers/chain.hpp"
#include "sinter/layers/refused.hpp"
#include "sinter/model/program.hpp"
#include "sinter/ops/text.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// A row of a summary: a layer, or one inside another, with the ops and the costs that are its own.
struct SummaryRow {
  int parent = -1;          // the row of the layer around it
  std::string_view part{};  // of that layer, by its name or else by its number; none if it has one part alone
  int branch = -1;
  int number = 0;
  std::string_view name{};
  Dims output{};
  std::span<const Op> ops{};
  long long parameters = 0, multiply_adds = 0;
};

template <class Named>
inline constexpr std::string_view part_text{};
template <>
inline constexpr std::string_view part_text<place::path> = "path";
template <>
inline constexpr std::string_view part_text<place::shortcut> = "shortcut";
template <>
inline constexpr std::string_view part_text<place::transform> = "transform";
template <>
inline constexpr std::string_view part_text<place::gate> = "gate";
template <>
inline constexpr std::string_view part_text<place::lengths> = "lengths";
template <>
inline constexpr std::string_view part_text<place::initial_state> = "initial_state";

/// A row with no more than the name of a part as parameters have it.
template <class L, int Part>
constexpr SummaryRow named_by_part() {
  if constexpr (L::Parts::size == 1)
    return {};
  else if constexpr (requires { typename L::PartNames; })
    return {.part = part_text<typename L::PartNames::template At<Part>>};
  else
    return {.branch = Part};
}

/// Calls visit<Inner>(part, number in it) for the layers of each part of L.
template <class L, class Visit>
constexpr void for_each_inside([[maybe_unused]] Visit&& visit) {
  if constexpr (requires { typename L::Parts; }) {
    const auto in_part = [&]<int Part, class... Inner>(TypeList<Inner...>) {
      [[maybe_unused]] int number = 0;
      (visit.template operator()<Inner, Part>(number++), ...);
    };
    [&]<std::size_t... Part>(std::index_sequence<Part...>) {
      (in_part.template operator()<static_cast<int>(Part)>(
           typename L::Parts::template At<static_cast<int>(Part)>::ChainLayers{}),
       ...);
    }(std::make_index_sequence<static_cast<std::size_t>(L::Parts::size)>{});
  }
}

/// The rows of L and of all layers inside.
template <class L>
constexpr int row_count() {
  int count = 1;
  for_each_inside<L>([&]<class Inner, int Part>(int) { count += row_count<Inner>(); });
  return count;
}
template <class... Layers>
constexpr int row_count_of(TypeList<Layers...>) {
  return (0 + ... + row_count<Layers>());
}

/// Writes rows in the order of the ops: those of the layers inside come before a layer's own.
template <class Ops>
struct SummaryRows {
  SummaryRow* rows;
  int count = 0, op = 0;

  template <class L>
  constexpr Dims add(Dims in, int number, SummaryRow called = {}) {
    const int row = count++;
    rows[row] = called;
    rows[row].number = number;
    rows[row].name = L::name;
    rows[row].output = output_of<L>(in);
    const int before = op;
    Dims at = in;
    for_each_inside<L>([&]<class Inner, int Part>(int inside) {
      SummaryRow place = named_by_part<L, Part>();
      place.parent = row;
      at = add<Inner>(inside == 0 ? in : at, inside, place);
    });
    const int inside = op - before, own = static_cast<int>(L::Ops::size) - inside;
    rows[row].ops = std::span<const Op>(Ops::ops).subspan(static_cast<std::size_t>(op), static_cast<std::size_t>(own));
    for (const Op& one : rows[row].ops) rows[row].multiply_adds += one.multiply_adds();
    for (const Parameter& p : Ops::parameters)
      if (p.op >= op && p.op < op + own) rows[row].parameters += p.size;
    op += own;
    return rows[row].output;
  }
};

template <class M, class Ops>
constexpr auto summary_rows() {
  using Layers = typename M::LayerTypes;
  std::array<SummaryRow, static_cast<std::size_t>(row_count_of(Layers{}))> all{};
  SummaryRows<Ops> to{all.data()};
  [&]<class... L>(TypeList<L...>) {
    [[maybe_unused]] Dims at = Ops::input;
    [[maybe_unused]] int number = 0;
    ((at = to.template add<L>(at, number++)), ...);
  }(Layers{});
  return all;
}

/// The way to a row, as the names of its parameters begin: "3.path.0".
constexpr void add_row_path(plan_text::Writer& to, std::span<const SummaryRow> rows, const SummaryRow& row) {
  if (row.parent >= 0) {
    add_row_path(to, rows, rows[static_cast<std::size_t>(row.parent)]);
    to += '.';
    if (row.branch >= 0) plan_text::add_number(to, row.branch);
    to += row.part;
    if (row.branch >= 0 || !row.part.empty()) to += '.';
  }
  plan_text::add_number(to, row.number);
}

}  // namespace detail

SINTER_NAMESPACE_END
