// SPDX-License-Identifier: MIT
// labels: processor optimised
#include "sinter/fn/exp.hpp"

#include "support/leaf.hpp"

using sinter::fn::Exp;

TEST_CASE("Exp: gradient, float, lanes") { leaf::check<Exp>({-8, -1, -1e-3, 0, 1e-3, 0.5, 3}); }

TEST_CASE("Exp: values") {
  CHECK(Exp::forward(0.0) == 1);
  CHECK(Exp::forward(1.0) == doctest::Approx(std::exp(1.0)).epsilon(1e-15));
  CHECK(Exp::backward(3.0, 2.0) == 6);
}
