// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <limits>
#include <sinter/data/finite.hpp>

TEST_CASE_TEMPLATE("is_finite", T, float, double) {
  using Limits = std::numeric_limits<T>;
  const T finite[] = {0, -T(0), 1, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()};
  for (const T& x : finite) CHECK(sinter::is_finite(x));
  const T other[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN(),
                     Limits::signaling_NaN()};
  for (const T& x : other) CHECK_FALSE(sinter::is_finite(x));
}
