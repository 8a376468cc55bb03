// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>

#include "sinter/kernels/carried_numbers.hpp"
#include "sinter/kernels/host/products/recurrence.hpp"
#include "sinter/kernels/host/stages/stage_kernel.hpp"
#include "sinter/kernels/host/tile/ride.hpp"
#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// Runs a stage that begins with a recurrence on a tile, one direction after another. For backward, training keeps the
/// numbers of each direction listed in RecurrenceKept; inference needs less memory.
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
  static constexpr bool final_state = op.out.rank == 1, ragged = op.lengths > 0;
  static constexpr bool starts = op.learned > 0 || op.given > 0;  // with numbers of the layer
  static constexpr std::ptrdiff_t carried = CarriedNumbers<typename P::Ops>::at(first) * std::ptrdiff_t{L};

  const Tile& tile;

  /// The steps of a direction in a value whose rows have this many numbers.
  template <class Number>
  SINTER_INLINE static Steps<Number> in_order(Number* rows, int direction, int row) {
    const std::ptrdiff_t apart = std::ptrdiff_t{row} * L;
    return direction == 0 ? Steps<Number>{rows, apart} : Steps<Number>{rows + (steps - 1) * apart, -apart};
  }
  SINTER_INLINE static int parameter(int direction, int which) {
    return op.weight + direction * op.parameters_of_direction() + which;
  }
  SINTER_INLINE RecurrenceWeights<T> weights(int direction) const {
    const auto bias = [&](int which) { return op.with_bias ? tile.parameter(parameter(direction, which)) : nullptr; };
    const T* const w_hr = op.projected > 0 ? tile.parameter(parameter(direction, op.projection())) : nullptr;
    return {tile.parameter(parameter(direction, 0)), tile.parameter(parameter(direction, 1)), bias(2), bias(3), w_hr};
  }
  /// Number i of an input after the first.
  template <int K>
  SINTER_INLINE V beside(int i) const {
    return tile.load(value_at<Tile, op.inputs[K]>(Position::of(i, op.seen(K)), op.seen(K)));
  }
  /// The state before the first step: of each sample, or the same for all.
  SINTER_INLINE RecurrenceState<T> first_state(int direction) const {
    constexpr bool with_c = Cell::state >= 0;
    if (const T* const before = tile.states_before)
      return {before + carried, with_c ? before + carried + sizes.h * L : nullptr};
    if constexpr (!starts) return {};
    T* const h = scratch(at.state);
    const auto copy = [&](bool is_c, int count, T* to) {
      for (int j = 0; j < count; ++j) {
        if constexpr (op.given > 0)
          beside<op.given>(op.given_state(is_c, direction) + j).store(to + j * L);
        else
          V(tile.parameter(parameter(direction, op.first_state() + (is_c ? 1 : 0)))[j]).store(to + j * L);
      }
    };
    copy(false, sizes.h, h);
    if constexpr (with_c) copy(true, op.hidden, h + sizes.h * L);
    return {h, with_c ? h + sizes.h * L : nullptr};
  }
  SINTER_INLINE RecurrenceLengths<T> lengths(int direction) const {
    if constexpr (ragged)
      return {tile.at(value_at<Tile, op.inputs[op.lengths]>(Position{0, 0, 0}, op.seen(op.lengths))), direction > 0};
    else
      return {};
  }
  /// How many steps the samples have: 0 if the length is invalid.
  SINTER_INLINE V sample_steps() const {
    V have(static_cast<T>(steps));
    if constexpr (ragged)
      for (int lane = 0; lane < L; ++lane)
        have.set(lane, static_cast<T>(steps_of_row(lengths(0).of_rows[lane], steps)));
    return have;
  }
  /// An output of a step of the sequence: 0 after the end of a sample.
  SINTER_INLINE static V output(V have, int time, V h) {
    if constexpr (ragged) {
      if (!final_state) h = select(V(static_cast<T>(time)) < have, h, V(0));
      h = select(have == V(0), V(std::numeric_limits<T>::quiet_NaN()), h);
    }
    return h;
  }
  SINTER_INLINE T* kept(int direction) const { return tile.at(Tile::saved(first).begin() + direction * places.size); }
  SINTER_INLINE T* kept(int direction, int place) const { return kept(direction) + std::ptrdiff_t{place} * L; }
  SINTER_INLINE T* scratch(int packs) const { return tile.scratch() + std::ptrdiff_t{packs} * L; }

  /// The gradient of a first state, and none of a length.
  template <int K>
  SINTER_INLINE void give_beside() const {
    if constexpr (K > 0)
      for (int i = 0; i < op.seen(K).size(); ++i)
        give_gradient<Tile, first, K>(tile, Position::of(i, op.seen(K)),
                                      K == op.given ? V::load(scratch(at.dstate + i)) : V(0));
  }

  /// Passes the state after the last step to the next batch.
  SINTER_INLINE void carry(const T* h, [[maybe_unused]] const T* kept_last) const {
    T* const after = tile.states_after;
    if (!after) return;
    std::copy_n(h, sizes.h * L, after + carried);
    if constexpr (Cell::state >= 0)
      std::copy_n(kept_last + Cell::state * op.hidden * L, op.hidden * L, after + carried + sizes.h * L);
  }

  void forward() const {
    const T* const x = flat_input<Tile, S>(tile);
    const V have = sample_steps();
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
      const int h_step = Tile::training || !final_state || ragged ? sizes.h * L : 0;
      constexpr int together = Tile::training ? steps : at.together;
      recurrence_forward<Cell, ragged, Isa, V>(sizes, weights(direction), first_state(direction), lengths(direction),
                                               in_order(x, direction, sizes.inputs),
                                               RecurrenceOutputs<T>{.together = together,
                                                                    .kept = k,
                                                                    .h = {h, h_step},
                                                                    .m = {m, Tile::training ? op.hidden * L : 0},
                                                                    .u = scratch(at.u)});
      carry(h + std::ptrdiff_t{steps - 1} * h_step,
            k + std::ptrdiff_t{(steps - 1) % together} * Cell::kept * op.hidden * L);
      for (int s = final_state ? steps - 1 : 0; s < steps; ++s)
        for (int j = 0; j < sizes.h; ++j) {
          const int unit = direction * sizes.h + j, time = direction == 0 ? s : steps - 1 - s;
          V one[1] = {output(have, time, V::load(h + std::ptrdiff_t{s} * h_step + j * L))};
          ride<Tile, S, first + 1>(tile, final_state ? Position{unit, 0, 0} : Position{time, 0, unit}, one);
        }
    }
  }

  void backward() const {
    const T* const x = flat_input<Tile, S>(tile);
    const T* const dy = tile.at(Tile::gradient_of(S).begin());
    [[maybe_unused]] T* const dx = scratch(at.dx);
    constexpr bool wants_steps_gradient = op.inputs[0] != 0 || Tile::input_gradient;
    if constexpr (op.given > 0) std::fill_n(scratch(at.dstate), op.channels[op.given] * L, T(0));  // of other layers
    for (int direction = 0; direction < op.directions; ++direction) {
      const auto gradient = [&](int which) { return tile.parameter_gradient(parameter(direction, which)); };
      const RecurrenceWeights<T> w = weights(direction);
      T* const k = kept(direction);
      const T* const h = kept(direction, places.h);
      const T* const of_direction = dy + direction * sizes.h * L;
      const RecurrenceState<T> before = first_state(direction);
      T *const dh = scratch(at.dh), *const dc = scratch(at.dc), *const d = kept(direction, places.dh);
      recurrence_backward<Cell, ragged, Isa, V>(
          sizes, w, before, lengths(direction),
          final_state ? Steps<const T>{of_direction, 0} : in_order(of_direction, direction, width),
          RecurrenceGradients<T>{.kept = k, .h = h, .dh = dh, .dc = dc, .d = d, .dm = scratch(at.dm)});
      constexpr int d_step = Cell::kept * op.hidden * L, h_step = sizes.h * L, rows = Cell::gates * op.hidden;
      const auto add = [&](Steps<const T> of, int count, Steps<const T> from, int columns, int number, T* dw, T* db) {
        gradient_of_steps<Isa, at.packs_of_panel, V>(of, count, from, columns, number, dw, db, scratch(at.transposed));
      };
      add({k, d_step}, rows, in_order(x, direction, sizes.inputs), sizes.inputs, steps, gradient(0),
          op.with_bias ? gradient(2) : nullptr);
      // The gradient of W_hh, from the state before each step; the rows of a last gate with its own place follow
      // separately.
      constexpr int own = Cell::hidden_slot < Cell::gates ? rows : rows - op.hidden;
      const auto of_hidden = [&](const T* of, int row, int count) {
        T* const dw = gradient(1) + row * sizes.h;
        add({of + d_step, d_step}, count, {h, h_step}, sizes.h, steps - 1, dw, nullptr);
        if (before.h) add({of, d_step}, count, {before.h, 0}, sizes.h, 1, dw, nullptr);
        if (op.with_bias) add({of, d_step}, count, {h, 0}, 0, steps, nullptr, gradient(3) + row);
      };
      of_hidden(k, 0, own);
      if constexpr (own < rows) of_hidden(k + Cell::hidden_slot * op.hidden * L, own, rows - own);
      if constexpr (op.projected > 0)
        add({d, h_step}, sizes.h, {kept(direction, places.m), op.hidden * L}, op.hidden, steps,
            gradient(op.projection()), nullptr);
      const auto of_state = [&](bool is_c, int count, const T* of) {
        for (int j = 0; j < count; ++j) {
          if constexpr (op.given > 0)
            V::load(of + j * L).store(scratch(at.dstate + op.given_state(is_c, direction) + j));
          else
            gradient(op.first_state() + (is_c ? 1 : 0))[j] += sum(V::load(of + j * L));
        }
      };
      if constexpr (starts)
        if (!tile.states_before) {
          of_state(false, sizes.h, dh);
          if constexpr (Cell::state >= 0) of_state(true, op.hidden, dc);
        }
      if constexpr (wants_steps_gradient)
        product_of_steps<Isa, V>(MatrixRows<T>{w.w_ih, 1, sizes.inputs, nullptr}, sizes.inputs, steps,
                                 Steps<const T>{k, d_step}, rows, direction > 0, in_order(dx, direction, sizes.inputs));
    }
    give_beside<op.lengths>();
    give_beside<op.given>();
    if constexpr (wants_steps_gradient)
      for (int i = 0; i < op.in.size(); ++i) give_input_gradient<Tile, S>(tile, i, V::load(dx + i * L));
  }
};

template <>
struct StageKernel<Source::recurrence> {
  template <class Tile, int S>
  SINTER_INLINE static void forward(const Tile& tile) {
    RecurrenceStage<Tile, S>{tile}.forward();
  }
  template <class Tile, int S>
  SINTER_INLINE static void input_gradient(const Tile& tile) {
    RecurrenceStage<Tile, S>{tile}.backward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
