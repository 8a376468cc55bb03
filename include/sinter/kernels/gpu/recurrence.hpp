// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/kernels/gpu/recurrence_stage.hpp"
#include "sinter/kernels/gpu/stage_kernel.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

// A recurrence has four phases. Those of the steps, which wait for one another, are loops with a barrier of the block
// after each step: where the team is the grid, each block has rows of its own. The products of all steps with W_ih, and
// those of its gradient, wait for nothing, and are shared by the whole team.

/// The rows of a tile that this block takes: all, unless the team is the grid.
struct RowsOfBlock {
  int first, count;
  template <class X, class Tile>
  SINTER_FN RowsOfBlock([[maybe_unused]] X& x, const Tile& tile) : first(0), count(tile.rows) {
    if constexpr (Tile::expected_rows >= Expected::grid) {
      const long long rows = tile.rows, block = x.block(), blocks = x.blocks();
      first = static_cast<int>(rows * block / blocks);
      count = static_cast<int>(rows * (block + 1) / blocks) - first;
    }
  }
};

/// A unit at a step: what its cell makes of the gates, and of W_hh h of the step before.
template <class R, class Row>
SINTER_FN typename R::T recurrence_cell(const Row& at, int step, int unit) {
  using T = typename R::T;
  T k[R::kept] = {}, u[R::gates];
  SINTER_UNROLL
  for (int gate = 0; gate < R::gates; ++gate) {
    k[gate] = at.cell(at.time(step), gate, unit)[0];
    u[gate] = R::biased ? T(at.weights(R::b_hh)[gate * R::hidden + unit]) : T(0);
  }
  const auto add = [&](auto&& before) {
    const auto w = at.weights(R::w_hh) + unit * R::outputs;
    SINTER_UNROLL_BY(8)
    for (int i = 0; i < R::outputs; ++i) {
      const T h = before(i);
      SINTER_UNROLL
      for (int gate = 0; gate < R::gates; ++gate) u[gate] = fma(T(w[gate * R::hidden * R::outputs + i]), h, u[gate]);
    }
  };
  if (step > 0)
    add([before = at.own + (R::h_at + at.time(step - 1) * R::outputs)](int i) { return T(before[i]); });
  else if (!R::begins_at_zero || at.tile.follows_states)
    add([&](int i) { return at.first_h(i); });
  const T h = R::projected ? T(0) : at.h_before(step, R::projected ? 0 : unit);
  const T made = R::Cell::forward(k, u, h, at.c_before(step, unit));
  SINTER_UNROLL
  for (int slot = 0; slot < R::kept; ++slot) at.cell(at.time(step), slot, unit)[0] = k[slot];
  return made;
}

/// The adjoint of a unit at a step: k becomes the gradients of the products. Returns the gradient of h of the step
/// before, as far as it does not come through W_hh.
template <class R, class Row>
SINTER_FN typename R::T recurrence_cell_back(const Row& at, int step, int unit, typename R::T dh) {
  using T = typename R::T;
  T k[R::kept];
  SINTER_UNROLL
  for (int slot = 0; slot < R::kept; ++slot) k[slot] = at.cell(at.time(step), slot, unit)[0];
  const auto dc = at.own + (R::dc_at + unit);
  T of_state = R::has_c && step + 1 < at.count ? T(dc[0]) : T(0);
  const T h = R::projected ? T(0) : at.h_before(step, R::projected ? 0 : unit);
  const T through = R::Cell::backward(k, dh, of_state, h, at.c_before(step, unit));
  SINTER_UNROLL
  for (int slot = 0; slot < R::kept; ++slot) at.cell(at.time(step), slot, unit)[0] = k[slot];
  if constexpr (R::has_c) dc[0] = of_state;
  return through;
}

/// Calls visit(row, step) for all rows, and the steps that they have.
template <int S, class Tile, class Visit>
SINTER_FN void each_step(const Tile& tile, int direction, Visit&& visit) {
  for (int row = 0; row < tile.rows; ++row) {
    const RecurrentRow<S, Tile> at(tile, row, direction);
    for (int step = 0; step < at.count; ++step) visit(at, step);
  }
}

