// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/celu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Celu;

TEST_CASE("CELU: gradient, float, lanes") {
  leaf::check<Celu<1.0>>({-9, -3, -1, -1e-3, 1e-3, 0.25, 1, 7});
  leaf::check<Celu<0.3>>({-9, -3, -1, -1e-3, 1e-3, 0.25, 1, 7});
  leaf::check<Celu<4.0>>({-9, -3, -1, -1e-3, 1e-3, 0.25, 1, 7});
}

TEST_CASE("CELU: values") {
  CHECK(Celu<1.0>::forward(2.5f) == 2.5f);
  CHECK(Celu<2.0>::forward(-1.0) == doctest::Approx(2 * std::expm1(-0.5)).epsilon(1e-15));
  CHECK(Celu<2.0>::forward(-1e6) == -2);
  CHECK(Celu<2.0>::backward(3.0, 2.0) == 2);
  CHECK(Celu<2.0>::backward(-1.0, 2.0) == 1);
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("CELU: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(Celu<1.0>::forward(Limits::quiet_NaN())));
  CHECK(Celu<2.0>::forward(Limits::infinity()) == Limits::infinity());
  CHECK(Celu<2.0>::forward(-Limits::infinity()) == -2);
}
#endif
