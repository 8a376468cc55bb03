// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <sinter/data/labelled_data.hpp>
#include <utility>

#include "support/error_of.hpp"

using namespace sinter::internal;
using Data = LabelledData<std::uint8_t, Shape<1, 2, 2>, int>;
static_assert(Dataset<Data> && has_labels<Data>);
static_assert(std::same_as<inputs_of<Data>, TensorView<const std::uint8_t, Shape<1, 2, 2>>>);
static_assert(std::same_as<targets_of<Data>, std::span<const int>>);

TEST_CASE("it owns its rows: copies are independent, moves keep the rows") {
  Data data({1, 2, 3, 4, 5, 6, 7, 8}, {9, 4}, Normalize::pixels(0, 1));
  CHECK(data.size() == 2);
  CHECK(data.inputs()(1, 0, 1, 0) == 7);
  CHECK(data.targets()[0] == 9);
  const Data copy = data;
  CHECK(copy.inputs().data != data.inputs().data);
  const auto* where = data.inputs().data;
  const Data moved = std::move(data);
  CHECK(moved.inputs().data == where);
  CHECK(normalize_of(moved) == Normalize::pixels(0, 1));
  CHECK(subset(moved, 1, 1).targets()[0] == 4);
}

TEST_CASE("empty") { CHECK(Data{}.size() == 0); }

TEST_CASE("numbers that are not whole rows, or not one a label, are refused") {
  CHECK(
      error_of([] { Data({1, 2, 3, 4, 5}, {0}, {}); }) ==
      "a dataset with 1 labels was given 5 input numbers, which is not 4 for each label; pass whole rows, one a label");
  CHECK(error_of([] { Data({1, 2, 3, 4}, {0, 1}, {}); }).find("2 labels was given 4 input numbers") == 15);
  CHECK(error_of([] { Data({}, {0}, {}); }) != "(no error)");
}
