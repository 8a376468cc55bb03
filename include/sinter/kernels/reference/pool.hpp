// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/ops/pool.hpp"

SINTER_NAMESPACE_BEGIN

namespace reference_kernels {

/// Calls visit(input) for each element of the image that the window of `output` covers, in row-major order. Returns the
/// divisor of their mean.
template <class Visit>
int each_covered(const Op& op, int output, Visit visit) {
  const int channel = output / op.out.pixels();
  const CoveredPixels covered(op, output % op.out.pixels() / op.out.width, output % op.out.width);
  covered.each([&](int row, int column, int) { visit((channel * op.in.height + row) * op.in.width + column); });
  return covered.divisor;
}

/// The element that a max pool takes of the window of `output`.
template <class T>
int winner_of(const Op& op, int output, const T* x) {
  LargestElement<T, int> largest;
  each_covered(op, output, [&](int i) { largest.take(x[i], i); });
  return largest.number;
}

template <class T>
void pool_forward(const Op& op, const T* x, T* y) {
  for (int o = 0; o < op.out.size(); ++o) {
    if (op.average) {
      T sum = 0;
      const int divisor = each_covered(op, o, [&](int i) { sum += x[i]; });
      y[o] = sum / static_cast<T>(divisor);
    } else {
      y[o] = x[winner_of(op, o, x)];
    }
  }
}

template <class T>
void pool_backward(const Op& op, const T* x, const T* dy, T* dx) {
  for (int o = 0; o < op.out.size(); ++o) {
    if (op.average) {
      const T part = dy[o] / static_cast<T>(each_covered(op, o, [](int) {}));
      each_covered(op, o, [&](int i) { dx[i] += part; });
    } else {
      dx[winner_of(op, o, x)] += dy[o];
    }
  }
}

}  // namespace reference_kernels

SINTER_NAMESPACE_END
