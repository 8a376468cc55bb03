// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <vector>

#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// The parameters of one direction, or their gradients, and its first state.
template <class T>
struct RecurrenceTensors {
  T *w_ih, *w_hh, *b_ih, *b_hh;  // biases may be null
  T* w_hr;                       // null: h is what the cells give
  T *h_0, *c_0;                  // null: zeros
};

/// One direction of a recurrence on a sample. Steps are counted in the order in which the cell takes them.
template <class Cell, class T>
struct Recurrence {
  const Op& op;
  int direction, steps;
  RecurrenceTensors<const T> of;
  std::vector<std::array<T, Cell::kept>> kept{};
  std::vector<T> m{}, h{};  // [step][unit] of the cells; [step][output]

  int hidden() const { return op.hidden; }
  int size() const { return op.h_size(); }
  int time(int step) const { return direction == 0 ? step : steps - 1 - step; }
  /// The outputs of a step in a row of the results; null if they are not among them.
  template <class Number>
  Number* outputs(Number* y, int step) const {
    const int row = op.out.rank == 2 ? time(step) : 0, width = op.directions * size();
    return op.out.rank == 2 || step + 1 == steps ? y + row * width + direction * size() : nullptr;
  }
  std::size_t at(int step, int unit) const { return static_cast<std::size_t>(step * hidden() + unit); }
  std::size_t h_at(int step, int i) const { return static_cast<std::size_t>(step * size() + i); }
  T before(int step, int i) const {
    return i >= size() ? T(0) : step > 0 ? h[h_at(step - 1, i)] : of.h_0 ? of.h_0[i] : T(0);
  }
  T state_before(int step, int unit) const {
    if constexpr (Cell::state >= 0)
      if (step > 0) return kept[at(step - 1, unit)][Cell::state];
    return of.c_0 ? of.c_0[unit] : T(0);
  }

  void forward(const T* x, T* y) {
    kept.resize(at(steps, 0));
    m.resize(kept.size());
    h.resize(h_at(steps, 0));
    for (int step = 0; step < steps; ++step) {
      const T* in = x + time(step) * op.in.width;
      for (int j = 0; j < hidden(); ++j) {
        T u[Cell::gates], k[Cell::kept]{};
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          k[gate] = of.b_ih ? of.b_ih[row] : T(0);
          u[gate] = of.b_hh ? of.b_hh[row] : T(0);
          for (int i = 0; i < op.in.width; ++i) k[gate] += of.w_ih[row * op.in.width + i] * in[i];
          for (int i = 0; i < size(); ++i) u[gate] += of.w_hh[row * size() + i] * before(step, i);
        }
        m[at(step, j)] = Cell::forward(k, u, before(step, j), state_before(step, j));
        for (int i = 0; i < Cell::kept; ++i) kept[at(step, j)][static_cast<std::size_t>(i)] = k[i];
      }
      for (int i = 0; i < size(); ++i) {
        T& now = h[h_at(step, i)] = of.w_hr ? T(0) : m[at(step, i)];
        for (int j = 0; of.w_hr && j < hidden(); ++j) now += of.w_hr[i * hidden() + j] * m[at(step, j)];
        if (T* to = outputs(y, step)) to[i] = now;
      }
    }
  }
  /// After forward: the state after the last step.
  void carry(T* to) const {
    for (int i = 0; i < size(); ++i) *to++ = before(steps, i);
    for (int j = 0; Cell::state >= 0 && j < hidden(); ++j) *to++ = state_before(steps, j);
  }
  /// After forward. Adds to the gradients.
  void backward(const T* x, const T* dy, T* dx, const RecurrenceTensors<T>& gradient) {
    std::vector<T> dh(h_at(1, 0)), dc(at(1, 0));
    for (int step = steps - 1; step >= 0; --step) {
      const T* in = x + time(step) * op.in.width;
      T* din = dx + time(step) * op.in.width;
      std::vector<T> dbefore(dh.size()), dm(dc.size());
      const T* given = outputs(dy, step);
      for (int i = 0; i < size(); ++i) {
        const T d = dh[h_at(0, i)] + (given ? given[i] : T(0));
        if (!of.w_hr) dm[at(0, i)] = d;
        for (int j = 0; of.w_hr && j < hidden(); ++j) {
          dm[at(0, j)] += of.w_hr[i * hidden() + j] * d;
          gradient.w_hr[i * hidden() + j] += m[at(step, j)] * d;
        }
      }
      for (int j = 0; j < hidden(); ++j) {
        const std::size_t unit = static_cast<std::size_t>(j);
        T k[Cell::kept];
        for (int i = 0; i < Cell::kept; ++i) k[i] = kept[at(step, j)][static_cast<std::size_t>(i)];
        const T through = Cell::backward(k, dm[unit], dc[unit], before(step, j), state_before(step, j));
        if (!of.w_hr) dbefore[unit] += through;
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          const T da = k[gate], du = k[gate + 1 < Cell::gates ? gate : Cell::hidden_slot];
          for (int i = 0; i < op.in.width; ++i) {
            din[i] += of.w_ih[row * op.in.width + i] * da;
            gradient.w_ih[row * op.in.width + i] += in[i] * da;
          }
          for (int i = 0; i < size(); ++i) {
            dbefore[static_cast<std::size_t>(i)] += of.w_hh[row * size() + i] * du;
            gradient.w_hh[row * size() + i] += before(step, i) * du;
          }
          if (gradient.b_ih) gradient.b_ih[row] += da;
          if (gradient.b_hh) gradient.b_hh[row] += du;
        }
      }
      dh = dbefore;
    }
    for (std::size_t i = 0; gradient.h_0 && i < dh.size(); ++i) gradient.h_0[i] += dh[i];
    for (std::size_t j = 0; gradient.c_0 && j < dc.size(); ++j) gradient.c_0[j] += dc[j];
  }
};

