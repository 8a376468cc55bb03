// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

#include "sinter/data/dataset.hpp"
#include "sinter/data/joined_rows.hpp"
#include "sinter/layers/take_input.hpp"
#include "sinter/model/model_and_scalar.hpp"

SINTER_NAMESPACE_BEGIN

/// Rows for one of several inputs, see named().
template <NameOrNumber Which, class Rows>
struct NamedRows {
  using View = Rows;
  static constexpr auto which = Which;
  ScaledRows<View> rows;
};

/// Rows for one of several inputs, by its name or its number: named<"picture">(pictures); for bytes, with the scale
/// used in training: named<"picture">(pictures, Normalize::pixels(mean, deviation)). A view.
template <NameOrNumber Which, class Rows>
auto named(const Rows& rows, Normalize normalize) {
  normalize.check();
  return NamedRows<Which, detail::ViewOf<Rows>>{{detail::view_of(rows), normalize}};
}
/// The same for rows that need no scaling.
template <NameOrNumber Which, class Rows>
auto named(const Rows& rows) {
  static_assert(detail::needs_no_scale<Rows>,
                "sinter: integers need a scale: named<\"picture\">(pictures, Normalize::pixels(mean, deviation))");
  return named<Which>(rows, Normalize{});
}

namespace detail {
template <class Net>
using InputsOf = typename ModelAndScalar<Net>::Model::InputLayer;
template <class Model>
inline constexpr bool several_inputs = Model::InputLayer::input_count >= 2;

/// Rows at place Index of the arguments, and which input they are.
template <class From, class Given, int Index>
struct GivenInput {
  using View = ViewOf<Given>;
  static constexpr int index = Index;
  static constexpr bool scaled = needs_no_scale<Given>;
  static ScaledRows<View> rows(const Given& given) { return {view_of(given)}; }
};
template <class From, class Given, int Index>
  requires requires { Given::which; }
struct GivenInput<From, Given, Index> {
  using View = typename Given::View;
  static constexpr int index = From::number_of(Given::which.name(), Given::which.number);
  static constexpr bool scaled = true;
  static ScaledRows<View> rows(const Given& given) { return given.rows; }
};

/// What is given for the inputs of a network, the first types of a list, with the order in which it is needed.
template <class Net, class Given, class Places>
struct GivenInputs;
template <class Net, class Given, std::size_t... Place>
struct GivenInputs<Net, Given, std::index_sequence<Place...>> {
  using From = InputsOf<Net>;
  template <std::size_t Index>
  using At = GivenInput<From, typename Given::template At<static_cast<int>(Index)>, static_cast<int>(Index)>;
  static constexpr int count = sizeof...(Place);
  static constexpr bool several = From::input_count >= 2, enough = count == From::input_count,
                        known = (... && (At<Place>::index >= 0)), scaled = (... && At<Place>::scaled);
  /// The place of each input among the arguments; -1 if it is missing.
  static constexpr std::array<int, sizeof...(Place)> places = [] {
    std::array<int, sizeof...(Place)> all{};
    all.fill(-1);
    if constexpr (known && enough) ((all[static_cast<std::size_t>(At<Place>::index)] = static_cast<int>(Place)), ...);
    return all;
  }();
  static constexpr bool each_once = [] {
    for (const int place : places)
      if (place < 0) return false;
    return true;
  }();
  template <std::size_t Input>
  using Needed = At<static_cast<std::size_t>(places[Input])>;
  template <std::size_t Input>
  using Row = shape_of<From::parts[Input].dims>;
  /// The first input that is given rows of another shape; -1 without one.
  static constexpr int misfit = [] {
    int first = -1;
    if constexpr (several && enough && each_once)
      (void)(... ||
             (!has_rows_of<typename Needed<Place>::View, Row<Place>> && (first = static_cast<int>(Place), true)));
    return first;
  }();
  static constexpr bool fit = several && enough && each_once && misfit < 0;

  template <class All>
  static auto joined(const All& all) {
    return JoinedRows<typename From::Shape, typename Needed<Place>::View...>(
        Needed<Place>::rows(std::get<static_cast<std::size_t>(places[Place])>(all))...);
  }
};
template <class Net, int Count, class... Given>
using GivenFor = GivenInputs<Net, TypeList<std::remove_cvref_t<Given>...>, std::make_index_sequence<Count>>;

/// Whether rows are given for each input of a network. If not, compilation ends here with a message.
template <class Net, int Count, class... Types>
constexpr bool check_given() {
  using Given = GivenFor<Net, Count, Types...>;
  static_assert(Given::several, "sinter: this network has one input; its rows are given as they are");
  static_assert(Given::enough || !Given::several,
                "sinter: rows are given for each input of the network, in their order or by name");
  static_assert(
      Given::known || !Given::enough,
      "sinter: the network has no input of that name or number: named<\"picture\">(pictures) names one of its "
      "Inputs");
  static_assert(Given::each_once || !Given::known || !Given::enough,
                "sinter: rows were given twice for one input, and none for another");
  static_assert(Given::scaled || !Given::each_once,
                "sinter: integers need a scale: named<\"picture\">(pictures, Normalize::pixels(mean, deviation))");
  if constexpr (Given::misfit >= 0)
    static_assert(
        has_rows_of<typename Given::template Needed<Given::misfit>::View, typename Given::template Row<Given::misfit>>,
        "sinter: the rows given for an input do not have its shape: see has_rows_of<given, needed>");
  return Given::fit && Given::scaled;
}

/// Whether the arguments of forward after the first one are further inputs and a workspace.
template <class Model, class Workspace, class... More>
concept TakesInputs = several_inputs<Model> && sizeof...(More) >= 2 &&
                      std::is_same_v<typename TypeList<More...>::template At<int{sizeof...(More)} - 1>, Workspace&>;

/// The same rows in one array.
template <class T, class S, class... Views>
Tensor<T, S> copied(const JoinedRows<S, Views...>& joined) {
  Tensor<T, S> all(joined.rows);
  for (std::size_t row = 0; row < joined.rows; ++row) copy_row(joined, row, all.view().row(row));
  return all;
}
/// Whether a network reads the memory of the host.
template <class Net>
inline constexpr bool reads_in_place = true;
template <class Net>
  requires requires { Net::on_host; }
inline constexpr bool reads_in_place<Net> = Net::on_host;

/// run(rows of all inputs, workspace) of what forward is given, the workspace last. `refuse` ends the program
/// with the message that its argument makes.
template <class Net, class Run, class Refuse, class... Given>
auto forward_inputs(const Run& run, const Refuse& refuse, Given&... given) {
  constexpr std::size_t count = sizeof...(Given) - 1;
  const auto all = std::tie(given...);
  const auto x = GivenFor<Net, int{count}, Given...>::joined(all);
  if (!x.aligned()) refuse([&] { return x.problem(); });
  if constexpr (reads_in_place<Net>) {
    return run(x, std::get<count>(all));
  } else {
    const auto copy = copied<typename ModelAndScalar<Net>::Scalar>(x);
    return run(copy.view(), std::get<count>(all));
  }
}
}  // namespace detail

SINTER_NAMESPACE_END

namespace sinter {
using internal::named;
}  // namespace sinter
