// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "sinter/fn/apply.hpp"
#include "sinter/kernels/gpu/executor.hpp"
#include "sinter/kernels/gpu/work.hpp"

SINTER_NAMESPACE_BEGIN

namespace gpu_kernels {

/// A product C [m][n] = sum over k of A [m][k] B [k][n] by a wide team, in pieces of C: slices of `depth` numbers of k
/// go through two buffers in the shared memory of a block, and a thread keeps 4 x 4 sums. Where there are few pieces, k
/// is cut into parts, which another phase adds. `Operands` says what is multiplied, also numbers that are computed as
/// they are read, as those of a window:
///
///     m, parts                           constants
///     n(), k()
///     a(m, k)
///     b(k, n)                            a function of i that reads B [k + i][n], i < depth
///     a_along_k, b_along_k               whether neighbours in k, rather than in m or n, are neighbours in memory
///     take(part, m, n, v)                sums of columns n to n + 3; of them those below n()
template <class X, class Operands>
class SharedProduct {
  using T = typename Operands::T;
  using Shape = PieceShape::Of<Operands::m>;
  static constexpr int height = Shape::height, width = Shape::width, depth = PieceShape::depth<T, Operands::m>,
                       sums = 4;
  static constexpr int row_pieces = divide_up(Operands::m, height);
  static constexpr int a_pitch = height + PieceShape::pad, b_pitch = width + PieceShape::pad;
  static constexpr int a_numbers = divide_up(height * depth, PieceShape::threads),
                       b_numbers = divide_up(width * depth, PieceShape::threads);
  using Numbers = typename X::template Pointer<T>;

 public:
  static constexpr int threads = PieceShape::threads;
  static constexpr std::size_t bytes = PieceShape::bytes<T, Operands::m>;

  /// Of a thread.
  struct State {
    T sum[sums][sums];
    T a[a_numbers], b[b_numbers];  // of the next slice
  };

  SINTER_FN SharedProduct(X& x, const Operands& operands)
      : operands_(operands), buffers_(x.template block_memory<T>()), pieces_in_row_(divide_up(operands.n(), width)) {}

  SINTER_FN int pieces() const { return row_pieces * pieces_in_row_ * Operands::parts; }
  SINTER_FN int slices(int piece) const {
    const Range range = slices_of(piece);
    return range.end - range.begin;
  }

  SINTER_FN void begin(State& state) const {
    SINTER_UNROLL
    for (int i = 0; i < sums; ++i) {
      SINTER_UNROLL
      for (int j = 0; j < sums; ++j) state.sum[i][j] = T(0);
    }
  }
  /// Reads a slice to registers, so that its latency overlaps with the products of the slice before.
  SINTER_FN void fetch(int piece, int slice, int thread, State& state) const {
    const int first = (slices_of(piece).begin + slice) * depth;
    const int top = row_of(piece) * height, left = column_of(piece) * width;
    SINTER_UNROLL
    for (int e = 0; e < a_numbers; ++e) {
      const Place place = place_of<Operands::a_along_k, height>(thread + e * threads);
      const int row = top + place.number, k = first + place.k;
      state.a[e] = place.inside && row < Operands::m && k < operands_.k() ? operands_.a(row, k) : T(0);
    }
    if constexpr (Operands::b_along_k) {
      SINTER_UNROLL
      for (int e = 0; e < b_numbers; ++e) {
        const Place place = place_of<true, width>(thread + e * threads);
        const int column = left + place.number, k = first + place.k;
        const bool there = place.inside && column < operands_.n() && k < operands_.k();
        state.b[e] = there ? operands_.b(k, column)(0) : T(0);
      }
    } else {  // a thread has one column
      static_assert(threads % width == 0);
      const int column = left + thread % width;
      const auto read = operands_.b(first, column < operands_.n() ? column : 0);
      SINTER_UNROLL
      for (int e = 0; e < b_numbers; ++e) {
        const int i = thread / width + e * (threads / width);
        const bool there = column < operands_.n() && i < depth && first + i < operands_.k();
        state.b[e] = there ? read(i) : T(0);
      }
    }
  }
  /// Writes it to the buffer of its turn.
  SINTER_FN void keep(int slice, int thread, const State& state) const {
    const Numbers a = buffer_of(slice), b = a + depth * a_pitch;
    SINTER_UNROLL
    for (int e = 0; e < a_numbers; ++e)
      if (const Place place = place_of<Operands::a_along_k, height>(thread + e * threads); place.inside)
        a[place.k * a_pitch + place.number] = state.a[e];
    SINTER_UNROLL
    for (int e = 0; e < b_numbers; ++e)
      if (const Place place = place_of<Operands::b_along_k, width>(thread + e * threads); place.inside)
        b[place.k * b_pitch + place.number] = state.b[e];
  }
  SINTER_FN void multiply(int piece, int slice, int thread, State& state) const {
    if (row_of_sums(piece, thread) >= Operands::m || column_of_sums(piece, thread) >= operands_.n()) return;
    const Numbers a = buffer_of(slice) + thread / (width / sums) * sums,
                  b = buffer_of(slice) + (depth * a_pitch + thread % (width / sums) * sums);
    SINTER_UNROLL
    for (int k = 0; k < depth; ++k) {
      T left[sums], right[sums];
      executor::read_together(a + k * a_pitch, left);
      executor::read_together(b + k * b_pitch, right);
      SINTER_UNROLL
      for (int i = 0; i < sums; ++i) {
        SINTER_UNROLL
        for (int j = 0; j < sums; ++j) state.sum[i][j] = fn::fma(left[i], right[j], state.sum[i][j]);
      }
    }
  }
  SINTER_FN void finish(int piece, int thread, State& state) const {
    const int top = row_of_sums(piece, thread), left = column_of_sums(piece, thread);
    SINTER_UNROLL
    for (int i = 0; i < sums; ++i)
      if (top + i < Operands::m && left < operands_.n()) operands_.take(part_of(piece), top + i, left, state.sum[i]);
  }

 private:
  struct Range {
    int begin, end;
  };
  struct Place {
    int k, number;
    bool inside;
  };
  /// Where element e of a slice is: neighbouring threads take neighbours in memory.
  template <bool AlongK, int Numbers>
  SINTER_FN static Place place_of(int e) {
    const bool inside = Numbers * depth % threads == 0 || e < Numbers * depth;
    if constexpr (AlongK)
      return {e % depth, e / depth, inside};
    else
      return {e / Numbers, e % Numbers, inside};
  }
  // Neighbouring blocks have the same columns, whose numbers are then in L2.
  SINTER_FN static int row_of(int piece) { return piece % row_pieces; }
  SINTER_FN int column_of(int piece) const { return piece / row_pieces % pieces_in_row_; }
  /// The first of the sums of a thread.
  SINTER_FN static int row_of_sums(int piece, int thread) {
    return row_of(piece) * height + thread / (width / sums) * sums;
  }
  SINTER_FN int column_of_sums(int piece, int thread) const {
    return column_of(piece) * width + thread % (width / sums) * sums;
  }
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
