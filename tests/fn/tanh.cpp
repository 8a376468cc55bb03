// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/tanh.hpp"

#include "support/leaf.hpp"

TEST_CASE("Tanh: gradient, float, lanes") { leaf::check<sinter::fn::Tanh>({-3, -1, -0.5, -1e-3, 0, 1e-3, 0.25, 1, 4}); }

TEST_CASE("Tanh: values") {
  CHECK(sinter::fn::Tanh::forward(1.0) == doctest::Approx(0.76159415595576489).epsilon(1e-14));
  CHECK(sinter::fn::Tanh::backward(0.5, 2.0) == 1.5);
  CHECK(sinter::fn::zeros_of<sinter::fn::Tanh> == 0);
}