/// dW of `Block` neighbouring lines of W_ih and W_hh, side by side, in one column; the last column is that of biases.
template <int S, int Block, class Tile>
SINTER_FN void recurrence_weight_block(const Tile& tile, int direction, int line, int column) {
  using T = typename Tile::T;
  using R = RecurrenceStage<S, Tile>;
  const int gate = line / R::hidden, unit = line % R::hidden, i = column - R::inputs;
  const int slot_of_h = gate + 1 < R::gates ? gate : R::slot_of_last;
  const RecurrentRow<S, Tile> first(tile, 0, direction);
  const auto sum_up = [&](int slot, auto&& value) {
    T sum[Block] = {};
    each_step<S>(tile, direction, [&](const auto& at, int step) {
      const T by = value(at, step);
      const auto d = at.cell(at.time(step), slot, unit);
      SINTER_UNROLL
      for (int b = 0; b < Block; ++b) sum[b] = fma(T(d[b]), by, sum[b]);
    });
    return [sum](int b) { return sum[b]; };
  };
  const auto put = [&](int place, int columns, int at, const auto& sum) {
    SINTER_UNROLL
    for (int b = 0; b < Block; ++b) tile.add_gradient(first.place(place) + (line + b) * columns + at, sum(b));
  };
  if (i < 0) {
    put(R::w_ih, R::inputs, column, sum_up(gate, [&](const auto& at, int step) {
          return T(at.record[R::x + at.time(step) * R::inputs + column]);
        }));
  } else if (i < R::outputs) {
    put(R::w_hh, R::outputs, i, sum_up(slot_of_h, [&](const auto& at, int step) { return at.h_before(step, i); }));
  } else {
    const auto one = [](const auto&, int) { return T(1); };
    put(R::b_ih, 1, 0, sum_up(gate, one));
    put(R::b_hh, 1, 0, sum_up(slot_of_h, one));
  }
}

/// The gradient of number e of what the recurrence reads as its input `K`.
template <int S, int K, class Tile>
SINTER_FN typename Tile::T recurrence_slope(const Tile& tile, int row, int e) {
  using T = typename Tile::T;
  using R = RecurrenceStage<S, Tile>;
  constexpr bool is_state = R::given && K == R::op.given;
  T sum = T(0);
  for (int direction = 0; direction < R::directions; ++direction) {
    const RecurrentRow<S, Tile> at(tile, row, direction);
    if constexpr (K == 0) {
      const int time = e / R::inputs;
      if (time >= at.count) continue;
      const auto w = at.weights(R::w_ih) + e % R::inputs;
      SINTER_UNROLL
      for (int gate = 0; gate < R::gates; ++gate) {
        const auto d = at.cell(time, gate, 0);
        const auto of_gate = w + gate * R::hidden * R::inputs;
        SINTER_UNROLL_BY(8)
        for (int j = 0; j < R::hidden; ++j) sum = fma(T(of_gate[j * R::inputs]), T(d[j]), sum);
      }
    } else if constexpr (is_state) {  // each layer reads the states of all
      const int h = e - (R::given_h + direction * R::outputs), c = e - (R::given_c + direction * R::hidden);
      if (h >= 0 && h < R::outputs) sum = at.own[R::dh_at + h];
      if (R::has_c && c >= 0 && c < R::hidden) sum = at.own[R::dc_at + c];
    }
  }
  return sum;
}

template <>
inline constexpr OwnPhases own_phases<Source::recurrence>{.step_inputs = true, .steps_back = true};
template <>
struct StageKernel<Source::recurrence> {
  /// W_ih x + b_ih of all steps, to the gates of the cells.
  template <int S, class X, class Tile>
  SINTER_FN static void step_inputs(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using R = RecurrenceStage<S, Tile>;
    constexpr int block = divisor(R::steps, 4);  // steps that share reads of weights
    constexpr int of_row = R::steps / block * R::directions * R::lines;
    x.items(tile.rows * of_row, [&](int item) {
      const int line = item % R::lines, direction = item / R::lines % R::directions,
                step = item % of_row / (R::lines * R::directions) * block;
      const RecurrentRow<S, Tile> at(tile, item / of_row, direction);
      T sum[block];
      SINTER_UNROLL
      for (int b = 0; b < block; ++b) sum[b] = R::biased ? T(at.weights(R::b_ih)[line]) : T(0);
      const auto w = at.weights(R::w_ih) + line * R::inputs;
      const auto in = at.record + (R::x + step * R::inputs);
      SINTER_UNROLL_BY(4)
      for (int i = 0; i < R::inputs; ++i) {
        const T weight = w[i];
        SINTER_UNROLL
        for (int b = 0; b < block; ++b) sum[b] = fma(weight, T(in[b * R::inputs + i]), sum[b]);
      }
      SINTER_UNROLL
      for (int b = 0; b < block; ++b) at.cell(step + b, line / R::hidden, line % R::hidden)[0] = sum[b];
    });
  }

