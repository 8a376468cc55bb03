// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/strict.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "support/close.hpp"

using sinter::internal::Strict;

TEST_CASE("fma rounds the product, whatever the machine could do") {
  const double a = 1 + 0x1p-30, b = 1 - 0x1p-30;  // a b = 1 - 2^-60 rounds to 1
  CHECK(fma(Strict(a), Strict(b), Strict(-1)).value == 0);
  CHECK((Strict(a) * Strict(b) - Strict(1)).value == 0);
}

TEST_CASE("log of it is as good as log") {
  for (const double x : closeness::numbers(10000, 0, 2))
    CHECK(closeness::ulps(sinter::fn::log(Strict(x)).value, std::log(static_cast<long double>(x))) < 1);
}
