// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/hardswish.hpp"

#include "support/leaf.hpp"

using sinter::fn::Hardswish;

TEST_CASE("Hardswish: gradient, float, lanes") {
  leaf::check<Hardswish>({-9, -3.1, -2.9, -1, -1e-3, 0, 1, 2.9, 3.1, 8});
}

TEST_CASE("Hardswish: values") {
  CHECK(Hardswish::forward(-4.0) == 0);
  CHECK(Hardswish::forward(-3.0) == 0);
  CHECK(Hardswish::forward(1.0) == doctest::Approx(4. / 6).epsilon(1e-15));
  CHECK(Hardswish::forward(6.0f) == 6);
}

TEST_CASE("Hardswish: the kinks have the gradient that PyTorch gives them") {
  CHECK(Hardswish::backward(-3.0, 2.0) == 0);
  CHECK(Hardswish::backward(3.0, 2.0) == 2);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Hardswish: NaN passes through") {
  CHECK(std::isnan(Hardswish::forward(std::numeric_limits<float>::quiet_NaN())));
}
#endif
