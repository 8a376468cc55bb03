// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// One direction of a recurrence at work on a sample. Steps are counted in the order in which the cell takes them.
template <class Cell, class T>
struct Recurrence {
  const Op& op;
  int direction;
  const T *w_ih, *w_hh, *b_ih, *b_hh;  // biases may be null
  const T *h_0, *c_0;                  // null: zeros
  std::vector<std::array<T, Cell::kept>> kept{};
  std::vector<T> h{};  // [step][unit]

  int hidden() const { return op.hidden; }
  int steps() const { return op.in.channels; }
  int time(int step) const { return direction == 0 ? step : steps() - 1 - step; }
  /// The outputs of a step in a row of the results; null if they are not among them.
  template <class Number>
  Number* outputs(Number* y, int step) const {
    const int row = op.out.rank == 2 ? time(step) : 0, width = op.directions * hidden();
    return op.out.rank == 2 || step + 1 == steps() ? y + row * width + direction * hidden() : nullptr;
  }
  std::size_t at(int step, int unit) const { return static_cast<std::size_t>(step * hidden() + unit); }
  T before(int step, int unit) const { return step > 0 ? h[at(step - 1, unit)] : h_0 ? h_0[unit] : T(0); }
  T state_before(int step, int unit) const {
    if constexpr (Cell::state >= 0)
      if (step > 0) return kept[at(step - 1, unit)][Cell::state];
    return c_0 ? c_0[unit] : T(0);
  }

  void forward(const T* x, T* y) {
    kept.resize(at(steps(), 0));
    h.resize(kept.size());
    for (int step = 0; step < steps(); ++step) {
      const T* in = x + time(step) * op.in.width;
      for (int j = 0; j < hidden(); ++j) {
        T u[Cell::gates], k[Cell::kept]{};
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          k[gate] = b_ih ? b_ih[row] : T(0);
          u[gate] = b_hh ? b_hh[row] : T(0);
          for (int i = 0; i < op.in.width; ++i) k[gate] += w_ih[row * op.in.width + i] * in[i];
          for (int i = 0; i < hidden(); ++i) u[gate] += w_hh[row * hidden() + i] * before(step, i);
        }
        h[at(step, j)] = Cell::forward(k, u, before(step, j), state_before(step, j));
        for (int i = 0; i < Cell::kept; ++i) kept[at(step, j)][static_cast<std::size_t>(i)] = k[i];
        if (T* to = outputs(y, step)) to[j] = h[at(step, j)];
      }
    }
  }
  /// After forward. Adds to the gradients.
  void backward(const T* x, const T* dy, T* dx, T* dw_ih, T* dw_hh, T* db_ih, T* db_hh, T* dh_0, T* dc_0) {
    std::vector<T> dh(at(1, 0)), dc(at(1, 0));
    for (int step = steps() - 1; step >= 0; --step) {
      const T* in = x + time(step) * op.in.width;
      T* din = dx + time(step) * op.in.width;
      std::vector<T> dbefore(dh.size());
      for (int j = 0; j < hidden(); ++j) {
        const std::size_t unit = static_cast<std::size_t>(j);
        T k[Cell::kept];
        for (int i = 0; i < Cell::kept; ++i) k[i] = kept[at(step, j)][static_cast<std::size_t>(i)];
        const T* given = outputs(dy, step);
        const T g = dh[unit] + (given ? given[j] : T(0));
        dbefore[unit] += Cell::backward(k, g, dc[unit], before(step, j), state_before(step, j));
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          const T da = k[gate], du = k[gate + 1 < Cell::gates ? gate : Cell::hidden_slot];
          for (int i = 0; i < op.in.width; ++i) {
            din[i] += w_ih[row * op.in.width + i] * da;
            dw_ih[row * op.in.width + i] += in[i] * da;
          }
          for (int i = 0; i < hidden(); ++i) {
            dbefore[static_cast<std::size_t>(i)] += w_hh[row * hidden() + i] * du;
            dw_hh[row * hidden() + i] += before(step, i) * du;
          }
          if (db_ih) db_ih[row] += da;
          if (db_hh) db_hh[row] += du;
        }
      }
      dh = dbefore;
    }
    for (std::size_t j = 0; j < dh.size(); ++j) {
      if (dh_0) dh_0[j] += dh[j];
      if (dc_0) dc_0[j] += dc[j];
    }
  }
};

/// A direction with its parameters: `find(arena, number)` gives those of a number.
template <class Cell, class T, class Find>
Recurrence<Cell, T> recurrence(const Op& op, int direction, const T* parameters, Find find) {
  const int first = op.weight + direction * op.parameters_of_direction();
  const auto bias = [&](int which) { return op.with_bias ? find(parameters, first + which) : nullptr; };
  const auto state = [&](int which) {
    return which < op.learned ? find(parameters, first + op.first_state() + which) : nullptr;
  };
  return {op, direction, find(parameters, first), find(parameters, first + 1), bias(2), bias(3), state(0), state(1)};
}

template <class Cell, class T, class Find>
void recurrence_forward(const Op& op, const T* parameters, Find find, const T* x, T* y) {
  for (int direction = 0; direction < op.directions; ++direction)
    recurrence<Cell>(op, direction, parameters, find).forward(x, y);
}
template <class Cell, class T, class Find>
void recurrence_backward(const Op& op, const T* parameters, Find find, const T* x, const T* dy, T* dx, T* gradient) {
  for (int direction = 0; direction < op.directions; ++direction) {
    auto one = recurrence<Cell>(op, direction, parameters, find);
    std::vector<T> y(static_cast<std::size_t>(op.out.size()));
    one.forward(x, y.data());
    const int first = op.weight + direction * op.parameters_of_direction();
    const auto bias = [&](int which) { return op.with_bias ? find(gradient, first + which) : nullptr; };
    const auto state = [&](int which) {
      return which < op.learned ? find(gradient, first + op.first_state() + which) : nullptr;
    };
    one.backward(x, dy, dx, find(gradient, first), find(gradient, first + 1), bias(2), bias(3), state(0), state(1));
  }
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
