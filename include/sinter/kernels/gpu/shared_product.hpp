// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/fn/apply.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#include "sinter/kernels/gpu/tensor_core.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A product C [m][n] = sum over k of A [m][k] B [k][n] by the grid, in pieces of C: slices of `depth` numbers of k
/// go through two buffers in the shared memory of a block. Where there are few pieces, k is cut into parts, which
/// another phase adds. `Operands` says what is multiplied, also numbers that are computed as they are read, as those of
/// a window. What depends on a column of B alone is computed once for a piece, what depends on k once for a slice:
///
///     m, parts, Shape                    constants, and a PieceShape
///     n(), k()
///     whole_slices                       whether k() is a multiple of the depth
///     sums_rows                          whether the sums of the rows of A are wanted too
///     a_along_k, b_along_k               whether neighbours in k, rather than in m or n, are neighbours in memory
///     a(k)                               a function of m that reads A [m][k]
///     column(n)                          what b takes for a column
///     b(k, column)                       a function of i that reads B [k + i][n], i < depth; or with b_along_k
///     b(k)                               a function of a column
///     take(part, m, n, v)                sums of columns n to n + 3; of them those below n()
///     take_row(part, m, sum)             the sum of a row of A
template <class X, class Operands>
class SharedProduct {
  using T = typename Operands::T;
  using Shape = typename Operands::Shape;
  static constexpr int height = Shape::height, width = Shape::width, depth = Shape::depth;
  static constexpr int rows = Shape::thread_rows, columns = Shape::thread_columns;  // of the sums of a thread
  static constexpr int row_pieces = divide_up(Operands::m, height);
  static constexpr bool whole_rows = Operands::m % height == 0,
                        whole_columns = Shape::columns > 0 && Shape::columns % width == 0;
  static constexpr int a_pitch = height + Shape::pad, b_pitch = width + Shape::pad;
  static constexpr int a_numbers = divide_up(height * depth, Shape::threads),
                       b_numbers = divide_up(width * depth, Shape::threads);
  static constexpr int kept_columns = Operands::b_along_k ? b_numbers : 1;
  using Numbers = typename X::template Pointer<T>;

 public:
  static constexpr int threads = Shape::threads;
  static constexpr bool sums_rows = Operands::sums_rows;

  /// Of a thread.
  struct State {
    T sum[rows][columns];
    T a[a_numbers], b[b_numbers];        // of the next slice
    T a_sum[sums_rows ? a_numbers : 1];  // of all slices
    typename Operands::Column column[kept_columns];
    int k, top, left;  // where the piece begins
  };

  SINTER_FN SharedProduct(X& x, const Operands& operands)
      : operands_(operands), buffers_(x.template block_memory<T>()), pieces_in_row_(divide_up(operands.n(), width)) {}

  SINTER_FN int pieces() const { return row_pieces * pieces_in_row_ * Operands::parts; }
  SINTER_FN int slices(int piece) const {
    const Range range = slices_of(piece);
    return range.end - range.begin;
  }

