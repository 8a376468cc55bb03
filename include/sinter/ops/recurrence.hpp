// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/ops/cell.hpp"
#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// "weight_ih_l0", "bias_hh_l12_reverse".
struct RecurrentName {
  char text[32]{};
  std::size_t size = 0;
  constexpr RecurrentName(int level, bool bias, bool of_hidden, bool reverse) {
    add(bias ? "bias" : "weight");
    add(of_hidden ? "_hh_l" : "_ih_l");
    if (level >= 10) text[size++] = static_cast<char>('0' + level / 10);
    text[size++] = static_cast<char>('0' + level % 10);
    if (reverse) add("_reverse");
  }
  constexpr void add(std::string_view more) {
    for (const char c : more) text[size++] = c;
  }
  constexpr operator std::string_view() const { return {text, size}; }
};
/// Of the parameters of a layer: by direction, and there W_ih, W_hh, b_ih, b_hh. Kept here, because g++ 12 takes a
/// Program for no constant when names are built on the way.
template <int Level>
inline constexpr RecurrentName recurrent_names[2][4] = {
    {{Level, false, false, false},
     {Level, false, true, false},
     {Level, true, false, false},
     {Level, true, true, false}},
    {{Level, false, false, true}, {Level, false, true, true}, {Level, true, false, true}, {Level, true, true, true}}};
}  // namespace detail

/// h of each step from that of the step before, which is 0 at first: see ops/cell.hpp.   x [T, In]  y [T, Hidden], or
/// [Hidden], that of the last step, if `Final`. W_ih [gates Hidden, In]  W_hh [gates Hidden, Hidden]  b_ih, b_hh
/// [gates Hidden]. With two `Directions` a second cell with weights of its own goes from the last step to the first,
/// and its outputs follow those of the first in each row. Adjoint: through the steps in reverse, each dW a sum over
/// them. `Level` is the number of the layer in the names of parameters: "weight_ih_l0", "bias_hh_l0_reverse".
template <class CellType, int Hidden, int Level, int Directions, bool Final, bool WithBias>
struct Recurrence {
  using Cell = CellType;

  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::recurrence;
    op.name = Cell::name;
    op.in = in;
    op.out = Final ? features(Directions * Hidden) : series(in.channels, Directions * Hidden);
    op.hidden = Hidden;
    op.gates = Cell::gates;
    op.kept = Cell::kept;
    op.directions = Directions;
    op.with_bias = WithBias;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    const int rows = Cell::gates * Hidden;
    for (int direction = 0; direction < Directions; ++direction)
      for (int which = 0; which < op.parameters_of_direction(); ++which) {
        const bool of_hidden = which % 2 == 1, bias = which >= 2;
        const int columns = of_hidden ? Hidden : op.in.width;
        const int number = to.parameter({.name = detail::recurrent_names<Level>[direction][which],
                                         .shape = {rows, bias ? 1 : columns},
                                         .rank = bias ? 1 : 2,
                                         .fan_in = columns,
                                         .fan_out = rows,
                                         .fan_in_of_pytorch = Hidden,
                                         .is_bias = bias,
                                         .draw = 2 * direction + (of_hidden ? 1 : 0)});
        if (direction == 0 && which == 0) op.weight = number;
      }
  }
};

SINTER_NAMESPACE_END
