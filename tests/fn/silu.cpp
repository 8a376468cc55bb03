// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/silu.hpp"

#include "support/leaf.hpp"

using sinter::fn::Silu;

TEST_CASE("SiLU: gradient, float, lanes") { leaf::check<Silu>({-9, -3, -1, -0.5, -1e-3, 0, 1e-3, 0.25, 1, 4, 20}); }

TEST_CASE("SiLU: values") {
  CHECK(Silu::forward(1.0) == doctest::Approx(0.73105857863000488).epsilon(1e-14));
  CHECK(Silu::forward(0.0f) == 0);
  CHECK(Silu::backward(0.0, 3.0) == 1.5);
  CHECK(Silu::forward(100.0) == 100);
}

#if !defined(__FAST_MATH__)
TEST_CASE("SiLU: NaN passes through") { CHECK(std::isnan(Silu::forward(std::numeric_limits<float>::quiet_NaN()))); }
#endif
