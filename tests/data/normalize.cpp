// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <sinter/data/normalize.hpp>

#include "support/error_of.hpp"

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

TEST_CASE("a deviation that nothing can be divided by, and numbers that are not finite, are refused when it is made") {
  const auto text = [](const char* function, const char* mean, const char* deviation) {
    return std::string("Normalize::") + function + " was given the mean " + mean + " and the deviation " + deviation +
           ", expected finite numbers, and a deviation above 0, neither tiny nor huge; take those of the training data";
  };
  const auto pixels = [](float mean, float deviation) { return error_of([&] { Normalize::pixels(mean, deviation); }); };
  const auto values = [](float mean, float deviation) { return error_of([&] { Normalize::values(mean, deviation); }); };
  CHECK(pixels(0.5f, 0) == text("pixels", "0.5", "0"));
  CHECK(values(0.5f, 0) == text("values", "0.5", "0"));
  CHECK(pixels(NAN, 1) == text("pixels", "nan", "1"));
  CHECK(pixels(0, NAN) == text("pixels", "0", "nan"));
  CHECK(pixels(0, INFINITY) == text("pixels", "0", "inf"));
  CHECK(values(INFINITY, 1) == text("values", "inf", "1"));
  CHECK(values(0, -1) == text("values", "0", "-1"));
  CHECK(values(0, 1e-45f) == text("values", "0", "1e-45"));
  CHECK(values(0, 1e-30f) == "(no error)");
  CHECK(pixels(0, 1e-30f) == "(no error)");
  CHECK(pixels(0, 1e-39f) == text("pixels", "0", "1e-39"));  // a byte 255 would become infinite
}

TEST_CASE("a scale with which integers overflow a float") {
  const Normalize large{.scale = 2e36f, .shift = -1};
  CHECK(error_of([&] { large.check<std::uint8_t>(); }) ==
        "integers up to 255 were to be scaled by Normalize{.scale = 2e+36, .shift = -1}, expected numbers that a float "
        "can hold; Normalize::pixels and Normalize::values make it of a mean and a deviation");
  CHECK(error_of([&] { large.check<std::int8_t>(); }) == "(no error)");
  CHECK(error_of([&] { large.check(); }) == "(no error)");  // floats may be small
}
