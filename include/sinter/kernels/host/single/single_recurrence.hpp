// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/plan/weight_rows.hpp"
#include "sinter/kernels/host/products/contract.hpp"
#include "sinter/kernels/host/single/single_plan.hpp"
#include "sinter/ops/recurrence.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// A weight [rows][columns] as [columns][padded rows], zeros after the last row: once for all steps.
template <class V, class Weight, class T>
void transpose_weight(Weight weight, int rows, int columns, int padded, T* to) {
  constexpr int L = V::lanes;
  for (int m = 0; m < padded; m += L) {
    int k = 0;
    for (; m + L <= rows && k + L <= columns; k += L)
      transposed_copy<V>([&](int i) SINTER_LAMBDA { return load_weights<V>(row_of(weight, m + i, columns), k); },
                         [&](int i, V column) SINTER_LAMBDA { column.store(to + std::ptrdiff_t{k + i} * padded + m); });
    for (; k < columns; ++k)
      for (int i = 0; i < L; ++i)
        to[std::ptrdiff_t{k} * padded + m + i] = m + i < rows ? row_of(weight, m + i, columns)[k] : T(0);
  }
}

/// y[m] += sum over k of w[k][m] x[k], in the order of k, for M packs of y.
template <int M, class V, class T>
SINTER_INLINE void add_columns(const T* w, std::ptrdiff_t padded, const T* x, int terms, T* y) {
  V sum[M][1];
  unroll<M>([&](int m) SINTER_LAMBDA { sum[m][0] = V::load(y + m * V::lanes); });
  contract(
      sum,
      [&](auto&& f) SINTER_LAMBDA {
        for (int k = 0; k < terms; ++k) f(k);
      },
      [&](int m, int k) SINTER_LAMBDA { return V::load(w + k * padded + m * V::lanes); },
      [&](int, int k) SINTER_LAMBDA { return V(x[k]); });
  unroll<M>([&](int m) SINTER_LAMBDA { sum[m][0].store(y + m * V::lanes); });
}
/// y = start + that, for the first `rows` of y, which is padded as w is; start may be null.
template <class Isa, class V, class T>
SINTER_SHARED void product_of_columns(const T* w, int rows, int padded, const T* start, const T* x, int terms, T* y) {
  if (start)
    std::copy_n(start, rows, y);
  else
    std::fill_n(y, rows, T(0));
  int m = 0;
  const auto packs = [&](auto count) SINTER_LAMBDA {
    constexpr int M = decltype(count)::value, block = M * V::lanes;
    for (; m + block <= padded; m += block) add_columns<M, V>(w + m, padded, x, terms, y + m);
  };
  packs(std::integral_constant<int, 8>{});  // for the latency of fma, and of the rest as many as there are
  packs(std::integral_constant<int, 4>{});
  packs(std::integral_constant<int, 3>{});
  packs(std::integral_constant<int, 2>{});
  packs(std::integral_constant<int, 1>{});
}

/// W_ih x and W_hh h of a step, the state c, and m [hidden], which h is projected from, if it is.
template <class T>
struct SingleStep {
  T *a, *u, *c, *m;
};

/// All steps of a direction with weights that are transposed already, to `padded` rows, and w_hr to `padded_h`: h of
/// each step, 0 apart if the last one alone is wanted. Vectors may be stored beyond the last unit. A sequence that
/// `continues` has the h and the state before the first step where those of the first step will be.
template <class Cell, class Isa, class V, class T>
SINTER_SHARED void single_steps(RecurrenceSizes n, const RecurrenceWeights<T>& w, int padded, int padded_h,
                                Steps<const T> x, SingleStep<T> memory, Steps<T> h, bool continues) {
  constexpr int L = V::lanes, G = Cell::gates;
  const T* before = h.first;
  for (int step = 0; step < n.steps; ++step) {
    const bool has_before = step > 0 || continues;
    product_of_columns<Isa, V>(w.w_ih, G * n.hidden, padded, w.b_ih, x[step], n.inputs, memory.a);
    product_of_columns<Isa, V>(w.w_hh, G * n.hidden, padded, w.b_hh, before, has_before ? n.h : 0, memory.u);
    T* const y = h[step];
    T* const of_cells = w.w_hr ? memory.m : y;
    for (int j = 0; j < n.hidden; j += L) {
      V k[Cell::kept], of_h[G];
      unroll<Cell::kept>([&](int i) SINTER_LAMBDA { k[i] = i < G ? V::load(memory.a + i * n.hidden + j) : V(0); });
      unroll<G>([&](int i) SINTER_LAMBDA { of_h[i] = V::load(memory.u + i * n.hidden + j); });
      const V state = Cell::state >= 0 && has_before ? V::load(memory.c + j) : V(0);
      Cell::forward(k, of_h, has_before && !w.w_hr ? V::load(before + j) : V(0), state).store(of_cells + j);
      if constexpr (Cell::state >= 0) k[Cell::state].store(memory.c + j);
    }
    if (w.w_hr)
      product_of_columns<Isa, V>(w.w_hr, n.h, padded_h, static_cast<const T*>(nullptr), memory.m, n.hidden, y);
    before = y;
  }
}

