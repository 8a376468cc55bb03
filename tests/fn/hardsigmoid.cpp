// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/hardsigmoid.hpp"

#include "support/leaf.hpp"

using sinter::fn::Hardsigmoid;

TEST_CASE("Hardsigmoid: gradient, float, lanes") {
  leaf::check<Hardsigmoid>({-9, -3.1, -2.9, -1, -1e-3, 0, 1, 2.9, 3.1, 8});
}

TEST_CASE("Hardsigmoid: values, and the gradient that PyTorch gives the kinks") {
  CHECK(Hardsigmoid::forward(-4.0) == 0);
  CHECK(Hardsigmoid::forward(0.0) == doctest::Approx(0.5).epsilon(1e-15));
  CHECK(Hardsigmoid::forward(6.0f) == 1);
  CHECK(Hardsigmoid::backward(-3.0, 2.0) == 0);
  CHECK(Hardsigmoid::backward(3.0, 2.0) == 0);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Hardsigmoid: NaN passes through") {
  CHECK(std::isnan(Hardsigmoid::forward(std::numeric_limits<float>::quiet_NaN())));
}
#endif