  /// The steps, one after another. An item is a unit, or a number that h is projected to, of a row and direction.
  template <int S, class X, class Tile>
  SINTER_FN static void forward(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using R = RecurrenceStage<S, Tile>;
    using Row = RecurrentRow<S, Tile>;
    const RowsOfBlock rows(x, tile);
    for (int step = 0; step < R::steps; ++step) {
      x.items_of_block(rows.count * R::directions * R::hidden, [&](int item) {
        const int unit = item % R::hidden;
        const Row at(tile, rows.first + item / (R::hidden * R::directions), item / R::hidden % R::directions);
        if (step < at.count) {
          const T made = recurrence_cell<R>(at, step, unit);
          if constexpr (R::projected)
            at.own[R::m_at + at.time(step) * R::hidden + unit] = made;
          else
            at.give_h(step, unit, made);
        } else if constexpr (!R::projected) {
          at.give_none(step, unit);
        }
      });
      x.barrier_of_block();
      if constexpr (R::projected) {
        x.items_of_block(rows.count * R::directions * R::outputs, [&](int item) {
          const int i = item % R::outputs;
          const Row at(tile, rows.first + item / (R::outputs * R::directions), item / R::outputs % R::directions);
          if (step >= at.count) return at.give_none(step, i);
          const auto w = at.weights(R::w_hr) + i * R::hidden;
          const auto m = at.own + (R::m_at + at.time(step) * R::hidden);
          T h = T(0);
          SINTER_UNROLL_BY(8)
          for (int j = 0; j < R::hidden; ++j) h = fma(T(w[j]), T(m[j]), h);
          at.give_h(step, i, h);
        });
        x.barrier_of_block();
      }
    }
    if (!tile.keeps_states) return;
    constexpr int numbers = R::outputs + (R::has_c ? R::hidden : 0);
    x.items_of_block(rows.count * numbers, [&](int item) {
      const int i = item % numbers;
      const Row at(tile, rows.first + item / numbers, 0);
      tile.states_after[at.carried(R::carried_h + i)] =
          i < R::outputs ? at.h_before(at.count, i) : at.c_before(at.count, i - R::outputs);
    });
  }

