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
  const T* w_hr;                       // null: h is what the cells give
  const T *h_0, *c_0;                  // null: zeros
  std::vector<std::array<T, Cell::kept>> kept{};
  std::vector<T> m{}, h{};  // [step][unit] of the cells; [step][output]

  int hidden() const { return op.hidden; }
  int size() const { return op.h_size(); }
  int steps() const { return op.in.channels; }
  int time(int step) const { return direction == 0 ? step : steps() - 1 - step; }
  /// The outputs of a step in a row of the results; null if they are not among them.
  template <class Number>
  Number* outputs(Number* y, int step) const {
    const int row = op.out.rank == 2 ? time(step) : 0, width = op.directions * size();
    return op.out.rank == 2 || step + 1 == steps() ? y + row * width + direction * size() : nullptr;
  }
  std::size_t at(int step, int unit) const { return static_cast<std::size_t>(step * hidden() + unit); }
  std::size_t h_at(int step, int i) const { return static_cast<std::size_t>(step * size() + i); }
  T before(int step, int i) const { return i >= size() ? T(0) : step > 0 ? h[h_at(step - 1, i)] : h_0 ? h_0[i] : T(0); }
  T state_before(int step, int unit) const {
    if constexpr (Cell::state >= 0)
      if (step > 0) return kept[at(step - 1, unit)][Cell::state];
    return c_0 ? c_0[unit] : T(0);
  }

  void forward(const T* x, T* y) {
    kept.resize(at(steps(), 0));
    m.resize(kept.size());
    h.resize(h_at(steps(), 0));
    for (int step = 0; step < steps(); ++step) {
      const T* in = x + time(step) * op.in.width;
      for (int j = 0; j < hidden(); ++j) {
        T u[Cell::gates], k[Cell::kept]{};
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          k[gate] = b_ih ? b_ih[row] : T(0);
          u[gate] = b_hh ? b_hh[row] : T(0);
          for (int i = 0; i < op.in.width; ++i) k[gate] += w_ih[row * op.in.width + i] * in[i];
          for (int i = 0; i < size(); ++i) u[gate] += w_hh[row * size() + i] * before(step, i);
        }
        m[at(step, j)] = Cell::forward(k, u, before(step, j), state_before(step, j));
        for (int i = 0; i < Cell::kept; ++i) kept[at(step, j)][static_cast<std::size_t>(i)] = k[i];
      }
      for (int i = 0; i < size(); ++i) {
        T& now = h[h_at(step, i)] = w_hr ? T(0) : m[at(step, i)];
        for (int j = 0; w_hr && j < hidden(); ++j) now += w_hr[i * hidden() + j] * m[at(step, j)];
        if (T* to = outputs(y, step)) to[i] = now;
      }
    }
  }
  /// After forward. Adds to the gradients.
  void backward(const T* x, const T* dy, T* dx, T* dw_ih, T* dw_hh, T* db_ih, T* db_hh, T* dw_hr, T* dh_0, T* dc_0) {
    std::vector<T> dh(h_at(1, 0)), dc(at(1, 0));
    for (int step = steps() - 1; step >= 0; --step) {
      const T* in = x + time(step) * op.in.width;
      T* din = dx + time(step) * op.in.width;
      std::vector<T> dbefore(dh.size()), dm(dc.size());
      const T* given = outputs(dy, step);
      for (int i = 0; i < size(); ++i) {
        const T d = dh[h_at(0, i)] + (given ? given[i] : T(0));
        if (!w_hr) dm[at(0, i)] = d;
        for (int j = 0; w_hr && j < hidden(); ++j) {
          dm[at(0, j)] += w_hr[i * hidden() + j] * d;
          dw_hr[i * hidden() + j] += m[at(step, j)] * d;
        }
      }
      for (int j = 0; j < hidden(); ++j) {
        const std::size_t unit = static_cast<std::size_t>(j);
        T k[Cell::kept];
        for (int i = 0; i < Cell::kept; ++i) k[i] = kept[at(step, j)][static_cast<std::size_t>(i)];
        const T through = Cell::backward(k, dm[unit], dc[unit], before(step, j), state_before(step, j));
        if (!w_hr) dbefore[unit] += through;
        for (int gate = 0; gate < Cell::gates; ++gate) {
          const int row = gate * hidden() + j;
          const T da = k[gate], du = k[gate + 1 < Cell::gates ? gate : Cell::hidden_slot];
          for (int i = 0; i < op.in.width; ++i) {
            din[i] += w_ih[row * op.in.width + i] * da;
            dw_ih[row * op.in.width + i] += in[i] * da;
          }
          for (int i = 0; i < size(); ++i) {
            dbefore[static_cast<std::size_t>(i)] += w_hh[row * size() + i] * du;
            dw_hh[row * size() + i] += before(step, i) * du;
          }
          if (db_ih) db_ih[row] += da;
          if (db_hh) db_hh[row] += du;
        }
      }
      dh = dbefore;
    }
    for (std::size_t i = 0; dh_0 && i < dh.size(); ++i) dh_0[i] += dh[i];
    for (std::size_t j = 0; dc_0 && j < dc.size(); ++j) dc_0[j] += dc[j];
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
  const T* const w_hr = op.projected > 0 ? find(parameters, first + op.projection()) : nullptr;
  return {op,       direction, find(parameters, first), find(parameters, first + 1), bias(2), bias(3), w_hr,
          state(0), state(1)};
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
    one.backward(x, dy, dx, find(gradient, first), find(gradient, first + 1), bias(2), bias(3),
                 op.projected > 0 ? find(gradient, first + op.projection()) : nullptr, state(0), state(1));
  }
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
