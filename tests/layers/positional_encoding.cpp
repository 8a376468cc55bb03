// SPDX-License-Identifier: MIT
#include "sinter/layers/positional_encoding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "sinter/model/program.hpp"
#include "sinter/network/summary.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<PositionalEncoding>);
static_assert(detail::output_of<PositionalEncoding>(series(7, 4)) == series(7, 4));
static_assert(!PositionalEncoding::accepts(features(8)) && !PositionalEncoding::accepts(image(1, 2, 2)));

// Made by the compiler, and so the same everywhere: sin 1, cos 1, sin 0.01, cos 0.01, in floats.
constexpr const auto& second = detail::positional_encoding<float, series(2, 4)>.at;
static_assert(second[4] == 0x1.aed548p-1f && second[5] == 0x1.14a28p-1f);
static_assert(second[6] == 0x1.47acaep-7f && second[7] == 0x1.fff972p-1f);
static_assert(second[0] == 0 && second[1] == 1 && second[8] == 0);

/// The largest difference from sin and cos of the machine.
template <int Steps, int Size>
double error() {
  const double* given = fn::PositionalEncoding::numbers<double, series(Steps, Size)>();
  const float* single = fn::PositionalEncoding::numbers<float, series(Steps, Size)>();
  double worst = 0;
  for (int t = 0; t < Steps; ++t)
    for (int k = 0; k < Size; ++k) {
      const double angle = t / std::pow(10000.0, (k - k % 2) / static_cast<double>(Size));
      const double wanted = k % 2 == 0 ? std::sin(angle) : std::cos(angle);
      worst = std::fmax(worst, std::fabs(given[t * Size + k] - wanted));
      CHECK(std::fabs(static_cast<double>(single[t * Size + k]) - wanted) <= 0x1.001p-24 * std::fabs(wanted));
    }
  return worst;
}

}  // namespace

TEST_CASE("sines and cosines are those of the formula, with an odd number of features and after many steps") {
  CHECK(error<1, 1>() == 0);
  CHECK(error<7, 5>() < 1e-15);
  CHECK(error<50, 24>() < 2e-14);
  CHECK(error<5000, 3>() < 1e-12);
}

TEST_CASE("a summary has it without parameters") {
  struct Net : Sequential<Input<7, 4>, PositionalEncoding> {};
  CHECK(Program<Net>::parameters.size() == 0);
  CHECK(std::string(summary<Net>()).find("PositionalEncoding") != std::string::npos);
}