  /// The steps in reverse. Unless h is projected, what a unit's gradient comes to is left for the same item at the
  /// next.
  template <int S, class X, class Tile>
  SINTER_FN static void steps_back(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using R = RecurrenceStage<S, Tile>;
    using Row = RecurrentRow<S, Tile>;
    const RowsOfBlock rows(x, tile);
    // The gradient of h[i] after `step`, without that of the output.
    const auto slope_after = [](const Row& at, int step, int i) {
      if (step + 1 >= at.count) return T(0);
      return at.through_next(step, i, R::projected ? T(0) : T(at.own[R::dh_at + i]));
    };
    for (int step = R::steps - 1; step >= 0; --step) {
      if constexpr (R::projected) {
        x.items_of_block(rows.count * R::directions * R::outputs, [&](int item) {
          const int i = item % R::outputs;
          const Row at(tile, rows.first + item / (R::outputs * R::directions), item / R::outputs % R::directions);
          if (step < at.count)
            at.own[R::d_at + at.time(step) * R::outputs + i] = slope_after(at, step, i) + at.slope(step, i);
        });
        x.barrier_of_block();
      }
      x.items_of_block(rows.count * R::directions * R::hidden, [&](int item) {
        const int unit = item % R::hidden;
        const Row at(tile, rows.first + item / (R::hidden * R::directions), item / R::hidden % R::directions);
        if (step >= at.count) return;
        if constexpr (R::projected) {
          const auto w = at.weights(R::w_hr) + unit;
          const auto d = at.own + (R::d_at + at.time(step) * R::outputs);
          T dm = T(0);
          SINTER_UNROLL_BY(8)
          for (int i = 0; i < R::outputs; ++i) dm = fma(T(w[i * R::hidden]), T(d[i]), dm);
          recurrence_cell_back<R>(at, step, unit, dm);
        } else {
          const T dh = slope_after(at, step, unit) + at.slope(step, unit);
          at.own[R::dh_at + unit] = recurrence_cell_back<R>(at, step, unit, dh);
        }
      });
      x.barrier_of_block();
    }
    if constexpr (!R::begins_at_zero) {
      x.items_of_block(rows.count * R::directions * R::outputs, [&](int item) {
        const int i = item % R::outputs;
        const Row at(tile, rows.first + item / (R::outputs * R::directions), item / R::outputs % R::directions);
        at.own[R::dh_at + i] = tile.follows_states ? T(0) : slope_after(at, -1, i);
      });
      if constexpr (R::has_c)
        x.items_of_block(rows.count * R::directions * R::hidden, [&](int item) {
          const Row at(tile, rows.first + item / (R::hidden * R::directions), item / R::hidden % R::directions);
          if (at.count == 0 || tile.follows_states) at.own[R::dc_at + item % R::hidden] = T(0);
        });
    }
  }

  /// The gradients of all parameters, each a sum over rows and steps in their order. Neighbouring threads take
  /// neighbouring columns.
  template <int S, class X, class Tile>
  SINTER_FN static void weight_gradient(X& x, const Tile& tile) {
    using T = typename Tile::T;
    using R = RecurrenceStage<S, Tile>;
    constexpr int columns = R::inputs + R::outputs + (R::biased ? 1 : 0);
    constexpr int block = block_of(R::hidden, 4, static_cast<long>(columns) * R::gates * R::directions);
    constexpr int items = columns * (R::lines / block), projections = R::projected ? R::outputs * R::hidden : 0,
                  of_h = R::learned ? R::outputs : 0, of_c = R::learned && R::has_c ? R::hidden : 0;
    constexpr int of_direction = items + projections + of_h + of_c;
    x.items(of_direction * R::directions, [&](int item) {
      const int direction = item / of_direction;
      int which = item % of_direction;
      if (which < items)
        return recurrence_weight_block<S, block>(tile, direction, which / columns * block, which % columns);
      which -= items;
      const RecurrentRow<S, Tile> first(tile, 0, direction);
      T sum = T(0);
      if (which < projections) {
        const int i = which / R::hidden, j = which % R::hidden;
        each_step<S>(tile, direction, [&](const auto& at, int step) {
          const int time = at.time(step);
          sum = fma(T(at.own[R::d_at + time * R::outputs + i]), T(at.own[R::m_at + time * R::hidden + j]), sum);
        });
        return tile.add_gradient(first.place(R::w_hr) + which, sum);
      }
      which -= projections;
      const bool is_c = which >= of_h;
      const int i = is_c ? which - of_h : which;
      for (int row = 0; row < tile.rows; ++row)
        sum += T(RecurrentRow<S, Tile>(tile, row, direction).own[(is_c ? R::dc_at : R::dh_at) + i]);
      tile.add_gradient(first.place(is_c ? R::c_0 : R::h_0) + i, sum);
    });
  }

  /// dx, and the gradients of a given state and of lengths, which is 0. Number i of all is one item: they may be the
  /// same value.
  template <int S, class X, class Tile>
  SINTER_FN static void input_gradient(X& x, const Tile& tile) {
    using G = typename Tile::template At<S>;
    x.items(tile.rows * G::largest_part, [&](int item) {
      const int row = item / G::largest_part, i = item % G::largest_part;
      unroll<G::parts>([&](auto k) SINTER_LAMBDA {
        constexpr int K = G::parts - 1 - decltype(k)::value;
        using Read = ReadConstants<typename Tile::Model, G::stage.first, K>;
        if (i < Read::size) give_gradient<G::stage.first, K>(tile, row, i, recurrence_slope<S, K>(tile, row, i));
      });
    });
  }
};

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
