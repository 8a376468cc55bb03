// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/log.hpp"

#include "support/leaf.hpp"

using sinter::fn::Log;

TEST_CASE("Log: gradient, float, lanes") {
  leaf::check_gradient<Log>({1e-2, 0.3, 0.9, 1, 1.5, 7, 100});
  leaf::check_lanes<Log, float>();
  leaf::check_lanes<Log, double>();
  for (const float x : closeness::numbers<float>(1000, 0.01f, 5)) {
    CHECK(Log::forward(x) == doctest::Approx(Log::forward(static_cast<double>(x))).epsilon(1e-6));
    CHECK(Log::backward(x, 0.7f) == doctest::Approx(Log::backward(static_cast<double>(x), 0.7)).epsilon(1e-6));
  }
}

TEST_CASE("Log: values") {
  CHECK(Log::forward(1.0) == 0);
  CHECK(Log::forward(10.0) == doctest::Approx(std::log(10.0)).epsilon(1e-15));
  CHECK(Log::backward(4.0, 2.0) == 0.5);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Log: of 0 and of less") {
  CHECK(Log::forward(0.0) == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(Log::forward(-1.0f)));
}
#endif
