// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// Calls visit(input) for each element of the image that the window of `output` covers, in row-major order.
template <class Visit>
void each_covered(const Op& op, int output, Visit visit) {
  const int channel = output / op.out.pixels();
  const CoveredPixels covered(op, output % op.out.pixels() / op.out.width, output % op.out.width);
  covered.each([&](int row, int column, int) { visit((channel * op.in.height + row) * op.in.width + column); });
}

/// The element that a max pool takes of the window of `output`.
template <class T>
int winner_of(const Op& op, int output, const T* x) {
  int best = -1;
  each_covered(op, output, [&](int i) {
    if (best < 0 || beats(x[i], x[best])) best = i;
  });
  return best;
}

/// The divisor of a mean: the size of a whole window, so that pixels outside the image count as zeros.
inline int counted(const Op& op, int output) {
  int covered = 0;
  each_covered(op, output, [&](int) { ++covered; });
  return op.shares() ? covered : op.window.taps();
}

template <class T>
void pool_forward(const Op& op, const T* x, T* y) {
  for (int o = 0; o < op.out.size(); ++o) {
    if (op.average) {
      T sum = 0;
      each_covered(op, o, [&](int i) { sum += x[i]; });
      y[o] = sum / static_cast<T>(counted(op, o));
    } else {
      y[o] = x[winner_of(op, o, x)];
    }
  }
}

template <class T>
void pool_backward(const Op& op, const T* x, const T* dy, T* dx) {
  for (int o = 0; o < op.out.size(); ++o) {
    if (op.average) {
      const T share = dy[o] / static_cast<T>(counted(op, o));
      each_covered(op, o, [&](int i) { dx[i] += share; });
    } else {
      dx[winner_of(op, o, x)] += dy[o];
    }
  }
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
