// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>

#include "sinter/ops/cell.hpp"
#include "sinter/ops/lookup.hpp"
#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {
/// "weight_ih_l0", "bias_hh_l12_reverse".
struct RecurrentName {
  char text[32]{};
  std::size_t size = 0;
  constexpr RecurrentName(std::string_view tensor, int level, bool reverse) {
    add(tensor);
    add("_l");
    if (level >= 10) text[size++] = static_cast<char>('0' + level / 10);
    text[size++] = static_cast<char>('0' + level % 10);
    if (reverse) add("_reverse");
  }
  constexpr void add(std::string_view more) {
    for (const char c : more) text[size++] = c;
  }
  constexpr operator std::string_view() const { return {text, size}; }
};
/// The tensors of a direction.
enum class RecurrentTensor : unsigned char { weight_ih, weight_hh, bias_ih, bias_hh, weight_hr, h_0, c_0 };
/// Their names, by direction. Kept here, because g++ 12 takes a Program for no constant when names are built on the
/// way.
template <int Level, bool Reverse>
inline constexpr RecurrentName recurrent_names[7] = {{"weight_ih", Level, Reverse}, {"weight_hh", Level, Reverse},
                                                     {"bias_ih", Level, Reverse},   {"bias_hh", Level, Reverse},
                                                     {"weight_hr", Level, Reverse}, {"h_0", Level, Reverse},
                                                     {"c_0", Level, Reverse}};
}  // namespace detail

/// The options of a Recurrence: its units, the number of its layer among those of a recurrent layer, and so on.
struct RecurrenceForm {
  int hidden = 1, level = 0, levels = 1, directions = 1, projected = 0;
  bool final_state = false, with_bias = true, learned = false, given = false, lengths = false;
};

/// The number of steps that a row has: 0 if it is not a whole number from 1 to `most`.
template <class T>
SINTER_HOST_DEVICE constexpr int steps_of_row(T length, int most) {
  return row_of_table(length, most + 1) < 0 ? 0 : static_cast<int>(length);
}

/// h of each step from that of the step before: see ops/cell.hpp.   x [T, In]  y [T, Hidden], or [Hidden], that of the
/// last step, if `final_state`. W_ih [gates Hidden, In]  W_hh [gates Hidden, Hidden]  b_ih, b_hh [gates Hidden]. If
/// there are `projected` numbers, h is W_hr m, m being what the cell gives: W_hr [projected, Hidden]  W_hh [gates
/// Hidden, projected]. h, and the cell's other state, are 0 before the first step, or parameters h_0, c_0 if
/// `learned`, or an input if `given`. With two `directions` a second cell with weights of its own goes from the last
/// step to the first, and its outputs follow those of the first in each row. If there are `lengths`, another input
/// [1], a row has that many steps: outputs after them are 0, and the last output is that of the last step. Adjoint:
/// through the steps in reverse, each dW a sum over them. `level` is the number of the layer in the names of
/// parameters: "weight_ih_l0", "bias_hh_l0_reverse".
template <class CellType, RecurrenceForm form>
struct Recurrence {
  using Cell = CellType;
  static constexpr int outputs = form.projected > 0 ? form.projected : form.hidden;

  template <class... Beside>
  static constexpr Op describe(Dims in, Beside... beside) {
    Op op;
    op.kind = OpKind::recurrence;
    op.name = Cell::name;
    op.in = in;
    op.out = form.final_state ? features(form.directions * outputs) : series(in.channels, form.directions * outputs);
    op.hidden = form.hidden;
    op.gates = Cell::gates;
    op.kept = Cell::kept;
    op.level = form.level;
    op.levels = form.levels;
    op.directions = form.directions;
    op.with_bias = form.with_bias;
    op.projected = form.projected;
    op.learned = !form.learned ? 0 : Cell::state >= 0 ? 2 : 1;
    op.given = form.given ? 1 : 0;
    op.lengths = form.lengths ? 1 + op.given : 0;
    int input = 0;
    ((op.channels[++input] = beside.size()), ...);
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    op.weight = declare_direction<false>(op, to);
    if constexpr (form.directions > 1) declare_direction<true>(op, to);
  }

 private:
  /// The number of the first one.
  template <bool Reverse, class Builder>
  static constexpr int declare_direction(const Op& op, Builder& to) {
    using enum detail::RecurrentTensor;
    const auto declare_one = [&](detail::RecurrentTensor tensor) {
      const bool of_hidden = tensor == weight_hh || tensor == bias_hh, projects = tensor == weight_hr;
      const bool state = tensor > weight_hr, vector = tensor >= bias_ih && !projects;
      const int rows = projects || tensor == h_0 ? outputs : state ? form.hidden : Cell::gates * form.hidden;
      const int columns = projects ? form.hidden : of_hidden ? outputs : op.in.width;
      return to.parameter({.name = detail::recurrent_names<form.level, Reverse>[static_cast<int>(tensor)],
                           .shape = {rows, vector ? 1 : columns},
                           .rank = vector ? 1 : 2,
                           .fan_in = columns,
                           .fan_out = rows,
                           .fan_in_of_pytorch = form.hidden,
                           .is_bias = vector,
                           .draw = projects ? 4 + (Reverse ? 1 : 0) : (Reverse ? 2 : 0) + (of_hidden ? 1 : 0),
                           .start = state ? Start::zeros : Start::drawn});
    };
    const int first = declare_one(weight_ih);
    declare_one(weight_hh);
    if (form.with_bias) declare_one(bias_ih), declare_one(bias_hh);
    if (form.projected > 0) declare_one(weight_hr);
    if (op.learned > 0) declare_one(h_0);
    if (op.learned > 1) declare_one(c_0);
    return first;
  }
};

SINTER_NAMESPACE_END
