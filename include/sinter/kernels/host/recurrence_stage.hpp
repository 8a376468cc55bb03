// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/kernels/host/recurrence.hpp"
#include "sinter/kernels/host/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A stage that begins with a recurrence at work on a tile: one direction after another. Training keeps of each
/// [steps][Cell::kept][hidden] and [steps][hidden] for backward; inference works in less.
template <class Tile, int S>
struct RecurrenceStage {
  using P = typename Tile::Plan;
  using T = typename Tile::T;
  using V = typename Tile::V;
  using Isa = typename P::ISA;
  static constexpr int first = P::stage(S).first, L = P::lanes;
  static constexpr Op op = P::op(first);
  using Cell = typename P::Ops::template OpType<first>::Cell;
  static constexpr RecurrenceScratch<P> at{S};
  static constexpr RecurrenceSizes sizes{op.in.channels, op.in.width, op.hidden};
  static constexpr int steps = sizes.steps, width = op.directions * op.hidden;
  static constexpr bool final_state = op.out.rank == 1;

  const Tile& tile;

  /// The numbers of a value that the first step of a direction reads, and from there to the next step, where a row has
  /// so many.
  template <class Number>
  SINTER_INLINE static Number* begin(Number* rows, int direction, int row) {
    return direction == 0 ? rows : rows + std::ptrdiff_t{steps - 1} * row * L;
  }
  SINTER_INLINE static std::ptrdiff_t step(int direction, int row) {
    return std::ptrdiff_t{direction == 0 ? row : -row} * L;
  }
  SINTER_INLINE static int parameter(int direction, int which) {
    return op.weight + direction * op.parameters_of_direction() + which;
  }
  SINTER_INLINE RecurrenceWeights<T> weights(int direction) const {
    const auto bias = [&](int which) { return op.with_bias ? tile.parameter(parameter(direction, which)) : nullptr; };
    return {tile.parameter(parameter(direction, 0)), tile.parameter(parameter(direction, 1)), bias(2), bias(3)};
  }
  /// The state before the first step, the same for all samples.
  SINTER_INLINE RecurrenceState<T> first_state(int direction) const {
    if constexpr (op.learned == 0) return {};
    T* const h = scratch(at.state);
    for (int which = 0; which < op.learned; ++which)
      for (int j = 0; j < op.hidden; ++j)
        V(tile.parameter(parameter(direction, op.first_state() + which))[j]).store(h + (which * op.hidden + j) * L);
    return {h, op.learned > 1 ? h + op.hidden * L : nullptr};
  }
  SINTER_INLINE T* kept(int direction) const {
    return tile.at(Tile::saved(first).begin() + direction * kept_of_direction(op));
  }
  SINTER_INLINE T* kept_h(int direction) const { return kept(direction) + steps * Cell::kept * op.hidden * L; }
  SINTER_INLINE T* scratch(int packs) const { return tile.scratch() + std::ptrdiff_t{packs} * L; }

  void forward() const {
    const T* const x = flat_input<Tile, S>(tile);
    for (int direction = 0; direction < op.directions; ++direction) {
      T *k, *h;
      if constexpr (Tile::training) {
        k = kept(direction);
        h = kept_h(direction);
      } else {
        k = scratch(at.kept);
        h = scratch(at.h);
      }
      const int h_step = Tile::training || !final_state ? op.hidden * L : 0;
      recurrence_forward<Cell, Isa, V>(sizes, weights(direction), first_state(direction),
                                       begin(x, direction, sizes.inputs), step(direction, sizes.inputs),
                                       Tile::training ? steps : at.together, k, h, h_step, scratch(at.u));
      for (int s = final_state ? steps - 1 : 0; s < steps; ++s)
        for (int j = 0; j < op.hidden; ++j) {
          V one[1] = {V::load(h + std::ptrdiff_t{s} * h_step + j * L)};
          const int unit = direction * op.hidden + j;
          ride<Tile, S, first + 1>(
              tile, final_state ? Position{unit, 0, 0} : Position{direction == 0 ? s : steps - 1 - s, 0, unit}, one);
        }
    }
  }

  void backward() const {
    const T* const x = flat_input<Tile, S>(tile);
    const T* const dy = tile.at(Tile::gradient_of(S).begin());
    [[maybe_unused]] T* const dx = scratch(at.dx);
    for (int direction = 0; direction < op.directions; ++direction) {
      const auto gradient = [&](int which) { return tile.parameter_gradient(parameter(direction, which)); };
      const RecurrenceWeights<T> w = weights(direction);
      T* const k = kept(direction);
      const T* const h = kept_h(direction);
      const T* const of_direction = dy + direction * op.hidden * L;
      const RecurrenceState<T> before = first_state(direction);
      recurrence_backward<Cell, Isa, V>(sizes, w.w_hh, before, k, h,
                                        final_state ? of_direction : begin(of_direction, direction, width),
                                        final_state ? 0 : step(direction, width), scratch(at.dh), scratch(at.dc));
      constexpr int d_step = Cell::kept * op.hidden * L, rows = Cell::gates * op.hidden;
      const auto add = [&](const T* d, int count, const T* from, std::ptrdiff_t from_step, int columns, int number,
                           T* dw, T* db) {
        gradient_of_steps<Isa, at.packs_of_panel, V>(d, d_step, count, from, from_step, columns, number, dw, db,
                                                     scratch(at.transposed));
      };
      add(k, rows, begin(x, direction, sizes.inputs), step(direction, sizes.inputs), sizes.inputs, steps, gradient(0),
          op.with_bias ? gradient(2) : nullptr);
      for (int which = 0; which < op.learned; ++which)
        for (int j = 0; j < op.hidden; ++j)
          gradient(op.first_state() + which)[j] += sum(V::load(scratch(which == 0 ? at.dh : at.dc) + j * L));
      // Of W_hh from what is before each step; the rows of a last gate with a place of its own come by themselves.
      constexpr int own = Cell::hidden_slot < Cell::gates ? rows : rows - op.hidden;
      const auto of_hidden = [&](const T* d, int row, int count) {
        add(d + d_step, count, h, op.hidden * L, op.hidden, steps - 1, gradient(1) + row * op.hidden, nullptr);
        if constexpr (op.learned > 0) add(d, count, before.h, 0, op.hidden, 1, gradient(1) + row * op.hidden, nullptr);
        if (op.with_bias) add(d, count, h, 0, 0, steps, nullptr, gradient(3) + row);
      };
      of_hidden(k, 0, own);
      if constexpr (own < rows) of_hidden(k + Cell::hidden_slot * op.hidden * L, own, rows - own);
      if constexpr (wants_input_gradient<Tile, S>)
        product_of_steps<Isa, V>(MatrixRows<T>{w.w_ih, 1, sizes.inputs, nullptr}, sizes.inputs, steps, k, d_step, rows,
                                 direction > 0, begin(dx, direction, sizes.inputs), step(direction, sizes.inputs));
    }
    if constexpr (wants_input_gradient<Tile, S>)
      for (int i = 0; i < op.in.size(); ++i) give_input_gradient<Tile, S>(tile, i, V::load(dx + i * L));
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
