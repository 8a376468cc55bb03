// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "sinter/core/name_or_number.hpp"
#include "sinter/core/shape.hpp"
#include "sinter/core/type_list.hpp"

SINTER_NAMESPACE_BEGIN

/// One of the inputs or outputs of a network: where its numbers are in a row.
struct RowPart {
  std::string_view name{};  // empty if it has none
  int first = 0;
  Dims dims{};
};

/// The shape of a sample at the start of a network: Input<1, 28, 28> or Input<2>.
template <int... Sizes>
struct Input {
  using Shape = internal::Shape<Sizes...>;
  static constexpr int input_count = 1;
  static constexpr std::array<RowPart, 1> parts{RowPart{{}, 0, Shape::dims}};
};

namespace detail {
template <class Of>
inline constexpr bool is_input = false;
template <int... Sizes>
inline constexpr bool is_input<Input<Sizes...>> = true;
}  // namespace detail

/// An input with a name, Named<"picture", Input<3, 32, 32>>, or one of several Heads, Named<"digit", Path<Linear<10>>>.
/// (No specialisation for Input: nvcc does not find it.)
template <NameOrNumber Name, class Of>
struct Named {
  using Inside = Of;
  using Type = std::conditional_t<detail::is_input<Of>, Of, Input<1>>;
  using Shape = typename Type::Shape;
  static constexpr auto key = Name;  // which the name views
  static constexpr int input_count = detail::is_input<Of> && !key.name().empty() ? 1 : 0;
  static constexpr std::array<RowPart, 1> parts{RowPart{key.name(), 0, Shape::dims}};
};

namespace detail {
template <class Each>
constexpr bool is_one_input() {
  if constexpr (requires { Each::input_count; })
    return Each::input_count == 1;
  else
    return false;
}
template <class Each>
constexpr RowPart part_of_row() {
  if constexpr (is_one_input<Each>())
    return Each::parts[0];
  else
    return {{}, 0, features(1)};  // which is refused
}
}  // namespace detail

/// The inputs of a network that has several. Their numbers lie one after another in a row:
///     struct Flat : Inputs<Named<"picture", Input<3, 32, 32>>, Named<"numbers", Input<5>>> {};   // rows of 3,077
///     struct Net : Sequential<Flat, Concat<Path<TakeInput<Flat, "picture">, Conv2d<16, 3>, ReLU, Flatten>,
///                                          Path<TakeInput<Flat, "numbers">, Linear<8>, ReLU>>, Linear<1>> {};
/// Inputs without a name are taken by their number, from 0: TakeInput<Flat, 1>.
template <class... Each>
struct Inputs {
  static constexpr int input_count = sizeof...(Each);
  static constexpr bool countable = (0.0 + ... + detail::part_of_row<Each>().dims.size()) <= 2147483647.0;
  static constexpr std::array<RowPart, sizeof...(Each)> parts = [] {
    std::array<RowPart, sizeof...(Each)> all{detail::part_of_row<Each>()...};
    for (std::size_t i = 1; countable && i < all.size(); ++i) all[i].first = all[i - 1].first + all[i - 1].dims.size();
    return all;
  }();
  using Names = typename detail::NamesOfParts<Each...>::Type;
  using Shape = internal::Shape<countable ? (0 + ... + (detail::part_of_row<Each>().dims.size())) : 1>;

  /// The number of an input; -1 if there is none of that name or number.
  static constexpr int number_of(std::string_view name, int number) {
    if (number >= 0) return number < input_count ? number : -1;
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (!name.empty() && parts[i].name == name) return static_cast<int>(i);
    return -1;
  }
  template <NameOrNumber Which>
  static constexpr int index_of = number_of(Which.name(), Which.number);
  /// The name of an input, or its number.
  template <int Index>
  static constexpr auto key = detail::key_of_part<typename TypeList<Each...>::template At<Index>, Index>;

  static constexpr bool several = sizeof...(Each) >= 2, are_inputs = (... && detail::is_one_input<Each>());
  static constexpr bool distinct = [] {
    for (std::size_t i = 0; i < parts.size(); ++i)
      for (std::size_t k = 0; k < i; ++k)
        if (!parts[i].name.empty() && parts[i].name == parts[k].name) return false;
    return true;
  }();
  static constexpr bool valid = several && are_inputs && distinct && countable;
  static constexpr bool check() {
    static_assert(several, "sinter: Inputs are 2 or more: Inputs<Input<3, 32, 32>, Input<5>>; one alone is an Input");
    static_assert(are_inputs || !several,
                  "sinter: Inputs are each an Input, or one with a name: Inputs<Named<\"picture\", Input<3, 32, 32>>, "
                  "Input<5>>");
    static_assert(distinct, "sinter: two of these Inputs have the same name; give each a name of its own");
    static_assert(countable, "sinter: a row of all Inputs has at most 2,147,483,647 numbers: make their sizes smaller");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::Input;
using internal::Inputs;
using internal::Named;
}  // namespace sinter