/// A recurrence with the hidden units in the lanes, one direction after another.
template <class P, int S, class One>
struct SingleRecurrenceStage {
  using T = typename P::Scalar;
  using V = typename P::V;
  static constexpr Op op = P::source(S);
  using Cell = typename P::Ops::template OpType<P::stage(S).first>::Cell;
  static constexpr SingleRecurrence at{op, P::lanes};
  static constexpr int steps = op.in.channels, inputs = op.in.width, hidden = op.hidden, h_size = op.h_size();
  static constexpr bool final_state = op.out.rank == 1;

  const One& single;

  void forward() const {
    forward_of<0>();
    if constexpr (op.directions > 1) forward_of<1>();
  }

 private:
  /// Number i of an input after the first.
  template <int K>
  const T* beside(int i) const {
    return single.template at<op.inputs[K]>(Position::of(i, op.seen(K)), op.seen(K));
  }
  template <int Direction>
  void forward_of() const {
    constexpr int first = op.weight + Direction * op.parameters_of_direction(), h_step = final_state ? 0 : h_size;
    T* const memory = single.memory + SinglePlan<P>::scratch;
    const T* const x = single.at(One::input(S).begin());
    T* const h = memory + at.h;
    transpose_weight<V>(single.template parameter<first>(), at.rows, inputs, at.padded, memory + at.w_ih);
    transpose_weight<V>(single.template parameter<first + 1>(), at.rows, h_size, at.padded, memory + at.w_hh);
    RecurrenceWeights<T> w{memory + at.w_ih, memory + at.w_hh, nullptr, nullptr, nullptr};
    if constexpr (op.projected > 0) {
      transpose_weight<V>(single.template parameter<first + op.projection()>(), h_size, hidden, at.padded_h,
                          memory + at.w_hr);
      w.w_hr = memory + at.w_hr;
    }
    if constexpr (op.with_bias) {
      w.b_ih = single.template parameter<first + 2>();
      w.b_hh = single.template parameter<first + 3>();
    }
    const auto start = [&](auto which, T* to) SINTER_LAMBDA {
      constexpr int state = decltype(which)::value, size = state == 0 ? h_size : hidden;
      if constexpr (op.given > 0)
        for (int j = 0; j < size; ++j) to[j] = *beside<op.given>(op.given_state(state == 1, Direction) + j);
      else if constexpr (state < op.learned)
        std::copy_n(single.template parameter<first + op.first_state() + state>(), size, to);
    };
    start(std::integral_constant<int, 0>{}, h);
    if constexpr (Cell::state >= 0) start(std::integral_constant<int, 1>{}, memory + at.c);
    int valid_steps = steps;
    if constexpr (op.lengths > 0) valid_steps = steps_of_row(*beside<op.lengths>(0), steps);
    single_steps<Cell, typename P::ISA, V>(
        {valid_steps, inputs, hidden, h_size}, w, at.padded, at.padded_h,
        Direction == 0 ? Steps<const T>{x, inputs} : Steps<const T>{x + (valid_steps - 1) * inputs, -inputs},
        SingleStep<T>{.a = memory + at.a, .u = memory + at.u, .c = memory + at.c, .m = memory + at.m},
        Steps<T>{h, h_step}, op.learned > 0 || op.given > 0);
    for (int step = final_state ? steps - 1 : 0; step < steps; ++step) {
      const T* const of_step = h + (final_state ? 0 : step * h_step);
      const auto finish = [&](int j, int count) SINTER_LAMBDA {
        const int unit = Direction * h_size + j;
        const int time = Direction == 0 || step >= valid_steps ? step : valid_steps - 1 - step;
        V v = final_state || step < valid_steps ? V::load(of_step + j) : V(0);
        if (valid_steps == 0) v = V(std::numeric_limits<T>::quiet_NaN());
        single.template finish<S>(final_state ? Position{unit, 0, 0} : Position{time, 0, unit}, v, count);
      };
      constexpr int rest = h_size % P::lanes;
      for (int j = 0; j < h_size - rest; j += P::lanes) finish(j, P::lanes);
      if constexpr (rest > 0) finish(h_size - rest, rest);
    }
  }
};

template <>
struct SingleKernel<Source::recurrence> {
  template <class P, int S, class One>
  SINTER_INLINE static void forward(const One& single) {
    SingleRecurrenceStage<P, S, One>{single}.forward();
  }
};

}  // namespace host_kernels

SINTER_NAMESPACE_END
