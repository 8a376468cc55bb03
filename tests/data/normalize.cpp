// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <sinter/data/normalize.hpp>

using sinter::Normalize;

TEST_CASE("pixels: (x / 255 - mean) / deviation") {
  constexpr auto n = Normalize::pixels(0.1307f, 0.3081f);
  CHECK(0 * n.scale + n.shift == doctest::Approx(-0.42421293));
  CHECK(255 * n.scale + n.shift == doctest::Approx(2.8214867));
}

TEST_CASE("values: (x - mean) / deviation; the default changes nothing") {
  constexpr auto n = Normalize::values(2, 4);
  static_assert(10 * n.scale + n.shift == 2);
  static_assert(Normalize{} == Normalize::values(0, 1));
}
