// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/core/shuffle.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

std::vector<std::uint64_t> order_of(std::uint64_t n, std::uint64_t seed, std::uint64_t epoch) {
  const sinter::internal::Permutation order(n, seed, epoch);
  std::vector<std::uint64_t> places;
  for (std::uint64_t i = 0; i < n; ++i) places.push_back(order(i));
  return places;
}

}  // namespace

TEST_CASE("every number comes once") {
  for (const std::uint64_t n : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 15u, 16u, 17u, 100u, 4095u, 4096u, 4097u, 60000u}) {
    CAPTURE(n);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::vector<bool> seen(n, false);
      for (const std::uint64_t place : order_of(n, 1, epoch)) {
        REQUIRE(place < n);
        CHECK(!seen[place]);
        seen[place] = true;
      }
    }
  }
}

TEST_CASE("numbers side by side come to the same order") {
  for (const std::uint64_t n : {0u, 1u, 2u, 7u, 8u, 9u, 10u, 100u, 4095u, 4096u, 5000u}) {
    CAPTURE(n);
    std::vector<std::uint64_t> places(n);
    sinter::internal::Permutation(n, 3, 2).write(places.data());
    CHECK(places == order_of(n, 3, 2));
  }
}

TEST_CASE("no examples, and more than fit in memory") {
  CHECK(sinter::internal::Permutation(0, 1, 1).size() == 0);
  const std::uint64_t huge = ~std::uint64_t{0};
  const sinter::internal::Permutation order(huge, 1, 1);
  CHECK(order(0) < huge);
  CHECK(order(0) != order(1));
}

TEST_CASE("epochs and seeds differ, and no order is the plain one") {
  CHECK(order_of(100, 1, 0) != order_of(100, 1, 1));
  CHECK(order_of(100, 1, 0) != order_of(100, 2, 0));
  CHECK(order_of(100, 1, 0) != order_of(100, 1, std::uint64_t{1} << 32));
  CHECK(order_of(100, 1, 5) == order_of(100, 1, 5));
  std::vector<std::uint64_t> plain(100);
  std::iota(plain.begin(), plain.end(), 0u);
  CHECK(order_of(100, 1, 0) != plain);
}

TEST_CASE("an element, and a pair of neighbours, fall anywhere with the same chance") {
  // Chi-square over epochs; the bound is the mean plus six standard deviations.
  constexpr int epochs = 20000;
  for (const std::uint64_t n : {2u, 3u, 5u, 6u, 7u, 8u, 10u, 12u}) {
    CAPTURE(n);
    std::vector<double> place(n * n), pair(n * n);
    for (std::uint64_t epoch = 0; epoch < epochs; ++epoch) {
      const auto order = order_of(n, 42, epoch);
      for (std::uint64_t i = 0; i < n; ++i) place[i * n + order[i]] += 1;
      pair[order[0] * n + order[1]] += 1;
    }
    const double size = static_cast<double>(n);
    for (std::uint64_t i = 0; i < n; ++i) {
      double chi_square = 0;
      for (std::uint64_t j = 0; j < n; ++j) {
        const double expected = epochs / size, difference = place[i * n + j] - expected;
        chi_square += difference * difference / expected;
      }
      CHECK(chi_square < size - 1 + 6 * std::sqrt(2 * (size - 1)));
    }
    double chi_square = 0;
    const double cells = size * (size - 1), expected = epochs / cells;
    for (std::uint64_t i = 0; i < n; ++i)
      for (std::uint64_t j = 0; j < n; ++j)
        if (i != j) chi_square += (pair[i * n + j] - expected) * (pair[i * n + j] - expected) / expected;
    CHECK(chi_square < cells - 1 + 6 * std::sqrt(2 * (cells - 1)));
  }
}

TEST_CASE("neighbours of a long order are far apart") {
  const auto order = order_of(60000, 3, 0);
  double sum = 0, close_by = 0;
  for (std::size_t i = 1; i < order.size(); ++i) {
    const double distance = std::abs(static_cast<double>(order[i]) - static_cast<double>(order[i - 1]));
    sum += distance;
    close_by += distance <= 300 ? 1 : 0;
  }
  CHECK(sum / 59999 == doctest::Approx(20000).epsilon(0.02));      // n / 3 for a random order
  CHECK(close_by / 59999 == doctest::Approx(0.01).epsilon(0.15));  // 2 * 300 / n
}