  SINTER_FN void begin(int piece, int thread, State& state) const {
    SINTER_UNROLL
    for (int i = 0; i < rows; ++i) {
      SINTER_UNROLL
      for (int j = 0; j < columns; ++j) state.sum[i][j] = T(0);
    }
    if constexpr (sums_rows) {
      SINTER_UNROLL
      for (int e = 0; e < a_numbers; ++e) state.a_sum[e] = T(0);
    }
    // Neighbouring blocks have the same columns, whose numbers are then in L2.
    state.k = slices_of(piece).begin * depth;
    state.top = piece % row_pieces * height;
    state.left = column_of(piece) * width;
    SINTER_UNROLL
    for (int e = 0; e < kept_columns; ++e) {
      const int column = state.left + b_element<Operands::b_along_k>(thread, e).number;
      state.column[e] = operands_.column(column < operands_.n() ? column : 0);
    }
  }
  /// Reads a slice to registers, so that its latency overlaps with the products of the slice before.
  SINTER_FN void fetch(int slice, int thread, State& state) const {
    const int first = state.k + slice * depth;
    if constexpr (Operands::a_along_k) {
      const int k = first + a_element(thread, 0).k;
      const auto read = operands_.a(k);
      SINTER_UNROLL
      for (int e = 0; e < a_numbers; ++e)
        state.a[e] = has_a(state, thread, e, k) ? read(a_row(state, thread, e)) : T(0);
    } else {
      SINTER_UNROLL
      for (int e = 0; e < a_numbers; ++e) {
        const int k = first + a_element(thread, e).k;
        state.a[e] = has_a(state, thread, e, k) ? operands_.a(k)(a_row(state, thread, e)) : T(0);
      }
    }
    if constexpr (Operands::b_along_k) {
      const int k = first + b_element<true>(thread, 0).k;
      const auto read = operands_.b(k);
      SINTER_UNROLL
      for (int e = 0; e < b_numbers; ++e) state.b[e] = has_b(state, thread, e, k) ? read(state.column[e]) : T(0);
    } else {
      const auto read = operands_.b(first, state.column[0]);
      SINTER_UNROLL
      for (int e = 0; e < b_numbers; ++e) {
        const int i = b_element<false>(thread, e).k;
        state.b[e] = has_b(state, thread, e, first + i) ? read(i) : T(0);
      }
    }
  }
  /// Writes it to the buffer of its turn.
  SINTER_FN void keep(int slice, int thread, State& state) const {
    const Numbers b = buffer_of(slice) + depth * a_pitch;
    T rounded[a_numbers];
    SINTER_UNROLL
    for (int e = 0; e < a_numbers; ++e) rounded[e] = kept(state.a[e]);
    keep_a(slice, thread, rounded);
    SINTER_UNROLL
    for (int e = 0; e < b_numbers; ++e)
      if (const Element element = b_element<Operands::b_along_k>(thread, e); element.inside)
        b[element.k * b_pitch + element.number] = kept(state.b[e]);
    if constexpr (sums_rows) {
      SINTER_UNROLL
      for (int e = 0; e < a_numbers; ++e) state.a_sum[e] += state.a[e];
    }
  }
  SINTER_FN void multiply(int slice, int thread, State& state) const {
    // The rows and columns of a whole warp, so that its lanes stay together.
    if (!whole_rows && state.top + warp_row(thread) >= Operands::m) return;
    if (Shape::columns > 0 && !whole_columns && state.left + warp_column(thread) >= operands_.n()) return;
    if constexpr (Shape::tensor)
      multiply_by_warps(slice, thread, state);
    else
      multiply_by_threads(slice, thread, state);
  }
  /// After the last of `slices`: the sums of the rows of A, in the buffer that no thread reads any more.
  SINTER_FN void keep_row_sums(int slices, int thread, const State& state) const {
    keep_a(slices, thread, state.a_sum);
  }
  SINTER_FN void finish(int piece, int slices, int thread, State& state) const {
    const int part = part_of(piece);
    SINTER_UNROLL
    for (int i = 0; i < rows; ++i) {
      const int row = state.top + row_of_sums(thread, i), left = state.left + column_of_sums(thread, i);
      if ((whole_rows || row < Operands::m) && (whole_columns || left < operands_.n()))
        operands_.take(part, row, left, state.sum[i]);
    }
    if constexpr (sums_rows) {
      if (state.left > 0) return;
      for (int row = thread; row < height && state.top + row < Operands::m; row += threads) {
        T sum = T(0);
        SINTER_UNROLL
        for (int k = 0; k < depth; ++k) sum += T(buffer_of(slices)[k * a_pitch + row]);
        operands_.take_row(part, state.top + row, sum);
      }
    }
  }

 private:
  struct Range {
    int begin, end;
  };
  struct Element {
    int k, number;
    bool inside;
  };
  /// Where number e of a thread is in a slice: neighbouring threads take neighbours in memory.
  template <bool AlongK, int Numbers>
  SINTER_FN static Element element_of(int thread, int e) {
    constexpr bool all = Numbers * depth % threads == 0;
    if constexpr (AlongK) {
      static_assert(threads % depth == 0);
      const int number = thread / depth + e * (threads / depth);
      return {thread % depth, number, all || number < Numbers};
    } else {
      static_assert(threads % Numbers == 0);
      constexpr bool one = Numbers == threads;
      const int k = (one ? 0 : thread / Numbers) + e * (threads / Numbers);
      return {k, one ? thread : thread % Numbers, all || k < depth};
    }
  }
  SINTER_FN static Element a_element(int thread, int e) { return element_of<Operands::a_along_k, height>(thread, e); }
  template <bool AlongK>
  SINTER_FN static Element b_element(int thread, int e) {
    return element_of<AlongK, width>(thread, e);
  }
  SINTER_FN static int a_row(const State& state, int thread, int e) { return state.top + a_element(thread, e).number; }
  SINTER_FN bool has_a(const State& state, int thread, int e, int k) const {
    return a_element(thread, e).inside && (whole_rows || a_row(state, thread, e) < Operands::m) && has(k);
  }
  SINTER_FN bool has_b(const State& state, int thread, int e, int k) const {
    const Element element = b_element<Operands::b_along_k>(thread, e);
    return element.inside && (whole_columns || state.left + element.number < operands_.n()) && has(k);
  }
  SINTER_FN bool has(int k) const { return Operands::whole_slices || k < operands_.k(); }

  SINTER_FN static T kept(T number) {
    if constexpr (Shape::tensor)
      return TensorCore<Shape::products>::kept(number);
    else
      return number;
  }
  SINTER_FN void keep_a(int slice, int thread, const T (&numbers)[a_numbers]) const {
    const Numbers a = buffer_of(slice);
    SINTER_UNROLL
    for (int e = 0; e < a_numbers; ++e)
      if (const Element element = a_element(thread, e); element.inside)
        a[element.k * a_pitch + element.number] = numbers[e];
  }

