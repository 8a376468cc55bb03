// SPDX-License-Identifier: MIT
// labels: processor optimised
#include <doctest/doctest.h>

#include <cstddef>
#include <limits>
#include <sinter/core/finite.hpp>
#include <vector>

TEST_CASE_TEMPLATE("is_finite", T, float, double) {
  using Limits = std::numeric_limits<T>;
  const T finite[] = {0, -T(0), 1, Limits::max(), Limits::lowest(), Limits::min(), Limits::denorm_min()};
  for (const T& x : finite) CHECK(sinter::internal::is_finite(x));
  const T other[] = {Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN(), -Limits::quiet_NaN(),
                     Limits::signaling_NaN()};
  for (const T& x : other) CHECK_FALSE(sinter::internal::is_finite(x));
}

TEST_CASE_TEMPLATE("all_finite finds one number anywhere", T, float, double) {
  for (const std::size_t n : {0u, 1u, 7u, 31u, 32u, 33u, 100u}) {
    CAPTURE(n);
    std::vector<T> x(n + 1, std::numeric_limits<T>::max());
    x[n] = std::numeric_limits<T>::quiet_NaN();  // after them
    CHECK(sinter::internal::all_finite(x.data(), n));
    for (std::size_t i = 0; i < n; ++i) {
      for (const T bad : {std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::quiet_NaN()}) {
        const T before = x[i];
        x[i] = bad;
        CHECK_FALSE(sinter::internal::all_finite(x.data(), n));
        x[i] = before;
      }
    }
  }
}
