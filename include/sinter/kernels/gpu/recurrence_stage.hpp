// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <limits>
#include <type_traits>
#include <utility>

#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/kernels/gpu/ride.hpp"
#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A recurrence in the records of a tile: its sizes, and where its numbers and parameters are, as plain constants,
/// which device code may read. Numbers are kept by the time of their step, also those of a cell that begins at the end.
template <int S, class Tile>
struct RecurrenceStage {
  using T = typename Tile::T;
  using G = typename Tile::template At<S>;
  using Ops = Program<typename Tile::Model>;
  static constexpr int first = G::stage.first;
  using Cell = typename Ops::template OpType<first>::Cell;
  static constexpr Op op = G::source;

  static constexpr int steps = op.in.channels, inputs = op.in.width, hidden = op.hidden, outputs = op.h_size(),
                       directions = op.directions, gates = Cell::gates, kept = Cell::kept, lines = gates * hidden,
                       slot_of_last = Cell::hidden_slot;
  static constexpr bool biased = op.with_bias, projected = op.projected > 0, given = op.given > 0,
                        learned = op.learned > 0, ragged = op.lengths > 0, every_step = op.out.rank == 2,
                        has_c = Cell::state >= 0;
  static constexpr bool begins_at_zero = !given && !learned;
  static constexpr int carried_h = CarriedNumbers<Ops>::at(first), carried_c = carried_h + outputs,
                       carried_numbers = CarriedNumbers<Ops>::size;  // of a row
  static constexpr T no_number = std::numeric_limits<T>::quiet_NaN();
  static constexpr int state_slot = has_c ? Cell::state : 0;

  // In the record, for each direction.
  using Numbers = RecurrentNumbers;
  static constexpr int own = Tile::Record::template saved<first>,
                       of_direction = Numbers::of_direction(op, Tile::training), h_at = Numbers::h(op),
                       m_at = Numbers::m(op), d_at = Numbers::d(op), dh_at = Numbers::dh(op), dc_at = Numbers::dc(op);
  // What it reads.
  template <int K>
  static constexpr int input = Tile::Record::template value<ReadConstants<typename Tile::Model, first, K>::value>;
  static constexpr int x = input<0>, length = input<op.lengths>, state = input<op.given>;
  static constexpr int given_h = op.given_state(false, 0), given_c = op.given_state(true, 0);

  /// Where a parameter of a direction begins.
  static constexpr int offset(int which, int direction) {
    const int number = op.weight + direction * op.parameters_of_direction() + which;
    return Ops::parameters[static_cast<std::size_t>(number)].offset;
  }
  static constexpr int w_ih = offset(0, 0), w_hh = offset(1, 0), b_ih = biased ? offset(2, 0) : 0,
                       b_hh = biased ? offset(3, 0) : 0, w_hr = projected ? offset(op.projection(), 0) : 0,
                       h_0 = learned ? offset(op.first_state(), 0) : 0,
                       c_0 = op.learned > 1 ? offset(op.first_state() + 1, 0) : 0;
  static constexpr int between_directions = directions > 1 ? offset(0, 1) - offset(0, 0) : 0;
  static_assert([] {
    for (int which = 0; directions > 1 && which < op.parameters_of_direction(); ++which)
      if (offset(which, 1) - offset(which, 0) != between_directions) return false;
    return true;
  }());
};

/// One direction of a recurrence on a row. Steps are counted in the order in which the cell takes them.
template <int S, class Tile>
struct RecurrentRow {
  using R = RecurrenceStage<S, Tile>;
  using T = typename Tile::T;
  using Record = std::decay_t<decltype(std::declval<const Tile&>().record(0))>;

  const Tile& tile;
  Record record, own;
  int row, direction, count;  // of steps: 0 if the length of the row is none

