// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/elu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Elu;

TEST_CASE("ELU: gradient, float, lanes") {
  const std::vector<double> x = {-8, -3, -1, -1e-3, 1e-3, 0.25, 1, 7};
  leaf::check<Elu<1.0>>(x);
  leaf::check<Elu<0.3>>(x);
}

TEST_CASE("ELU: values") {
  CHECK(Elu<1.0>::forward(2.5f) == 2.5f);
  CHECK(Elu<2.0>::forward(-1.0) == doctest::Approx(2 * std::expm1(-1.0)).epsilon(1e-15));
  CHECK(Elu<1.0>::forward(-1e-12) == doctest::Approx(-1e-12).epsilon(1e-15));  // no digits are lost near 0
  CHECK(Elu<2.0>::forward(-1e6) == -2);
  CHECK(Elu<1.0>::backward(3.0, 2.0) == 2);
  CHECK(Elu<1.0>::backward(-0.5, 2.0) == 1);
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("ELU: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(Elu<1.0>::forward(Limits::quiet_NaN())));
  CHECK(Elu<1.0>::forward(Limits::infinity()) == Limits::infinity());
  CHECK(Elu<1.0>::forward(-Limits::infinity()) == -1);
}
#endif
