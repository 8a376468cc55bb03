// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"

SINTER_NAMESPACE_BEGIN

/// A double whose every product and sum is rounded, fma included, on any machine and under any flag: the functions of
/// core/math.hpp on it give the same bits with and without fma instructions. Slow (products pass through memory); for
/// numbers that must be the same everywhere, such as initial weights.
struct Strict {
  double value;

  Strict() = default;
  explicit Strict(double x) : value(x) {}

  friend Strict operator+(Strict a, Strict b) { return rounded(a.value + b.value); }
  friend Strict operator-(Strict a, Strict b) { return rounded(a.value - b.value); }
  friend Strict operator*(Strict a, Strict b) { return rounded(a.value * b.value); }
  friend Strict operator/(Strict a, Strict b) { return rounded(a.value / b.value); }
  friend Strict operator-(Strict a) { return Strict(-a.value); }
  friend bool operator<(Strict a, Strict b) { return a.value < b.value; }
  friend bool operator>(Strict a, Strict b) { return a.value > b.value; }
  friend bool operator==(Strict a, Strict b) { return a.value == b.value; }
  friend Strict fma(Strict a, Strict b, Strict c) { return a * b + c; }
  friend Strict sqrt(Strict a) { return Strict(sqrt(a.value)); }
  friend Strict select(bool condition, Strict yes, Strict no) { return condition ? yes : no; }

 private:
  static Strict rounded(double x) {
    volatile double in_memory = x;
    return Strict(in_memory);
  }
};
template <>
struct ScalarOf<Strict> {
  using Type = double;
};

SINTER_NAMESPACE_END
