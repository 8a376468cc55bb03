// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <sinter/data/normalize_columns.hpp>
#include <sinter/data/split.hpp>

#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {
constexpr float gap = std::numeric_limits<float>::quiet_NaN();
}  // namespace

TEST_CASE("each column gets mean 0 and deviation 1; gaps do not count and become 0") {
  Tensor<float, Shape<3>> x{{1, 10, 0.1f, 3, gap, 0.1f, 5, 30, 0.1f, gap, 20, 0.1f}};
  const NormalizeColumns columns = standardise(x);
  CHECK(columns.mean == std::vector<double>{3, 20, double{0.1f}});
  CHECK(columns.deviation[0] == doctest::Approx(std::sqrt(8. / 3)));
  CHECK(columns.deviation[1] == doctest::Approx(std::sqrt(200. / 3)));
  CHECK(columns.deviation[2] == 1);  // one number throughout
  columns.apply(x);
  const float a = static_cast<float>(-2 / std::sqrt(8. / 3)), b = static_cast<float>(10 / std::sqrt(200. / 3));
  const std::vector<float> wanted{a, -b, 0, 0, 0, 0, -a, b, 0, 0, 0, 0};
  for (std::size_t i = 0; i < wanted.size(); ++i) CHECK(x.values()[i] == doctest::Approx(wanted[i]));
}

TEST_CASE("fitted on the rows to train on, and applied to those held out and to single rows") {
  std::vector<float> numbers;
  std::vector<int> labels;
  for (int i = 0; i < 50; ++i) {
    numbers.push_back(2020 + 0.25f * static_cast<float>(i * i % 37));
    numbers.push_back(static_cast<float>(i % 5) * -1e6f);
    labels.push_back(i % 2);
  }
  const auto view = TensorView<const float, Shape<2>>::from(numbers);
  auto parts = random_split(dataset(view, labels), 0.3, 1);
  const auto before = parts.held_out;
  const NormalizeColumns columns = standardise(parts.train);
  CHECK(columns != standardise(view));
  columns.apply(parts.train);
  columns.apply(parts.held_out);
  const NormalizeColumns again = standardise(parts.train);
  for (std::size_t c = 0; c < 2; ++c) {
    CHECK(std::abs(again.mean[c]) < 1e-6);
    CHECK(again.deviation[c] == doctest::Approx(1));
    CHECK(
        parts.held_out.inputs()(3, static_cast<int>(c)) ==
        static_cast<float>((double{before.inputs()(3, static_cast<int>(c))} - columns.mean[c]) / columns.deviation[c]));
  }
  std::vector<double> row{2021, gap};
  columns.apply(TensorView<double, Shape<2>>::from(row));
  CHECK(row[0] == (2021 - columns.mean[0]) / columns.deviation[0]);
  CHECK(row[1] == 0);
}

TEST_CASE("by channel, and with strides") {
  const Tensor<double, Shape<2, 2, 1>> pictures{{1, 3, 10, 10, 5, 7, 30, 30}};
  CHECK(standardise(pictures).mean == std::vector<double>{4, 20});
  std::vector<float> table{1, 100, 2, 200, 3, 300};
  const TensorView<float, Shape<1>> second{.data = table.data() + 1, .rows = 3, .row_stride = 2};
  const NormalizeColumns column = standardise(second);
  CHECK(column.mean == std::vector<double>{200});
  column.apply(second);
  CHECK(table[0] == 1);
  CHECK(table[3] == 0);
  CHECK(table[5] == -table[1]);
}

TEST_CASE("what cannot be scaled") {
  const float infinite = std::numeric_limits<float>::infinity();
  CHECK(error_of([&] { standardise(Tensor<float, Shape<2>>{{1, 2, 3, infinite}}); }) ==
        "row 1, feature 1 of the inputs is inf, expected a finite number; remove the row or fill the gap");
  CHECK(error_of([&] { standardise(Tensor<float, Shape<2>>{{1, gap, 3, gap}}); }) ==
        "column 1 of 2 rows has no number to take a mean of; leave the column out, or give more rows");
  CHECK(has(error_of([&] { standardise(Tensor<float, Shape<2>>()); }), "column 0 of 0 rows has no number"));
  for (const double apart : {1e-170, 1e200})  // its square is no double
    CHECK(
        has(error_of([&] { standardise(Tensor<double, Shape<1>>{0, apart}); }), "whose squares a double cannot hold"));
  CHECK(has(error_of([&] { standardise(Tensor<double, Shape<1>>{1e308, 1e308, 1.1e308}); }),
            "column 0 has numbers from 1e+308 to 1.1e+308, whose squares a double cannot hold"));
  CHECK(has(error_of([&] { standardise(Tensor<float, Shape<1>>{0, 1e-40f}); }), "a mean that a float can hold"));
  Tensor<float, Shape<3>> x(1);
  CHECK(error_of([&] { standardise(Tensor<float, Shape<2>>{1, 2}).apply(x); }) ==
        "rows of 3 columns were to be scaled by 2 means and 2 deviations; take those of standardise() of rows with the "
        "same columns");
  CHECK(has(error_of([&] { NormalizeColumns{{1, 2, 3}, {1, 0, 1}}.apply(x); }),
            "column 1 was to be scaled by the mean 2 and the deviation 0"));
  const auto scaled = [](auto number, double mean, double deviation) {
    Tensor<decltype(number), Shape<1>> rows{{number}};
    return error_of([&] { NormalizeColumns{{mean}, {deviation}}.apply(rows); });
  };
  CHECK(scaled(1.f, 1e39, 1) ==
        "column 0 was to be scaled by the mean 1e+39 and the deviation 1, expected a mean that a float can hold and a "
        "deviation whose inverse it can; give numbers of another unit");
  CHECK(scaled(1.f, 0, 1e-40).starts_with("column 0 was to be scaled by the mean 0 and the deviation 1e-40, expected"));
  CHECK(scaled(1.f, 0, 1e39) != "(no error)");
  CHECK(scaled(1.f, -3e38, 2e-38) == "(no error)");
  CHECK(has(scaled(1.0, 0, 1e-320), "a mean that a double can hold"));
  CHECK(scaled(1.0, 1e39, 1e-40) == "(no error)");
}
