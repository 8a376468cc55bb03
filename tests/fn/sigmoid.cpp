// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/sigmoid.hpp"

#include "support/leaf.hpp"

TEST_CASE("Sigmoid: gradient, float, lanes") {
  leaf::check<sinter::fn::Sigmoid>({-6, -1, -0.5, -1e-3, 0, 1e-3, 0.25, 1, 6});
}

TEST_CASE("Sigmoid: values") {
  CHECK(sinter::fn::Sigmoid::forward(1.0) == doctest::Approx(0.73105857863000488).epsilon(1e-14));
  CHECK(sinter::fn::Sigmoid::backward(0.5, 2.0) == 0.5);
}
