// SPDX-License-Identifier: MIT
#pragma once

#include "sinter/core/math.hpp"
#include "sinter/core/pack_sqrt.hpp"

SINTER_NAMESPACE_BEGIN

/// A double whose every product and sum is rounded, fma included, on any machine and under any flag: the functions of
/// core/math.hpp on it give the same bits with and without fma instructions. Slow (on the host all pass through
/// memory); for numbers that must be the same everywhere, such as initial weights.
struct Strict {
  double value;

  Strict() = default;
  SINTER_FN explicit Strict(double x) : value(x) {}

  SINTER_FN friend Strict operator+(Strict a, Strict b) { return rounded(a.value + b.value); }
  SINTER_FN friend Strict operator-(Strict a, Strict b) { return rounded(a.value - b.value); }
  SINTER_FN friend Strict operator*(Strict a, Strict b) { return rounded(product(a.value, b.value)); }
  SINTER_FN friend Strict operator/(Strict a, Strict b) { return rounded(a.value / b.value); }
  SINTER_FN friend Strict operator-(Strict a) { return Strict(-a.value); }
  SINTER_FN friend bool operator<(Strict a, Strict b) { return a.value < b.value; }
  SINTER_FN friend bool operator>(Strict a, Strict b) { return a.value > b.value; }
  SINTER_FN friend bool operator==(Strict a, Strict b) { return a.value == b.value; }
  SINTER_FN friend Strict fma(Strict a, Strict b, Strict c) { return a * b + c; }
  SINTER_FN friend Strict sqrt(Strict a) { return Strict(fn::sqrt(a.value)); }
  SINTER_FN friend Strict select(bool condition, Strict yes, Strict no) { return condition ? yes : no; }

 private:
#if defined(__CUDA_ARCH__)
  SINTER_FN static double product(double a, double b) { return fn::product(a, b); }
  SINTER_FN static Strict rounded(double x) { return Strict(x); }
#else
  SINTER_FN static double product(double a, double b) { return a * b; }
  SINTER_FN static Strict rounded(double x) {
    volatile double in_memory = x;
    return Strict(in_memory);
  }
#endif
};
template <>
struct ScalarOf<Strict> {
  using Type = double;
};

SINTER_NAMESPACE_END
