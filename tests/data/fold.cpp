// SPDX-License-Identifier: MIT
#include "sinter/data/fold.hpp"

#include <doctest/doctest.h>

#include <cstddef>
#include <set>

#include "support/check_refused.hpp"

using namespace sinter;

TEST_CASE("folds cover all rows once, and differ by one row at most") {
  for (const std::size_t rows : {2u, 3u, 10u, 11u, 13u, 100u})
    for (int k = 2; k <= 7 && static_cast<std::size_t>(k) <= rows; ++k) {
      CAPTURE(rows);
      CAPTURE(k);
      const auto folds = k_folds(rows, k);
      REQUIRE(folds.size() == static_cast<std::size_t>(k));
      std::size_t next = 0;
      for (const Fold& fold : folds) {
        CHECK(fold.first == next);
        CHECK(fold.count >= rows / static_cast<std::size_t>(k));
        CHECK(fold.count <= rows / static_cast<std::size_t>(k) + 1);
        CHECK(fold.count <= folds.front().count);
        next += fold.count;
      }
      CHECK(next == rows);
    }
}

TEST_CASE("skipping a fold names every other row once, in order") {
  for (const Fold fold : {Fold{}, Fold{0, 3}, Fold{4, 2}, Fold{7, 3}, Fold{10, 0}}) {
    std::set<std::size_t> rows;
    for (std::size_t i = 0; i < 10 - fold.count; ++i) {
      const std::size_t row = fold.skip(i);
      CHECK((row < fold.first || row >= fold.first + fold.count));
      CHECK(row < 10);
      CHECK((rows.empty() || row > *rows.rbegin()));
      rows.insert(row);
    }
  }
}

TEST_CASE("impossible numbers of folds are refused") {
  check_refused([] { k_folds(10, 1); }, {"1 folds of 10 rows", "at least 2"});
  check_refused([] { k_folds(10, 11); }, {"11 folds of 10 rows", "no more than there are rows"});
  check_refused([] { k_folds(0, 5); }, {"5 folds of 0 rows"});
}
