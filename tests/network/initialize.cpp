// SPDX-License-Identifier: MIT
#include "sinter/network/initialize.hpp"

#include <doctest/doctest.h>

#include <numeric>

#include "support/close.hpp"

using sinter::Initialization;

namespace {

template <class T = double>
std::vector<T> filled(std::size_t n, Initialization how, bool is_bias, int fan_in, int fan_out, std::uint64_t seed,
                      int layer) {
  std::vector<T> values(n, T(9));
  sinter::internal::initialize(std::span<T>(values), how, is_bias, fan_in, fan_out, seed, layer);
  return values;
}

/// Mean, standard deviation and the largest magnitude.
struct Moments {
  double mean = 0, deviation = 0, largest = 0;
  explicit Moments(const std::vector<double>& values) {
    for (const double x : values) {
      mean += x;
      deviation += x * x;
      largest = std::max(largest, std::fabs(x));
    }
    mean /= static_cast<double>(values.size());
    deviation = std::sqrt(deviation / static_cast<double>(values.size()) - mean * mean);
  }
};

void check_uniform(Initialization how, double bound) {
  const Moments m(filled(200000, how, false, 25, 50, 3, 1));
  CHECK(m.largest <= bound);
  CHECK(m.largest > 0.999 * bound);
  CHECK(std::fabs(m.mean) < 0.01 * bound);
  CHECK(m.deviation == doctest::Approx(bound / std::sqrt(3)).epsilon(0.01));
}
void check_normal(Initialization how, double deviation) {
  const auto values = filled(200000, how, false, 25, 50, 3, 1);
  const Moments m(values);
  CHECK(std::fabs(m.mean) < 0.01 * deviation);
  CHECK(m.deviation == doctest::Approx(deviation).epsilon(0.01));
  for (const double z : {0.5, 1.0, 2.0, 3.0}) {
    double within = 0;
    for (const double x : values) within += std::fabs(x) < z * deviation ? 1 : 0;
    CHECK(within / 200000 == doctest::Approx(std::erf(z / std::sqrt(2))).epsilon(0.01));
  }
}

}  // namespace

TEST_CASE("distributions") {
  check_uniform(Initialization::pytorch, 1 / std::sqrt(25.));
  check_uniform(Initialization::kaiming_uniform, std::sqrt(6 / 25.));
  check_uniform(Initialization::xavier_uniform, std::sqrt(6 / 75.));
  check_normal(Initialization::kaiming_normal, std::sqrt(2 / 25.));
  check_normal(Initialization::xavier_normal, std::sqrt(2 / 75.));
}

TEST_CASE("the first numbers, by an independent program with 40 digits") {
  const std::vector<double> uniform = {-0.11019710716791451, -0.181631632288917899, -0.0793815374840050936,
                                       -0.106402074685320258};
  const std::vector<double> normal = {0.429775139130221771, -0.233042715161979251, 0.339214091830802123,
                                      0.277032398126254317};
  CHECK(closeness::relative_error(filled(4, Initialization::pytorch, false, 25, 50, 7, 2), uniform) < 1e-15);
  CHECK(closeness::relative_error(filled(4, Initialization::kaiming_normal, false, 25, 50, 7, 2), normal) < 1e-14);
}

TEST_CASE("the same bits on every machine, compiler and flag") {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const Initialization how : {Initialization::pytorch, Initialization::kaiming_normal})
    for (const double x : filled(1000, how, false, 10, 10, 1, 0))
      hash = (hash ^ sinter::fn::bit_cast<std::uint64_t>(x)) * 0x100000001b3u;
  CHECK(hash == 13452052535300609123u);
}

TEST_CASE("biases") {
  for (const auto how : {Initialization::kaiming_uniform, Initialization::kaiming_normal,
                         Initialization::xavier_uniform, Initialization::xavier_normal})
    for (const double b : filled(10, how, true, 25, 50, 3, 1)) CHECK(b == 0);
  const Moments m(filled(10000, Initialization::pytorch, true, 25, 50, 3, 1));
  CHECK(m.largest <= 0.2);
  CHECK(m.largest > 0.199);
}

TEST_CASE("float is double rounded; any length begins the same; seeds, layers and kinds differ") {
  for (const auto how : {Initialization::pytorch, Initialization::xavier_normal}) {
    const auto values = filled(103, how, false, 25, 50, 3, 1);
    const auto in_float = filled<float>(103, how, false, 25, 50, 3, 1);
    for (std::size_t i = 0; i < values.size(); ++i) CHECK(in_float[i] == static_cast<float>(values[i]));
    for (const std::size_t n : {0u, 1u, 2u, 3u, 5u})
      CHECK(filled(n, how, false, 25, 50, 3, 1) ==
            std::vector<double>(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(n)));
    CHECK(filled(103, how, false, 25, 50, 4, 1) != values);
    CHECK(filled(103, how, false, 25, 50, 3 + (std::uint64_t{1} << 32), 1) != values);
    CHECK(filled(103, how, false, 25, 50, 3, 2) != values);
    CHECK(filled(103, how, true, 25, 50, 3, 1) != values);
  }
}