  SINTER_FN RecurrentRow(const Tile& of, int row_, int direction_)
      : tile(of),
        record(of.record(row_)),
        own(record + (R::own + direction_ * R::of_direction)),
        row(row_),
        direction(direction_),
        count(R::steps) {
    if constexpr (R::ragged) {
      const T given = record[R::length];
      count = steps_of_row(given, R::steps);
    }
  }
  SINTER_FN int time(int step) const { return direction == 0 ? step : count - 1 - step; }
  /// Where a parameter of this direction is, from its place in the first one.
  SINTER_FN int place(int parameter) const { return parameter + direction * R::between_directions; }
  SINTER_FN auto weights(int parameter) const { return tile.parameters + place(parameter); }
  /// Number `slot` of a cell.
  SINTER_FN auto cell(int at, int slot, int unit) const { return own + ((at * R::kept + slot) * R::hidden + unit); }

  // The state before the first step, which is carried to it, or given, or learned, or 0.
  SINTER_FN T first_h(int i) const {
    if (tile.follows_states) return tile.states_before[carried(R::carried_h + i)];
    if constexpr (R::given)
      return record[R::state + R::given_h + direction * R::outputs + i];
    else if constexpr (R::learned)
      return weights(R::h_0)[i];
    else
      return T(0);
  }
  SINTER_FN T first_c(int unit) const {
    if (tile.follows_states) return tile.states_before[carried(R::carried_c + unit)];
    if constexpr (R::given)
      return record[R::state + R::given_c + direction * R::hidden + unit];
    else if constexpr (R::learned)
      return weights(R::c_0)[unit];
    else
      return T(0);
  }
  /// Where a number is among those that all rows carry.
  SINTER_FN std::ptrdiff_t carried(int number) const {
    return static_cast<std::ptrdiff_t>(row) * R::carried_numbers + number;
  }
  // The state before a step.
  SINTER_FN T h_before(int step, int i) const {
    return step > 0 ? T(own[R::h_at + time(step - 1) * R::outputs + i]) : first_h(i);
  }
  SINTER_FN T c_before(int step, int unit) const {
    if constexpr (R::has_c)
      return step > 0 ? T(cell(time(step - 1), R::state_slot, unit)[0]) : first_c(unit);
    else
      return T(0);
  }

  /// Output i of a step, through what rides on the stage.
  SINTER_FN void give(int at, int i, T value) const {
    T v[1] = {value};
    const int e = (R::every_step ? at * R::directions * R::outputs : 0) + direction * R::outputs + i;
    ride<S, R::G::first_rider>(tile, row, Element<typename R::G>(e), v);
  }
  /// After a step that the row has.
  SINTER_FN void give_h(int step, int i, T h) const {
    own[R::h_at + time(step) * R::outputs + i] = h;
    if (R::every_step || step + 1 == count) give(time(step), i, h);
  }
  /// In place of one that it does not have.
  SINTER_FN void give_none(int step, int i) const {
    constexpr T no_number = R::no_number;
    if (R::every_step || (count == 0 && step == 0)) give(step, i, count == 0 ? no_number : T(0));
  }

  /// The gradient of output i of a step.
  SINTER_FN T slope(int step, int i) const {
    constexpr int gradient = Tile::Record::template gradient<S>, width = R::directions * R::outputs;
    if (!R::every_step && step + 1 != count) return T(0);
    return record[gradient + (R::every_step ? time(step) * width : 0) + direction * R::outputs + i];
  }
  /// The gradient that h[i] after `step` has through W_hh of the next one, added to `sum`.
  SINTER_FN T through_next(int step, int i, T sum) const {
    const int next = time(step + 1);
    const auto w = weights(R::w_hh) + i;
    SINTER_UNROLL
    for (int gate = 0; gate < R::gates; ++gate) {
      const auto d = cell(next, gate + 1 < R::gates ? gate : R::slot_of_last, 0);
      const auto of_gate = w + gate * R::hidden * R::outputs;
      SINTER_UNROLL_BY(8)
      for (int j = 0; j < R::hidden; ++j) sum = fma(T(of_gate[j * R::outputs]), T(d[j]), sum);
    }
    return sum;
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
