// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/mish.hpp"

#include "support/leaf.hpp"

using sinter::fn::Mish;

TEST_CASE("Mish: gradient, float, lanes") { leaf::check<Mish>({-9, -3, -1, -1e-3, 0, 1e-3, 0.25, 1, 7}); }

TEST_CASE("Mish: values") {
  CHECK(Mish::forward(0.0) == 0);
  CHECK(Mish::forward(1.0) == doctest::Approx(std::tanh(std::log1p(std::exp(1.0)))).epsilon(1e-15));
  CHECK(Mish::forward(-30.0) == doctest::Approx(-30 * std::exp(-30.0)).epsilon(1e-13));
  CHECK(Mish::forward(50.0f) == 50);
  CHECK(Mish::backward(0.0, 2.0) == doctest::Approx(1.2).epsilon(1e-15));  // 2 tanh(ln 2)
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("Mish: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(Mish::forward(Limits::quiet_NaN())));
  CHECK(Mish::forward(Limits::infinity()) == Limits::infinity());
}
#endif
