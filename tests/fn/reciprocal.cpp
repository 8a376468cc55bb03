// SPDX-License-Identifier: MIT
// labels: processor optimised
#include "sinter/fn/reciprocal.hpp"

#include "support/leaf.hpp"

using sinter::fn::Reciprocal;

TEST_CASE("Reciprocal: gradient, float, lanes") { leaf::check<Reciprocal>({-8, -1, -0.1, 0.2, 0.5, 3}); }

TEST_CASE("Reciprocal: values") {
  CHECK(Reciprocal::forward(4.0) == 0.25);
  CHECK(Reciprocal::backward(0.5, 3.0) == -0.75);
}
