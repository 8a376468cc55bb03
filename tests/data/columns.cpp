// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <sinter/data/columns.hpp>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter;

TEST_CASE("one_hot: a 1 in the place of the label") {
  const auto rows = one_hot<3>(std::vector<int>{2, 0});
  static_assert(std::is_same_v<decltype(rows), const Tensor<float, Shape<3>>>);
  CHECK(std::vector(rows.values().begin(), rows.values().end()) == std::vector<float>{0, 0, 1, 1, 0, 0});
  CHECK(one_hot<2, double>(std::vector<std::uint8_t>{1})(0, 1) == 1);
  CHECK(has(error_of([&] { one_hot<3>(std::vector<int>{0, 3}); }), "row 1 of the labels is 3, expected 0 to 2"));
  CHECK(has(error_of([&] { one_hot<3>(std::vector<int>{-1}); }), "row 0 of the labels is -1, expected 0 to 2"));
}

TEST_CASE("hstack: tensors, views and labels side by side") {
  const Tensor<float, Shape<2>> x{{1, 2, 3, 4}};
  const std::vector<double> table{10, 11, 12, 20, 21, 22};
  const TensorView<const double, Shape<1>> last{.data = table.data() + 2, .rows = 2, .row_stride = 3};
  const auto all = hstack(std::vector<int>{7, 8}, x, last, one_hot<2>(std::vector<int>{1, 0}));
  static_assert(std::is_same_v<decltype(all), const Tensor<float, Shape<6>>>);
  CHECK(std::vector(all.values().begin(), all.values().end()) ==
        std::vector<float>{7, 1, 2, 12, 0, 1, 8, 3, 4, 22, 1, 0});
  static_assert(std::is_same_v<decltype(hstack<double>(x, x)), Tensor<double, Shape<4>>>);
  CHECK(error_of([&] { hstack(x, std::vector<int>{1, 2, 3}); }) ==
        "columns of 2 and of 3 rows were to be put side by side; give all of them as many rows");
}

TEST_CASE("hstack: numbers that its type does not hold") {
  const Tensor<float, Shape<1>> x{{1, 2}};
  const auto table = [](double first, double second) { return Tensor<double, Shape<1>>{{first, second}}; };
  const auto ids = [](std::int64_t first) { return std::vector<std::int64_t>{first, 0}; };
  CHECK(hstack(ids(1 << 24))(0, 0) == 16777216.f);
  CHECK(hstack(ids(std::int64_t{1} << 62))(0, 0) == 0x1p62f);
  CHECK(hstack(table(0.1, 1e-300))(0, 0) == 0.1f);
  CHECK(std::isnan(hstack(table(NAN, 0))(0, 0)));
  CHECK(hstack<std::int8_t>(table(-128, 127), std::vector<int>{127, -128})(1, 0) == 127);
  CHECK(error_of([&] { hstack(x, ids((1 << 24) + 1)); }) ==
        "hstack was given 16777217 in row 0 of column 1, expected a number that a float can hold exactly; ask for a "
        "type that holds it, or correct it");
  CHECK(error_of([&] {
          hstack(std::vector<std::uint64_t>{0, UINT64_MAX});
        }).starts_with("hstack was given 18446744073709551615 in row 1 of column 0, "));
  CHECK(error_of([&] {
          hstack<double>(ids((std::int64_t{1} << 53) + 1));
        }).ends_with("expected a number that a double can hold exactly; ask for a type that holds it, or correct it"));
  CHECK(error_of([&] { hstack(table(0, -1e300)); }) ==
        "hstack was given -1e+300 in row 1 of column 0, expected a number that a float can hold; ask for a type that "
        "holds it, or correct it");
  const auto refused = [&](double number) { return error_of([&] { hstack<std::int8_t>(table(number, 0)); }); };
  CHECK(refused(300.5) ==
        "hstack was given 300.5 in row 0 of column 0, expected a whole number from -128 to 127; ask for a type that "
        "holds it, or correct it");
  for (const double number : {0.5, 128.0, -129.0, 1e300, double{NAN}, -double{INFINITY}})
    CHECK(refused(number).starts_with("hstack was given "));
  CHECK(error_of([&] {
          hstack<std::uint8_t>(std::vector<int>{-1});
        }).starts_with("hstack was given -1 in row 0 of column 0, expected a whole number from 0 to 255"));
}
