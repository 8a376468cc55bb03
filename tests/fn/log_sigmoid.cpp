// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/log_sigmoid.hpp"

#include "support/leaf.hpp"

using sinter::fn::LogSigmoid;

TEST_CASE("LogSigmoid: gradient, float, lanes") { leaf::check<LogSigmoid>({-9, -3, -1, -1e-3, 0, 1e-3, 0.25, 1, 7}); }

TEST_CASE("LogSigmoid: values") {
  CHECK(LogSigmoid::forward(0.0) == doctest::Approx(-std::log(2.0)).epsilon(1e-15));
  CHECK(LogSigmoid::forward(-1e30f) == -1e30f);
  CHECK(LogSigmoid::forward(40.0) == doctest::Approx(-std::exp(-40.0)).epsilon(1e-14));
  CHECK(LogSigmoid::backward(0.0, 2.0) == 1);
}

#if !defined(__FAST_MATH__)
TEST_CASE_TEMPLATE("LogSigmoid: NaN and infinities", T, float, double) {
  using Limits = std::numeric_limits<T>;
  CHECK(std::isnan(LogSigmoid::forward(Limits::quiet_NaN())));
  CHECK(LogSigmoid::forward(Limits::infinity()) == 0);
  CHECK(LogSigmoid::forward(-Limits::infinity()) == -Limits::infinity());
}
#endif
