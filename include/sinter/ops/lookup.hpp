// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/op.hpp"
#include "sinter/ops/parameter.hpp"

SINTER_NAMESPACE_BEGIN

/// The row of a table that a number selects: -1 if it is not a whole number from 0 to count - 1.
template <class T>
SINTER_HOST_DEVICE constexpr int row_of_table(T x, int count) {
  if (!(x >= T(0) && x < static_cast<T>(count))) return -1;
  const int row = static_cast<int>(x);
  return static_cast<T>(row) == x ? row : -1;
}

/// Number k of the row that x[n] names, and where it is in y.
struct LookedUp {
  int n, k;
};
struct LookupPlace {
  int channel, pixel;
};
SINTER_HOST_DEVICE constexpr LookupPlace place_of(LookedUp number, bool transposed) {
  return transposed ? LookupPlace{number.k, number.n} : LookupPlace{number.n, number.k};
}
SINTER_HOST_DEVICE constexpr LookedUp looked_up_at(LookupPlace at, bool transposed) {
  return transposed ? LookedUp{at.pixel, at.channel} : LookedUp{at.channel, at.pixel};
}

/// y[n] = W[x[n]], NaN if the row does not exist.   x [N]  W [Count, Size]  y [N, Size], or [Size, N] if transposed.
/// Adjoint: dW[x[n]] += dy[n]; dx = 0.
template <int Count, int Size, bool Transposed>
struct Lookup {
  static constexpr Op describe(Dims in) {
    Op op;
    op.kind = OpKind::lookup;
    op.name = "embedding";
    op.in = in;
    op.out = Transposed ? series(Size, in.size()) : series(in.size(), Size);
    op.transposed = Transposed;
    return op;
  }
  template <class Builder>
  static constexpr void declare(Op& op, Builder& to) {
    op.weight = to.parameter({.name = "weight",
                              .shape = {Count, Size},
                              .rank = 2,
                              .fan_in = Count,
                              .fan_out = Size,
                              .start = Start::normal});
  }
};

SINTER_NAMESPACE_END

namespace sinter::ops {
using internal::Lookup;
}  // namespace sinter::ops
