// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/square.hpp"

#include "support/leaf.hpp"

using sinter::fn::Square;

TEST_CASE("Square: gradient, float, lanes") { leaf::check<Square>({-8, -1, -1e-3, 0, 1e-3, 0.5, 3}); }

TEST_CASE("Square: values") {
  CHECK(Square::forward(-3.0) == 9);
  CHECK(Square::backward(-3.0, 2.0) == -12);
}
