// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <sinter/data/check.hpp>
#include <span>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
template <class T>
std::span<const T> labels(const std::vector<T>& values) {
  return values;
}
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();
}  // namespace

TEST_CASE("check_labels") {
  CHECK_NOTHROW(check_labels(labels<int>({0, 9, 3}), 10));
  CHECK_NOTHROW(check_labels(labels<int>({}), 0));
  CHECK(
      error_of([] { check_labels(labels<int>({0, 9, 10, 11}), 10); }) ==
      "row 2 of the labels is 10, expected 0 to 9; number the classes from 0, or give the network an output for each");
  CHECK(error_of([] { check_labels(labels<std::int8_t>({0, -1}), 2, "my labels"); }) ==
        "row 1 of my labels is -1, expected 0 to 1; number the classes from 0, or give the network an output for each");
  CHECK(error_of([] { check_labels(labels<std::uint8_t>({255}), 255); }).find("is 255, expected 0 to 254") == 20);
  CHECK(error_of([] {
          check_labels(labels<std::uint64_t>({std::uint64_t(-1)}), 10);
        }).find("is 18446744073709551615,") == 20);
  CHECK(error_of([] { check_labels(labels<std::int64_t>({std::int64_t(1) << 32}), 10); }).find("is 4294967296,") == 20);
}

TEST_CASE("class_count") {
  CHECK(class_count(labels<int>({})) == 0);
  CHECK(class_count(labels<int>({0, 4, 2})) == 5);
  CHECK(class_count(labels<std::uint8_t>({255})) == 256);
  const std::vector<float> x(2);
  const std::vector<int> y{0, 1};
  CHECK(class_count(dataset(TensorView<const float, Shape<1>>::from(x), y)) == 2);
  CHECK(error_of([] { class_count(labels<int>({-5})); }).find("is -5,") == 20);
  CHECK(error_of([] { class_count(labels<std::int64_t>({std::int64_t(1) << 40})); }) != "(no error)");
}

TEST_CASE("check_finite names row and place") {
  std::vector<float> x(12);
  const std::vector<int> y(2), z(6);
  const std::vector<std::uint8_t> bytes(2, 255);
  const auto as_features = dataset(TensorView<const float, Shape<2>>::from(x), z);
  const auto as_images = dataset(TensorView<const float, Shape<1, 2, 3>>::from(x), y);
  CHECK_NOTHROW(check_finite(as_features));
  CHECK_NOTHROW(check_finite(as_images));
  const auto as_bytes = [&](Normalize scale) {
    return dataset(TensorView<const std::uint8_t, Shape<1>>::from(bytes), y, scale);
  };
  CHECK_NOTHROW(check_finite(as_bytes({})));
  CHECK(
      error_of([&] { check_finite(as_bytes({.scale = 3e38f})); }).starts_with("integers up to 255 were to be scaled"));
  x[11] = infinity;
  x[9] = nan_value;
  CHECK(error_of([&] { check_finite(as_features); }) ==
        "row 4, feature 1 of the inputs is nan, expected a finite number; remove the row or fill the gap");
  CHECK(error_of([&] { check_finite(as_images); }).find("row 1, channel 0, pixel (1, 0) of the inputs is nan") == 0);
  x[9] = -std::numeric_limits<float>::max();
  CHECK(error_of([&] { check_finite(as_features); }).find("row 5, feature 1 of the inputs is inf") == 0);
}

TEST_CASE("check_finite looks only at what the view shows, and at targets that are numbers") {
  std::vector<float> x{1, nan_value, 2, nan_value};
  std::vector<double> wanted{1, 2};
  const TensorView<const float, Shape<1>> rows{x.data(), 2, 2};
  const auto data = dataset(rows, TensorView<const double, Shape<1>>::from(wanted));
  CHECK_NOTHROW(check_finite(data));
  wanted[1] = std::numeric_limits<double>::infinity();
  CHECK(error_of([&] { check_finite(data); }).find("row 1, feature 0 of the targets is inf") == 0);
}

namespace {
struct TooShort {
  std::vector<float> x = std::vector<float>(4);
  std::vector<int> y{0, 1};
  TensorView<const float, Shape<2>> inputs() const { return {x.data(), 2}; }
  std::span<const int> targets() const { return y; }
  std::size_t size() const { return 3; }
};
}  // namespace

TEST_CASE("check_size") {
  CHECK(error_of([] { check_size(TooShort{}); }) ==
        "a dataset says that it has 3 rows, and has 2 inputs and 2 targets; make the three equal");
}
