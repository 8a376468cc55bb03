// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/log_softmax.hpp"

#include "support/leaf.hpp"

using sinter::fn::LogSoftmax;

TEST_CASE("LogSoftmax: gradient, float, lanes") { leaf::check_row<LogSoftmax>(); }

TEST_CASE("LogSoftmax: values") {
  const double x[] = {1, 2, 3};
  double y[3];
  LogSoftmax::forward(x, y, 3);
  const std::vector<double> want = {-2.4076059644443806, -1.4076059644443806, -0.40760596444438063};
  CHECK(closeness::relative_error(std::vector<double>(y, y + 3), want) < 1e-15);

  const float large[] = {1000, 0, -1000};
  float log_share[3];
  LogSoftmax::forward(large, log_share, 3);
  CHECK(log_share[0] == 0);
  CHECK(log_share[1] == -1000);
  CHECK(log_share[2] == -2000);
}

#if !defined(__FAST_MATH__)
TEST_CASE("LogSoftmax: one NaN makes the row NaN, a score of -infinity has no share") {
  for (int at = 0; at < 3; ++at) {
    double x[] = {1, 2, 3};
    x[at] = std::numeric_limits<double>::quiet_NaN();
    LogSoftmax::forward(x, x, 3);
    for (const double y : x) CHECK(std::isnan(y));
  }
  const double infinity = std::numeric_limits<double>::infinity();
  double x[] = {-infinity, 2, 2};
  LogSoftmax::forward(x, x, 3);
  CHECK(x[0] == -infinity);
  CHECK(x[1] == doctest::Approx(-std::log(2.0)));
}
#endif