  SINTER_FN void multiply_by_threads(int slice, int thread, State& state) const {
    const Numbers a = buffer_of(slice) + row_of_sums(thread, 0),
                  b = buffer_of(slice) + (depth * a_pitch + column_of_sums(thread, 0));
    SINTER_UNROLL
    for (int k = 0; k < depth; ++k) {
      T left[rows / 4][4], right[columns];
      SINTER_UNROLL
      for (int q = 0; q < rows / 4; ++q)
        executor::read_together(a + (k * a_pitch + q * 4 * Shape::lanes_high), left[q]);
      executor::read_together(b + k * b_pitch, right);
      SINTER_UNROLL
      for (int i = 0; i < rows; ++i) {
        SINTER_UNROLL
        for (int j = 0; j < columns; ++j) state.sum[i][j] = fn::fma(left[i / 4][i % 4], right[j], state.sum[i][j]);
      }
    }
  }
  /// On tensor cores. On the CPU, and on GPUs without them, each thread makes its sums by itself.
  SINTER_FN void multiply_by_warps(int slice, int thread, State& state) const {
    using Core = TensorCore<Shape::products>;
    static_assert(depth % Core::depth == 0);
    const Numbers a = buffer_of(slice), b = a + depth * a_pitch;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    constexpr int blocks = rows / 4;  // of 16 rows, and two of 16 columns
    const int lane = thread % 32, row = warp_row(thread) + lane / 4, column = warp_column(thread) + lane / 4 * 2;
    SINTER_UNROLL
    for (int first = 0; first < depth; first += Core::depth) {
      float left[blocks][2][Core::numbers], right[2][2][Core::numbers];
      SINTER_UNROLL
      for (int e = 0; e < Core::numbers; ++e) {
        const int k = first + Core::k_of(lane, e);
        SINTER_UNROLL
        for (int i = 0; i < 2 * blocks; ++i) left[i / 2][i % 2][e] = a[k * a_pitch + row + i * 8];
        SINTER_UNROLL
        for (int i = 0; i < 2; ++i) {
          float pair[2];
          executor::read_together(b + (k * b_pitch + column + i * 16), pair);
          right[i][0][e] = pair[0];
          right[i][1][e] = pair[1];
        }
      }
      SINTER_UNROLL
      for (int i = 0; i < 2 * blocks; ++i) {
        const auto sum = [&](int half, int j) -> float& { return state.sum[i / 2 * 4 + half * 2 + i % 2][j]; };
        Core::multiply(left[i / 2], right[i % 2], sum);
      }
    }
#else
    for (int first = 0; first < depth; first += Core::depth)
      for (int i = 0; i < rows; ++i) {
        const int row = row_of_sums(thread, i), column = column_of_sums(thread, i);
        Core::multiply_row(
            state.sum[i], [&](int k) SINTER_LAMBDA { return T(a[(first + k) * a_pitch + row]); },
            [&](int k, int j) SINTER_LAMBDA { return T(b[(first + k) * b_pitch + column + j]); });
      }
#endif
  }

  SINTER_FN static int warp_row(int thread) { return thread / 32 / Shape::warps_wide * Shape::warp_height; }
  SINTER_FN static int warp_column(int thread) { return thread / 32 % Shape::warps_wide * Shape::warp_width; }
  /// The row of sums i of a thread in the piece, and the first of their four columns: as TensorCore has them, or rows
  /// by fours, those of the lanes of a warp together.
  SINTER_FN static int row_of_sums(int thread, int i) {
    const int lane = thread % 32;
    if constexpr (Shape::tensor)
      return warp_row(thread) + i / 4 * 16 + i / 2 % 2 * 8 + lane / 4;
    else
      return warp_row(thread) + i / 4 * (4 * Shape::lanes_high) + lane / Shape::lanes_wide * 4 + i % 4;
  }
  SINTER_FN static int column_of_sums(int thread, int i) {
    const int lane = thread % 32;
    if constexpr (Shape::tensor)
      return warp_column(thread) + i % 2 * 16 + lane % 4 * 4;
    else
      return warp_column(thread) + lane % Shape::lanes_wide * columns;
  }

  SINTER_FN int column_of(int piece) const { return piece / row_pieces % pieces_in_row_; }
  SINTER_FN int part_of(int piece) const { return piece / row_pieces / pieces_in_row_; }
  SINTER_FN Range slices_of(int piece) const {
    const int all = divide_up(operands_.k(), depth);
    if constexpr (Operands::parts == 1) return {0, all};
    const int part = part_of(piece), each = divide_up(all, Operands::parts), begin = smaller(part * each, all);
    return {begin, smaller(begin + each, all)};
  }
  SINTER_FN Numbers buffer_of(int slice) const { return buffers_ + slice % 2 * (depth * (a_pitch + b_pitch)); }

  const Operands& operands_;
  Numbers buffers_;
  int pieces_in_row_;
};

template <class X, class Operands>
SINTER_FN void multiply_shared(X& x, const Operands& operands) {
  x.run_pieces(SharedProduct<X, Operands>(x, operands));
}

}  // namespace gpu_kernels

SINTER_NAMESPACE_END
