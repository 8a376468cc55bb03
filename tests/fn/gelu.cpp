// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/gelu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Gelu;
using sinter::fn::GeluTanh;

TEST_CASE("GELU: gradient, float, lanes") {
  const std::vector<double> x = {-5, -3, -1, -0.5, -1e-3, 0, 1e-3, 0.25, 1, 4, 9};
  leaf::check<Gelu>(x);
  leaf::check<GeluTanh>(x);
}

TEST_CASE("GELU: values") {
  CHECK(Gelu::forward(1.0) == doctest::Approx(0.84134474606854293).epsilon(1e-14));
  CHECK(Gelu::forward(-1.0) == doctest::Approx(-0.15865525393145707).epsilon(1e-14));
  CHECK(GeluTanh::forward(1.0) == doctest::Approx(0.84119199060827676).epsilon(1e-14));
  CHECK(Gelu::forward(0.0) == 0);
  // The tail, where (1 + erf) / 2 has no digits left: -10 erfc(10 / sqrt(2)) / 2.
  CHECK(Gelu::forward(-10.0) == doctest::Approx(-5 * std::erfc(10 / std::sqrt(2.0))).epsilon(1e-13));
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("GELU: far numbers, NaN", T, float, double) {
  using Limits = std::numeric_limits<T>;
  for (const T large : {T(100), T(1e30), Limits::max(), Limits::infinity()}) {
    CAPTURE(large);
    CHECK(Gelu::forward(large) == large);
    CHECK(GeluTanh::forward(large) == large);
    CHECK(GeluTanh::backward(large, T(2)) == 2);
    CHECK(GeluTanh::backward(-large, T(2)) == 0);
  }
  CHECK(Gelu::backward(T(100), T(2)) == 2);
  CHECK(Gelu::backward(T(-100), T(2)) == 0);
  CHECK(std::isnan(Gelu::forward(Limits::quiet_NaN())));
  CHECK(std::isnan(GeluTanh::forward(Limits::quiet_NaN())));
}
#endif
