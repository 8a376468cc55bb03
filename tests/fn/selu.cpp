// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/selu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Selu;

TEST_CASE("SELU: gradient, float, lanes") { leaf::check<Selu>({-9, -3, -1, -1e-3, 1e-3, 0.25, 1, 7}); }

TEST_CASE("SELU: values") {
  CHECK(Selu::forward(2.0) == doctest::Approx(2.1014019747109610).epsilon(1e-15));
  CHECK(Selu::forward(-1.0) == doctest::Approx(-1.1113307378125625).epsilon(1e-15));
  CHECK(Selu::forward(-1e6) == doctest::Approx(-1.7580993408473766).epsilon(1e-15));
  CHECK(Selu::backward(3.0, 2.0) == doctest::Approx(2.1014019747109610).epsilon(1e-15));
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("SELU: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(Selu::forward(Limits::quiet_NaN())));
  CHECK(Selu::forward(Limits::infinity()) == Limits::infinity());
}
#endif
