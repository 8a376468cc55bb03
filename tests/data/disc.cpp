// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sinter/data/disc.hpp>

#include "support/error_of.hpp"

using namespace sinter;

TEST_CASE("a point is a function of seed and number") {
  const auto data = disc(1000, 7), again = disc(1000, 7), other = disc(1000, 8);
  static_assert(Dataset<decltype(data)>);
  bool same = true, different = false;
  for (std::size_t i = 0; i < 1000; ++i)
    for (int c = 0; c < 2; ++c) {
      same = same && data.inputs()(i, c) == again.inputs()(i, c);
      different = different || data.inputs()(i, c) != other.inputs()(i, c);
    }
  CHECK(same);
  CHECK(different);
  const auto longer = disc(2000, 7);
  for (std::size_t i = 0; i < 1000; ++i) CHECK(longer.targets()[i] == data.targets()[i]);
}

TEST_CASE("mean 0, deviation 1, coordinates independent, an eighth inside, inside towards the corner") {
  const std::size_t n = 20000;
  const auto data = disc(n, 1);
  double sum[2] = {}, squares[2] = {}, product = 0, inside = 0, furthest_inside = -9, nearest_outside = 9;
  for (std::size_t i = 0; i < n; ++i) {
    const double x = data.inputs()(i, 0), y = data.inputs()(i, 1);
    sum[0] += x, sum[1] += y, squares[0] += x * x, squares[1] += y * y, product += x * y;
    inside += data.targets()[i];
    // back to the unit square, where the mean is 1/2 and the deviation 1/sqrt(12) within a percent
    const double u = x * 0.2886751 + 0.5, v = y * 0.2886751 + 0.5, distance = u * u + v * v;
    if (data.targets()[i])
      furthest_inside = distance > furthest_inside ? distance : furthest_inside;
    else
      nearest_outside = distance < nearest_outside ? distance : nearest_outside;
  }
  for (int c = 0; c < 2; ++c) {
    CHECK(sum[c] / n == doctest::Approx(0).scale(1).epsilon(1e-6));
    CHECK(squares[c] / n == doctest::Approx(1).epsilon(1e-6));
  }
  CHECK(product / n == doctest::Approx(0).scale(1).epsilon(0.02));
  CHECK(inside / n == doctest::Approx(0.125).epsilon(0.05));
  CHECK(furthest_inside == doctest::Approx(0.159155).epsilon(0.05));
  CHECK(nearest_outside == doctest::Approx(0.159155).epsilon(0.05));
}

TEST_CASE("the same bits for every compiler and machine; computed by a Philox and a formula in Python") {
  const auto data = disc(3, 42);
  const float expected[3][2] = {
      {0x1.5bb216p+0f, 0x1.57d1c6p+0f}, {-0x1.59e1bep-2f, -0x1.26ccbcp-2f}, {-0x1.0539a6p+0f, -0x1.0e1e96p+0f}};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(data.inputs()(i, 0) == expected[i][0]);
    CHECK(data.inputs()(i, 1) == expected[i][1]);
    CHECK(data.targets()[i] == (i == 2));
  }
}

TEST_CASE("one point; none") {
  const auto data = disc(1, 3);
  CHECK(data.inputs()(0, 0) == 0);
  CHECK(data.inputs()(0, 1) == 0);
  CHECK(error_of([] { disc(0, 1); }) == "a disc problem of 0 points was asked for; ask for at least 1");
}
