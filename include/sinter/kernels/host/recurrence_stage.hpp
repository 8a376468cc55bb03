// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>

#include "sinter/kernels/host/recurrence.hpp"
#include "sinter/kernels/host/ride.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A stage that begins with a recurrence at work on a tile: one direction after another. Training keeps of each
/// what RecurrenceKept says for backward; inference works in less.
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
  static constexpr RecurrenceSizes sizes{op.in.channels, op.in.width, op.hidden, op.h_size()};
  static constexpr RecurrenceKept places{op};
  static constexpr int steps = sizes.steps, width = op.directions * sizes.h;
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
    const T* const w_hr = op.projected > 0 ? tile.parameter(parameter(direction, op.projection())) : nullptr;
    return {tile.parameter(parameter(direction, 0)), tile.parameter(parameter(direction, 1)), bias(2), bias(3), w_hr};
  }
  /// The state before the first step, the same for all samples.
  SINTER_INLINE RecurrenceState<T> first_state(int direction) const {
    if constexpr (op.learned == 0) return {};
    T* const h = scratch(at.state);
    const auto same = [&](int which, int count, T* to) {
      const T* const from = tile.parameter(parameter(direction, op.first_state() + which));
      for (int j = 0; j < count; ++j) V(from[j]).store(to + j * L);
    };
    same(0, sizes.h, h);
    if constexpr (op.learned > 1) same(1, op.hidden, h + sizes.h * L);
    return {h, op.learned > 1 ? h + sizes.h * L : nullptr};
  }
  SINTER_INLINE T* kept(int direction) const { return tile.at(Tile::saved(first).begin() + direction * places.size); }
  SINTER_INLINE T* kept(int direction, int place) const { return kept(direction) + std::ptrdiff_t{place} * L; }
  SINTER_INLINE T* scratch(int packs) const { return tile.scratch() + std::ptrdiff_t{packs} * L; }

  void forward() const {
    const T* const x = flat_input<Tile, S>(tile);
    for (int direction = 0; direction < op.directions; ++direction) {
      T *k, *h, *m;
      if constexpr (Tile::training) {
        k = kept(direction);
        h = kept(direction, places.h);
        m = kept(direction, places.m);
      } else {
        k = scratch(at.kept);
        h = scratch(at.h);
        m = scratch(at.m);
      }
      const int h_step = Tile::training || !final_state ? sizes.h * L : 0;
      recurrence_forward<Cell, Isa, V>(sizes, weights(direction), first_state(direction),
                                       begin(x, direction, sizes.inputs), step(direction, sizes.inputs),
                                       Tile::training ? steps : at.together, k, h, h_step, m,
                                       Tile::training ? op.hidden * L : 0, scratch(at.u));
      for (int s = final_state ? steps - 1 : 0; s < steps; ++s)
        for (int j = 0; j < sizes.h; ++j) {
          V one[1] = {V::load(h + std::ptrdiff_t{s} * h_step + j * L)};
          const int unit = direction * sizes.h + j;
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
      const T* const h = kept(direction, places.h);
      const T* const of_direction = dy + direction * sizes.h * L;
      const RecurrenceState<T> before = first_state(direction);
      T *const dh = scratch(at.dh), *const dc = scratch(at.dc), *const d = kept(direction, places.dh);
      recurrence_backward<Cell, Isa, V>(sizes, w, before, k, h,
                                        final_state ? of_direction : begin(of_direction, direction, width),
                                        final_state ? 0 : step(direction, width), dh, dc, d, scratch(at.dm));
      constexpr int d_step = Cell::kept * op.hidden * L, h_step = sizes.h * L, rows = Cell::gates * op.hidden;
      const auto add = [&](const T* of, std::ptrdiff_t of_step, int count, const T* from, std::ptrdiff_t from_step,
                           int columns, int number, T* dw, T* db) {
        gradient_of_steps<Isa, at.packs_of_panel, V>(of, of_step, count, from, from_step, columns, number, dw, db,
                                                     scratch(at.transposed));
      };
      add(k, d_step, rows, begin(x, direction, sizes.inputs), step(direction, sizes.inputs), sizes.inputs, steps,
          gradient(0), op.with_bias ? gradient(2) : nullptr);
      // Of W_hh from what is before each step; the rows of a last gate with a place of its own come by themselves.
      constexpr int own = Cell::hidden_slot < Cell::gates ? rows : rows - op.hidden;
      const auto of_hidden = [&](const T* of, int row, int count) {
        T* const dw = gradient(1) + row * sizes.h;
        add(of + d_step, d_step, count, h, h_step, sizes.h, steps - 1, dw, nullptr);
        if constexpr (op.learned > 0) add(of, d_step, count, before.h, 0, sizes.h, 1, dw, nullptr);
        if (op.with_bias) add(of, d_step, count, h, 0, 0, steps, nullptr, gradient(3) + row);
      };
      of_hidden(k, 0, own);
      if constexpr (own < rows) of_hidden(k + Cell::hidden_slot * op.hidden * L, own, rows - own);
      if constexpr (op.projected > 0)
        add(d, h_step, sizes.h, kept(direction, places.m), op.hidden * L, op.hidden, steps, gradient(op.projection()),
            nullptr);
      const auto of_state = [&](int which, int count, const T* of) {
        for (int j = 0; j < count; ++j) gradient(op.first_state() + which)[j] += sum(V::load(of + j * L));
      };
      if constexpr (op.learned > 0) of_state(0, sizes.h, dh);
      if constexpr (op.learned > 1) of_state(1, op.hidden, dc);
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
