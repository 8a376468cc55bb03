// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/fn/softmax.hpp"

#include "support/leaf.hpp"

using sinter::fn::Softmax;

TEST_CASE("Softmax: gradient, float, lanes") { leaf::check_row<Softmax>(); }

TEST_CASE("Softmax: values") {
  const double x[] = {1, 2, 3};
  double y[3];
  Softmax::forward(x, y, 3);
  const std::vector<double> want = {0.090030573170380462, 0.24472847105479767, 0.66524095577482178};
  CHECK(closeness::relative_error(std::vector<double>(y, y + 3), want) < 1e-15);

  const float large[] = {1000, 0, -1000, 1000};
  float share[4];
  Softmax::forward(large, share, 4);
  CHECK(share[0] == 0.5f);
  CHECK(share[1] == 0.0f);
  CHECK(share[3] == 0.5f);
}

#if !defined(__FAST_MATH__)
TEST_CASE("Softmax: one NaN makes the row NaN") {
  for (int at = 0; at < 3; ++at) {
    double x[] = {1, 2, 3};
    x[at] = std::numeric_limits<double>::quiet_NaN();
    Softmax::forward(x, x, 3);
    for (const double y : x) CHECK(std::isnan(y));
  }
}
#endif
