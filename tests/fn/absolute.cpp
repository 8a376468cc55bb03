// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/absolute.hpp"

#include "support/leaf.hpp"

using sinter::fn::Abs;

TEST_CASE("Abs: gradient, float, lanes") { leaf::check<Abs>({-8, -1, -1e-3, 1e-3, 0.5, 3}); }

TEST_CASE("Abs: values") {
  CHECK(Abs::forward(-3.0) == 3);
  CHECK(Abs::forward(3.0f) == 3);
  CHECK(Abs::backward(-3.0, 2.0) == -2);
  CHECK(Abs::backward(0.0, 2.0) == 0);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Abs: NaN passes through") { CHECK(std::isnan(Abs::forward(std::numeric_limits<float>::quiet_NaN()))); }
#endif
