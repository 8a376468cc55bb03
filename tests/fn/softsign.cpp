// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/softsign.hpp"

#include "support/leaf.hpp"

using sinter::fn::Softsign;

TEST_CASE("Softsign: gradient, float, lanes") { leaf::check<Softsign>({-9, -3, -1, -1e-3, 1e-3, 0.25, 1, 7}); }

TEST_CASE("Softsign: values") {
  CHECK(Softsign::forward(0.0) == 0);
  CHECK(Softsign::forward(3.0) == 0.75);
  CHECK(Softsign::forward(-1.0f) == -0.5f);
  CHECK(Softsign::backward(-1.0, 2.0) == 0.5);
  CHECK(Softsign::backward(1e4, 1.0) == doctest::Approx(1 / (10001. * 10001)).epsilon(1e-14));
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("Softsign: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(Softsign::forward(Limits::quiet_NaN())));
}
#endif
