// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "sinter/core/printable.hpp"
#include "sinter/layers/inputs.hpp"
#include "sinter/layers/layer.hpp"
#include "sinter/ops/index_map.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// "TakeInput picture", or "TakeInput 0" of an input without a name. By its own name: Inputs that have the same name in
/// two files may have others.
template <NameOrNumber Name>
struct TextOfTaken {
  static constexpr auto text = [] {
    std::array<char, 64> to{};
    std::size_t size = 0;
    const auto add = [&](std::string_view more) {
      each_printable(more, false, [&](char c) {
        if (size + 1 < to.size()) to[size++] = c;
      });
    };
    add("TakeInput ");
    if (Name.number >= 10) to[size++] = static_cast<char>('0' + Name.number / 10 % 10);
    if (Name.number >= 0) to[size++] = static_cast<char>('0' + Name.number % 10);
    add(Name.name());
    return to;
  }();
};
}  // namespace detail

/// One of several inputs of a network, by its name or its number: the first layer of the branch that reads it.
///     Path<TakeInput<Flat, "picture">, Conv2d<16, 3>, ReLU>
/// `From` are the Inputs of the network.
template <class From, NameOrNumber Which>
struct TakeInput {
  static constexpr bool of_inputs = requires { From::template index_of<Which>; };
  static constexpr int index = [] {
    if constexpr (of_inputs)
      return From::template index_of<Which>;
    else
      return -1;
  }();
  static constexpr RowPart part() {
    if constexpr (index >= 0)
      return From::parts[static_cast<std::size_t>(index)];
    else
      return RowPart{{}, 0, features(1)};
  }

  static constexpr const char* name = [] {
    if constexpr (index >= 0)
      return detail::TextOfTaken<From::template key<index>>::text.data();
    else
      return "TakeInput";
  }();
  using Needs = needs::the_row_of_these_Inputs_so_it_comes_first_in_a_branch;
  using Ops = OpList<MapIndices<TakeInput>>;
  static constexpr bool accepts(Dims in) {
    if constexpr (index >= 0)
      return in == From::Shape::dims;
    else
      return false;
  }
  static constexpr IndexMap indices(Dims in) { return part_of_row(in, part().first, part().dims); }
  template <class Builder, class Wire>
  static constexpr Wire build(Builder& to, Wire x) {
    to.template expect_row_of<From>(x);
    return to.template op<MapIndices<TakeInput>>(x);
  }

  static constexpr bool valid = index >= 0;
  static constexpr bool check() {
    static_assert(of_inputs,
                  "sinter: TakeInput takes the Inputs of the network, and which one: TakeInput<Flat, \"picture\">");
    if constexpr (of_inputs)
      static_assert(is_one_of<Which, typename From::Names>,
                    "sinter: these Inputs have no input of that name or number: see is_one_of<given, inputs>");
    return true;
  }
};

SINTER_NAMESPACE_END

namespace sinter {
using internal::TakeInput;
}  // namespace sinter
