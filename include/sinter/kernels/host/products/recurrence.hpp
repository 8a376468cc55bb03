// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstddef>
#include <type_traits>

#include "sinter/core/transpose.hpp"
#include "sinter/kernels/host/products/tile_product.hpp"
#include "sinter/ops/op.hpp"

SINTER_NAMESPACE_BEGIN

namespace host_kernels {

/// What training keeps of one direction of a recurrence, in packs: [steps][kept][hidden] and h, [steps][h]. Where h is
/// projected also what it is made of, [steps][hidden], and its gradients, [steps][h].
struct RecurrenceKept {
  int h, m, dh, size;
  constexpr explicit RecurrenceKept(const Op& op)
      : h(op.in.channels * op.kept * op.hidden),
        m(h + op.in.channels * op.h_size()),
        dh(m + (op.projected > 0 ? op.in.channels * op.hidden : 0)),
        size(dh + op.in.channels * op.projected) {}
};

struct RecurrenceSizes {
  int steps, inputs, hidden, h;
};
/// The numbers of each step of a sequence, `apart` from those of the next one, negative where the cell begins at the
/// end.
template <class T>
struct Steps {
  T* first;
  std::ptrdiff_t apart;
  SINTER_INLINE T* operator[](std::ptrdiff_t step) const { return first + step * apart; }
};
/// The weights of one direction. Biases may be null; w_hr is null if h is not projected.
template <class T>
struct RecurrenceWeights {
  const T *w_ih, *w_hh, *b_ih, *b_hh, *w_hr;
};

/// How many steps each row has, a pack of whole numbers.
template <class T>
struct RecurrenceLengths {
  const T* of_rows;
  bool reverse;  // the first step is the last one of the sequence
};

/// The state of one direction before its first step. Null means zeros.
template <class T>
struct RecurrenceState {
  const T *h = nullptr, *c = nullptr;
};

// The steps of a recurrence of a tile, in the order in which the cell takes them. Everything is packs of samples. Sizes
// are known at run time: one instance of a cell serves every layer, and compiling takes no longer for more steps.

/// y[m] = start[m] + sum over k of A[m][k] x[k], for `rows` rows of A, or y[m] += that sum where it `continues`.
template <class Isa, class V, class T>
SINTER_SHARED void product_of_rows(const MatrixRows<T>& a, int rows, const T* x, int terms, bool continues, T* y) {
  int m = 0;
  const auto blocks = [&](auto count) SINTER_LAMBDA {
    constexpr int M = decltype(count)::value;
    for (; m + M <= rows; m += M)
      product_of_tiles<Isa, M, 1, V>(
          MatrixRows<T>{a.from + m * a.row, a.row, a.column, a.start ? a.start + m : nullptr}, x, 0, terms, continues,
          y + std::ptrdiff_t{m} * V::lanes);
  };
  blocks(std::integral_constant<int, most_numbers<Isa>(1)>{});
  blocks(std::integral_constant<int, 4>{});
  blocks(std::integral_constant<int, 1>{});
}

/// The same for several steps, a few at a time, so that they share reads of A.
template <class Isa, class V, class T>
SINTER_SHARED void product_of_steps(const MatrixRows<T>& a, int rows, int steps, Steps<const T> x, int terms,
                                    bool continues, Steps<T> y) {
  constexpr int R = most_tiles<Isa>, most = most_numbers<Isa>(R), L = V::lanes;
  alignas(64) T sums[most * R * L];
  for (; steps >= R; steps -= R, x.first = x[R], y.first = y[R]) {
    int m = 0;
    const auto blocks = [&](auto count) SINTER_LAMBDA {
      constexpr int M = decltype(count)::value;
      for (; m + M <= rows; m += M) {
        const auto each = [&](auto&& copy) SINTER_LAMBDA {
          for (int r = 0; r < R; ++r) copy(sums + r * M * L, y[r] + std::ptrdiff_t{m} * L);
        };
        if (continues) each([](T* in, const T* out) SINTER_LAMBDA { std::copy_n(out, M * V::lanes, in); });
        product_of_tiles<Isa, M, R, V>(
            MatrixRows<T>{a.from + m * a.row, a.row, a.column, a.start ? a.start + m : nullptr}, x.first, x.apart,
            terms, continues, sums);
        each([](const T* in, T* out) SINTER_LAMBDA { std::copy_n(in, M * V::lanes, out); });
      }
    };
    blocks(std::integral_constant<int, most>{});
    blocks(std::integral_constant<int, 1>{});
  }
  for (; steps > 0; --steps, x.first = x[1], y.first = y[1])
    product_of_rows<Isa, V>(a, rows, x.first, terms, continues, y.first);
}

/// The rows that have a step, of those in the order in which the cell takes them.
template <class V, class T>
SINTER_INLINE typename V::Mask have_step(const RecurrenceLengths<T>& lengths, int steps, int step) {
  return V(static_cast<T>(lengths.reverse ? steps - 1 - step : step)) < V::load(lengths.of_rows);
}
/// to[j] = from[j] in rows that do not have the step; null are zeros.
template <class V, class T>
SINTER_INLINE void keep_others(typename V::Mask have, const T* from, std::ptrdiff_t count, T* to) {
  for (std::ptrdiff_t j = 0; j < count; j += V::lanes)
    fn::select(have, V::load(to + j), from ? V::load(from + j) : V(0)).store(to + j);
}

/// What the steps forward write.
template <class T>
struct RecurrenceOutputs {
  int together;
  T* kept;     // [Cell::kept][hidden] of `together` steps in turn
  Steps<T> h;  // [h]; 0 apart if the last one alone is wanted
  Steps<T> m;  // [hidden], where h is projected from it
  T* u;        // [gates hidden], working memory
};

/// All steps forward from the state `first`. Rows that do not have a step, if `Ragged`, keep the state before it; the h
/// of all steps are then apart.
template <class Cell, bool Ragged, class Isa, class V, class T>
SINTER_SHARED void recurrence_forward(RecurrenceSizes n, RecurrenceWeights<T> w, RecurrenceState<T> first,
                                      [[maybe_unused]] RecurrenceLengths<T> lengths, Steps<const T> x,
                                      RecurrenceOutputs<T> to) {
  constexpr int L = V::lanes, G = Cell::gates;
  const std::ptrdiff_t width = std::ptrdiff_t{n.hidden} * L;
  const Steps<T> kept{to.kept, Cell::kept * width};
  T* const u = to.u;
  const T *before = first.h, *state = first.c;
  for (int step = 0; step < n.steps; ++step) {
    if (step % to.together == 0)  // W_ih x of steps that need not wait for one another
      product_of_steps<Isa, V>(MatrixRows<T>{w.w_ih, n.inputs, 1, w.b_ih}, G * n.hidden,
                               std::min(to.together, n.steps - step), {x[step], x.apart}, n.inputs, false, kept);
    product_of_rows<Isa, V>(MatrixRows<T>{w.w_hh, n.h, 1, w.b_hh}, G * n.hidden, before, before ? n.h : 0, false, u);
    T* const now = kept[step % to.together];
    T* const y = to.h[step];
    T* const of_cells = w.w_hr ? to.m[step] : y;
    for (std::ptrdiff_t j = 0; j < width; j += L) {
      V k[Cell::kept], of_h[G];
      unroll<Cell::kept>([&](int i) SINTER_LAMBDA { k[i] = i < G ? V::load(now + i * width + j) : V(0); });
      unroll<G>([&](int i) SINTER_LAMBDA { of_h[i] = V::load(u + i * width + j); });
      const V c = state ? V::load(state + j) : V(0);
      Cell::forward(k, of_h, before && !w.w_hr ? V::load(before + j) : V(0), c).store(of_cells + j);
      unroll<Cell::kept>([&](int i) SINTER_LAMBDA { k[i].store(now + i * width + j); });
    }
    if (w.w_hr) product_of_rows<Isa, V>(MatrixRows<T>{w.w_hr, n.hidden, 1, nullptr}, n.h, of_cells, n.hidden, false, y);
    if constexpr (Ragged) {
      const auto have = have_step<V>(lengths, n.steps, step);
      keep_others<V>(have, before, std::ptrdiff_t{n.h} * L, y);
      if constexpr (Cell::state >= 0) keep_others<V>(have, state, width, now + Cell::state * width);
    }
    before = y;
    if constexpr (Cell::state >= 0) state = now + Cell::state * width;
  }
}

/// What the steps backward read and write: k of all steps becomes the gradients of the two products, see ops/cell.hpp;
/// dh [h] and dc [hidden] become the gradients of the state before the first step, unless that is zeros. Where h is
/// projected, its gradients go to d [steps][h]; dm [hidden] is working memory.
template <class T>
struct RecurrenceGradients {
  T* kept;
  const T* h;
  T *dh, *dc, *d, *dm;
};

/// All steps backward. dy [h] of the steps is 0 apart if the last one alone has one. Rows that do not have a step pass
/// the gradients of the state on, and get none of their own.
template <class Cell, bool Ragged, class Isa, class V, class T>
SINTER_SHARED void recurrence_backward(RecurrenceSizes n, RecurrenceWeights<T> w, RecurrenceState<T> first,
                                       [[maybe_unused]] RecurrenceLengths<T> lengths, Steps<const T> dy,
                                       RecurrenceGradients<T> to) {
  constexpr int L = V::lanes, K = Cell::kept;
  const std::ptrdiff_t width = std::ptrdiff_t{n.hidden} * L, h_width = std::ptrdiff_t{n.h} * L, kept_step = K * width;
  std::fill_n(to.dh, h_width, T(0));
  std::fill_n(to.dc, width, T(0));
  for (int step = n.steps - 1; step >= 0; --step) {
    const auto where_valid = [&](V v, V otherwise) SINTER_LAMBDA {
      if constexpr (Ragged)
        return fn::select(have_step<V>(lengths, n.steps, step), v, otherwise);
      else
        return v;
    };
    T* const now = to.kept + step * kept_step;
    const T* const dy_now = dy[step];
    const T* const before = step > 0 ? to.h + (step - 1) * h_width : first.h;
    const T* const state_before = step > 0 ? now - kept_step + std::max(Cell::state, 0) * width : first.c;
    const auto of_h = [&](std::ptrdiff_t j) SINTER_LAMBDA {
      const V g = V::load(to.dh + j);
      if (dy.apart == 0 && step < n.steps - 1) return g;
      const V given = V::load(dy_now + j);
      return fn::add(g, dy.apart != 0 ? where_valid(given, V(0)) : given);
    };
    if (w.w_hr) {
      T* const projected = to.d + step * h_width;
      for (std::ptrdiff_t j = 0; j < h_width; j += L) {
        const V g = of_h(j);
        where_valid(V(0), g).store(to.dh + j);
        where_valid(g, V(0)).store(projected + j);
      }
      product_of_rows<Isa, V>(MatrixRows<T>{w.w_hr, 1, n.hidden, nullptr}, n.hidden, projected, n.h, false, to.dm);
    }
    for (std::ptrdiff_t j = 0; j < width; j += L) {
      V k[K], state = V::load(to.dc + j);
      unroll<K>([&](int i) SINTER_LAMBDA { k[i] = V::load(now + i * width + j); });
      const V c = Cell::state >= 0 && state_before ? V::load(state_before + j) : V(0);
      const V before_j = before && !w.w_hr ? V::load(before + j) : V(0);
      const V g = w.w_hr ? V::load(to.dm + j) : of_h(j), through = Cell::backward(k, g, state, before_j, c);
      if (!w.w_hr) where_valid(through, g).store(to.dh + j);
      where_valid(state, V::load(to.dc + j)).store(to.dc + j);
      unroll<K>([&](int i) SINTER_LAMBDA { where_valid(k[i], V(0)).store(now + i * width + j); });
    }
    if (!before) return;
    constexpr int in_place = Cell::gates - (Cell::hidden_slot < Cell::gates ? 0 : 1);  // gates in their own places
    product_of_rows<Isa, V>(MatrixRows<T>{w.w_hh, 1, n.h, nullptr}, n.h, now, in_place * n.hidden, true, to.dh);
    if constexpr (in_place < Cell::gates)
      product_of_rows<Isa, V>(MatrixRows<T>{w.w_hh + in_place * n.hidden * n.h, 1, n.h, nullptr}, n.h,
                              now + Cell::hidden_slot * width, n.hidden, true, to.dh);
  }
}

/// dW[m][i] += sum over steps and samples of d[m] x[i], and db[m] += that of d[m] unless it is null. Works in
/// [steps][samples][K packs], the inputs as rows of samples, and one more pack.
template <class Isa, int K, class V, class T>
SINTER_SHARED void gradient_of_steps(Steps<const T> d, int rows, Steps<const T> x, int columns, int steps, T* dw, T* db,
                                     T* scratch) {
  constexpr int L = V::lanes, M = 6, width = K * L;
  T* const squares = scratch + steps * L * width;
  V(0).store(squares);
  for (int first = 0; first < columns; first += width) {
    const int count = std::min(width, columns - first);
    for (int step = 0; step < steps; ++step) {
      const T* const from = x[step] + first * L;
      for (int i = 0; i < width; i += L)
        transposed_copy<V>([&](int n) SINTER_LAMBDA { return i + n < count ? V::load(from + (i + n) * L) : V(0); },
                           [&](int sample, V row)
                               SINTER_LAMBDA { row.store(scratch + (step * L + sample) * width + i); });
    }
    int m = 0;
    const auto blocks = [&](auto rows_at_once, auto packs) SINTER_LAMBDA {
      constexpr int R = decltype(rows_at_once)::value;
      for (; m + R <= rows; m += R)
        outer_product_of_batch<Isa, R, decltype(packs)::value, true, V>(
            OuterProduct<T>{d.first + m * L, d.apart, scratch, width, steps * L},
            dw + std::ptrdiff_t{m} * columns + first, columns, count, squares);
    };
    const auto all = [&](auto packs) SINTER_LAMBDA {
      blocks(std::integral_constant<int, M>{}, packs);
      blocks(std::integral_constant<int, 1>{}, packs);
    };
    if (count > L)
      all(std::integral_constant<int, K>{});
    else
      all(std::integral_constant<int, 1>{});
  }
  for (int m = 0; db && m < rows; ++m) {
    V total(0);
    for (int step = 0; step < steps; ++step) total = fn::add(total, V::load(d[step] + m * L));
    db[m] += fn::sum(total);
  }
}

}  // namespace host_kernels

SINTER_NAMESPACE_END
