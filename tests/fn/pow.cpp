// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/pow.hpp"

#include <cmath>
#include <limits>

#include "support/leaf.hpp"

using sinter::fn::Pow;

/// What leaf::check does, of numbers above 0.
template <class F>
void of_positive_numbers() {
  leaf::check_gradient<F>({1e-2, 0.3, 0.9, 1, 1.5, 7});
  leaf::check_lanes<F, float>();
  leaf::check_lanes<F, double>();
  for (const float x : closeness::numbers<float>(1000, 0.01f, 5)) {
    CHECK(F::forward(x) == doctest::Approx(F::forward(static_cast<double>(x))).epsilon(1e-6));
    CHECK(F::backward(x, 0.7f) == doctest::Approx(F::backward(static_cast<double>(x), 0.7)).epsilon(1e-6));
  }
}

TEST_CASE("Pow: gradient, float, lanes") {
  leaf::check<Pow<3.0>>({-8, -1, -1e-3, 0, 1e-3, 0.5, 3});
  leaf::check<Pow<4.0>>({-2, -0.1, 0.5, 3});
  leaf::check<Pow<-1.0>>({-8, -1, 0.5, 3});
  leaf::check<Pow<-2.0>>({-4, -1, 0.5, 3});
  leaf::check<Pow<1.0>>({-8, 0, 3});
  leaf::check<Pow<0.0>>({-8, 0, 3});
  of_positive_numbers<Pow<2.5>>();
  of_positive_numbers<Pow<-1.5>>();
  of_positive_numbers<Pow<0.3>>();
  of_positive_numbers<Pow<-2.7>>();
}

TEST_CASE("Pow: values") {
  CHECK(Pow<7.0>::forward(-3.0) == -2187);
  CHECK(Pow<-3.0>::forward(2.0) == 0.125);
  CHECK(Pow<2.5>::forward(4.0) == 32);
  CHECK(Pow<-0.5>::forward(16.0) == 0.25);
  CHECK(Pow<0.0>::forward(0.0) == 1);
  CHECK(Pow<3.0>::backward(-2.0, 0.5) == 6);
  for (const double x : {1e-20, 1e-3, 0.7, 1.0, 2.5, 1e4, 1e20}) {
    CAPTURE(x);
    CHECK(Pow<0.3>::forward(x) == doctest::Approx(std::pow(x, 0.3)).epsilon(1e-14));
    CHECK(Pow<-2.7>::forward(x) == doctest::Approx(std::pow(x, -2.7)).epsilon(1e-13));
    CHECK(Pow<1.7>::forward(static_cast<float>(x)) ==
          doctest::Approx(std::pow(static_cast<float>(x), 1.7f)).epsilon(1e-5));
  }
}

TEST_CASE("Pow: at 0, beyond it and infinity") {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  CHECK(Pow<1.7>::forward(0.0) == 0);
  CHECK(Pow<-0.3>::forward(0.0) == infinite);
  CHECK(Pow<-1.7>::forward(0.0) == infinite);
  CHECK(Pow<1.7>::forward(infinite) == infinite);
  CHECK(Pow<-1.7>::forward(infinite) == 0);
  CHECK(std::isnan(Pow<1.7>::forward(-1.0)));
  CHECK(std::isnan(Pow<0.5>::forward(-1.0)));
  CHECK(Pow<1.7>::backward(0.0, 1.0) == 0);
}
