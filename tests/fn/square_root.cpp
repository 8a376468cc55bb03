// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/square_root.hpp"

#include "support/leaf.hpp"

using sinter::fn::Sqrt;

TEST_CASE("Sqrt: gradient, float, lanes") {
  leaf::check_gradient<Sqrt>({1e-2, 0.3, 0.9, 1, 1.5, 7, 100});
  leaf::check_lanes<Sqrt, float>();
  leaf::check_lanes<Sqrt, double>();
  for (const float x : closeness::numbers<float>(1000, 0.01f, 5)) {
    CHECK(Sqrt::forward(x) == doctest::Approx(Sqrt::forward(static_cast<double>(x))).epsilon(1e-6));
    CHECK(Sqrt::backward(x, 0.7f) == doctest::Approx(Sqrt::backward(static_cast<double>(x), 0.7)).epsilon(1e-6));
  }
}

TEST_CASE("Sqrt: values") {
  CHECK(Sqrt::forward(9.0) == 3);
  CHECK(Sqrt::forward(0.0f) == 0);
  CHECK(Sqrt::backward(3.0, 12.0) == 2);
}
