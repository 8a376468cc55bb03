// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <sinter/data/dataset.hpp>
#include <span>
#include <vector>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
struct NoNormalize {
  std::vector<double> x{1, 2, 3};
  std::vector<long> y{0, 1, 1};
  TensorView<const double, Shape<1>> inputs() const { return {x.data(), 3}; }
  std::span<const long> targets() const { return y; }
  std::size_t size() const { return 3; }
};
struct References : NoNormalize {
  TensorView<const double, Shape<1>> rows{x.data(), 3};
  const TensorView<const double, Shape<1>>& inputs() const { return rows; }
};
struct BoolLabels : NoNormalize {
  std::span<const bool> targets() const { return {}; }
};
struct IntInputs : NoNormalize {
  TensorView<const int, Shape<1>> inputs() const { return {}; }
};
struct Mutable : NoNormalize {
  TensorView<double, Shape<1>> inputs() const { return {}; }
};
struct NoSize {
  TensorView<const double, Shape<1>> inputs() const { return {}; }
  std::span<const long> targets() const { return {}; }
};
static_assert(Dataset<NoNormalize> && Dataset<References>);
static_assert(!Dataset<BoolLabels> && !Dataset<IntInputs> && !Dataset<Mutable> && !Dataset<NoSize> && !Dataset<int>);
}  // namespace

TEST_CASE("a class of your own is a dataset; without normalize() inputs stay as they are") {
  const NoNormalize data;
  CHECK(normalize_of(data) == Normalize{});
  const auto part = subset(data, 1, 2);
  CHECK(part.size() == 2);
  CHECK(part.inputs()(0, 0) == 2);
  CHECK(part.targets()[1] == 1);
}

TEST_CASE("dataset: labels of any integer type, vectors, arrays, spans, tensors, views") {
  std::vector<float> x{1, 2, 3, 4, 5, 6};
  const auto rows = TensorView<float, Shape<3>>::from(x);
  const Tensor<float, Shape<3>> tensor(x);

  const auto check = [&](const auto& labels) {
    for (const auto& data : {dataset(rows, labels), dataset(tensor, labels)}) {
      static_assert(Dataset<decltype(data)> && has_labels<decltype(data)>);
      CHECK(data.size() == 2);
      CHECK(data.inputs()(1, 2) == 6);
      CHECK(data.targets()[0] == 1);
    }
  };
  check(std::vector<std::uint8_t>{1, 0});
  check(std::vector<std::int8_t>{1, 0});
  check(std::vector<int>{1, 0});
  check(std::array<std::int64_t, 2>{1, 0});
  const std::vector<unsigned> labels{1, 0};
  check(std::span<const unsigned>(labels));
  check(std::span<const unsigned, 2>(labels));
}

TEST_CASE("dataset: rows to be matched, bytes, normalisation") {
  const std::vector<std::uint8_t> pixels(2 * 4 * 4, 7);
  const std::vector<double> wanted{.1, .2, .3, .4};
  const auto data = dataset(TensorView<const std::uint8_t, Shape<1, 4, 4>>::from(pixels),
                            TensorView<const double, Shape<2>>::from(wanted), Normalize::pixels(0, 1));
  static_assert(Dataset<decltype(data)> && !has_labels<decltype(data)>);
  CHECK(normalize_of(data).scale == 1.f / 255);
  const auto part = subset(data, 1, 1);
  CHECK(part.targets()(0, 1) == .4);
  CHECK(part.inputs()(0, 0, 3, 3) == 7);
  CHECK(normalize_of(part) == normalize_of(data));
}

TEST_CASE("dataset: strides are kept") {
  const std::vector<float> table{1, 10, 0, 2, 20, 1, 3, 30, 0};  // two inputs and something else in a row
  TensorView<const float, Shape<2>> rows{table.data(), 3, 3};
  const std::vector<int> labels{0, 1, 0};
  const auto part = subset(dataset(rows, labels), 1, 2);
  CHECK(part.inputs()(0, 1) == 20);
  CHECK(part.inputs()(1, 0) == 3);
}

TEST_CASE("dataset: counts that differ are refused") {
  const std::vector<float> x(6);
  const std::vector<int> labels{0, 1, 2, 3};
  const auto rows = TensorView<const float, Shape<3>>::from(x);
  CHECK(error_of([&] { dataset(rows, labels); }) == "a dataset of 2 rows was given 4 labels; pass one for each row");
  const auto targets = TensorView<const float, Shape<1>>::from(x);
  CHECK(error_of([&] { dataset(rows, targets); }) ==
        "a dataset of 2 rows was given 6 target rows; pass one for each row");
}

TEST_CASE("subset: the whole, nothing, too much") {
  const NoNormalize data;
  CHECK(subset(data, 0, 3).size() == 3);
  CHECK(subset(data, 3, 0).size() == 0);
  const std::string refusal = " of a dataset of 3 rows were asked for; stay within it";
  CHECK(error_of([&] { subset(data, 2, 2); }) == "2 rows from row 2" + refusal);
  CHECK(error_of([&] { subset(data, 4, 0); }) == "0 rows from row 4" + refusal);
  CHECK(error_of([&] { subset(data, 1, std::size_t(-1)); }) == "18446744073709551615 rows from row 1" + refusal);
}
