// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include "sinter/core/macros.hpp"

SINTER_NAMESPACE_BEGIN

/// An argument of a template that names one of several: "picture", or its number, 0.
template <std::size_t Size>
struct NameOrNumber {
  char text[Size]{};  // ends in a zero
  int number = -1;

  constexpr NameOrNumber(const char (&name)[Size]) : NameOrNumber(name, -1) {}
  /// As nvcc spells it for the compiler of the host.
  constexpr NameOrNumber(const char (&name)[Size], int n) : number(n) {
    for (std::size_t i = 0; i < Size; ++i) text[i] = name[i];
  }
  constexpr NameOrNumber(int n)
    requires(Size == 1)
      : number(n) {}
  constexpr std::string_view name() const { return {text, Size - 1}; }
};
NameOrNumber(int) -> NameOrNumber<1>;

/// The names of parts, or their numbers where they have none.
template <NameOrNumber... Names>
struct PartNames {
  static constexpr bool have(std::string_view name, int number) {
    const int count = sizeof...(Names);
    return number >= 0 ? number < count : (false || ... || (!name.empty() && Names.name() == name));
  }
};
/// Whether there is such a part: where there is none, the compiler prints the names of all.
template <NameOrNumber Which, class Names>
inline constexpr bool is_one_of = Names::have(Which.name(), Which.number);

namespace detail {
/// The name of the part number Index, Part::key, or that number.
template <class Part, int Index>
inline constexpr auto key_of_part = [] {
  if constexpr (requires { Part::key; })
    return Part::key;
  else
    return NameOrNumber(Index);
}();
template <class Indices, class... Parts>
struct NamesOfIndices;
template <int... Index, class... Parts>
struct NamesOfIndices<std::integer_sequence<int, Index...>, Parts...> {
  using Type = PartNames<key_of_part<Parts, Index>...>;
};
template <class... Parts>
struct NamesOfParts : NamesOfIndices<std::make_integer_sequence<int, sizeof...(Parts)>, Parts...> {};
}  // namespace detail

SINTER_NAMESPACE_END
