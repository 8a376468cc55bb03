// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

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