/// All directions of an op on a row: `find(arena, number)` gives a parameter, or its gradient.
template <class Cell, class T, class Find>
struct Recurrences {
  const Op& op;
  Find find;
  const T *parameters, *state, *length;  // the last two of the row, where they are given
  const T* before;                       // the state that is carried to this row, and from it; or null
  T* after;

  int steps() const { return op.lengths > 0 ? steps_of_row(*length, op.in.channels) : op.in.channels; }
  /// In the parameters and the state of the row, or in their gradients.
  template <class Number>
  RecurrenceTensors<Number> tensors(Number* arena, Number* of_row, int direction) const {
    const auto tensor = [&](bool present, int which) -> Number* {
      return present ? find(arena, op.weight + direction * op.parameters_of_direction() + which) : nullptr;
    };
    const auto first = [&](bool is_c) -> Number* {  // learned or of the row
      if ((is_c && Cell::state < 0) || before) return nullptr;
      if (op.given > 0) return of_row + op.given_state(is_c, direction);
      return tensor(op.learned > 0, op.first_state() + (is_c ? 1 : 0));
    };
    return {.w_ih = tensor(true, 0),
            .w_hh = tensor(true, 1),
            .b_ih = tensor(op.with_bias, 2),
            .b_hh = tensor(op.with_bias, 3),
            .w_hr = tensor(op.projected > 0, op.projection()),
            .h_0 = first(false),
            .c_0 = first(true)};
  }
  Recurrence<Cell, T> one(int direction) const {
    auto of = tensors(parameters, state, direction);
    if (before) of.h_0 = before;
    if (before && Cell::state >= 0) of.c_0 = before + op.h_size();
    return {.op = op, .direction = direction, .steps = steps(), .of = of};
  }

  void forward(const T* x, T* y) const {
    for (int direction = 0; direction < op.directions; ++direction) {
      auto now = one(direction);
      now.forward(x, y);
      if (after && steps() > 0) now.carry(after);
    }
    if (steps() == 0) std::fill_n(y, op.out.size(), std::numeric_limits<T>::quiet_NaN());
  }
  void backward(const T* x, const T* dy, T* dx, T* gradient, T* dstate) const {
    for (int direction = 0; direction < op.directions; ++direction) {
      auto now = one(direction);
      std::vector<T> y(static_cast<std::size_t>(op.out.size()));
      now.forward(x, y.data());
      now.backward(x, dy, dx, tensors(gradient, dstate, direction));
    }
  }
};

template <class Cell, class T, class Find>
Recurrences<Cell, T, Find> recurrences(const Op& op, Find find, const T* parameters, const T* state, const T* length,
                                       const T* before, T* after) {
  return {op, find, parameters, state, length, before, after};
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
