// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/softplus.hpp"

#include "support/leaf.hpp"

using sinter::fn::Softplus;

TEST_CASE("Softplus: gradient, float, lanes") {
  const std::vector<double> x = {-9, -3, -1, -1e-3, 0, 1e-3, 0.25, 1, 4, 30};
  leaf::check<Softplus<1.0, 20.0>>(x);
  leaf::check<Softplus<0.5, 3.0>>(x);
  leaf::check<Softplus<3.0, 20.0>>(x);
}

TEST_CASE("Softplus: values") {
  CHECK(Softplus<1.0, 20.0>::forward(0.0) == doctest::Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(Softplus<2.0, 20.0>::forward(1.0) == doctest::Approx(std::log1p(std::exp(2.0)) / 2).epsilon(1e-15));
  CHECK(Softplus<1.0, 20.0>::forward(-40.0) == doctest::Approx(std::exp(-40.0)).epsilon(1e-14));
  CHECK(Softplus<1.0, 20.0>::forward(1e30f) == 1e30f);
}

TEST_CASE("Softplus: from the threshold on it is the identity") {
  CHECK(Softplus<1.0, 2.0>::forward(2.5) == 2.5);
  CHECK(Softplus<1.0, 2.0>::backward(2.5, 3.0) == 3);
  CHECK(Softplus<1.0, 2.0>::forward(2.0) > 2.1);   // not yet
  CHECK(Softplus<2.0, 2.0>::forward(1.5) == 1.5);  // beta x counts
}

#if !defined(__FAST_MATH__)
TEST_CASE("Softplus: NaN passes through") {
  CHECK(std::isnan(Softplus<1.0, 20.0>::forward(std::numeric_limits<float>::quiet_NaN())));
}
#endif
