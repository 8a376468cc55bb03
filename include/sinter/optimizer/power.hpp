// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/strict.hpp"

SINTER_NAMESPACE_BEGIN

namespace detail {

/// base^exponent of an exponent of at least 0, the same bits on every machine.
SINTER_HOST_DEVICE inline Strict power(double base, long exponent) {
  Strict result(1);
  for (Strict square(base); exponent > 0; exponent >>= 1, square = square * square)
    if (exponent & 1) result = result * square;
  return result;
}

/// The sum of (-z)^k / ((first + 1) .. (first + 2 k)) over k: a series of cos (first 0) or of sin(y) / y (first 1), z =
/// y^2.
SINTER_HOST_DEVICE inline Strict circle_series(Strict z, int first) {
  Strict sum(1);
  for (int k = 9; k > 0; --k) sum = Strict(1) - z / Strict((first + 2 * k - 1) * (first + 2 * k)) * sum;
  return sum;
}
/// cos(pi x) of x >= 0, the same bits on every machine; the error is some 2e-16.
SINTER_HOST_DEVICE inline double cosine_of_half_turns(double x) {
  double r = x - 2 * static_cast<double>(static_cast<long long>(x / 2));  // in [0, 2)
  if (r > 1) r = 2 - r;
  const bool upper = r > 0.5;
  if (upper) r = 1 - r;  // in [0, 1/2]
  const Strict pi(3.14159265358979323846);
  const Strict y = pi * Strict(r <= 0.25 ? r : 0.5 - r);
  const Strict value = r <= 0.25 ? circle_series(y * y, 0) : y * circle_series(y * y, 1);
  return upper ? -value.value : value.value;
}

}  // namespace detail

SINTER_NAMESPACE_END
