// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <cstdint>
#include <set>
#include <sinter/data/fold.hpp>
#include <sinter/data/split.hpp>

#include "support/check_refused.hpp"

using namespace sinter::internal;

namespace {
/// Rows {i, -i} with the class i % 3 where 3 divides more often than not: 60, 30 and 10 of 100.
struct Numbered {
  std::vector<float> x;
  std::vector<std::uint8_t> labels;
  explicit Numbered(std::size_t rows) {
    for (std::size_t i = 0; i < rows; ++i) {
      x.push_back(static_cast<float>(i));
      x.push_back(-static_cast<float>(i));
      labels.push_back(i % 10 < 6 ? 0 : i % 10 < 9 ? 1 : 2);
    }
  }
  auto data() const {
    return DataView(TensorView<const float, Shape<2>>::from(x), std::span<const std::uint8_t>(labels), Normalize{2, 3});
  }
};
template <class D>
std::vector<int> numbers_of(const D& data) {
  std::vector<int> all;
  for (std::size_t i = 0; i < data.size(); ++i) {
    all.push_back(static_cast<int>(data.inputs()(i, 0)));
    CHECK(data.inputs()(i, 1) == -data.inputs()(i, 0));
    CHECK(data.targets()[i] == (all.back() % 10 < 6 ? 0 : all.back() % 10 < 9 ? 1 : 2));
  }
  return all;
}
template <class D>
std::vector<int> count_classes(const D& data) {
  std::vector<int> count(3);
  for (const auto label : data.targets()) ++count[label];
  return count;
}
}  // namespace

TEST_CASE("a subset of rows is a copy in their order, also twice the same, with its scale") {
  const Numbered numbered(20);
  const auto data = numbered.data();
  const std::vector<std::uint32_t> rows{7, 3, 3, 19, 0};
  const auto chosen = subset(data, rows);
  CHECK(numbers_of(chosen) == std::vector<int>{7, 3, 3, 19, 0});
  CHECK(normalize_of(chosen) == Normalize{2, 3});
  static_assert(Dataset<decltype(chosen)>);
  static_assert(!HasWeights<decltype(chosen)>);
  CHECK(subset(data, std::vector<std::uint32_t>{}).size() == 0);
  check_refused([&] { subset(data, std::vector<std::uint32_t>{0, 20}); }, {"row 20 of a dataset of 20 rows"});
}

TEST_CASE("the numbers of rows are integers of any type, and negative ones are refused as such") {
  const Numbered numbered(20);
  const auto data = numbered.data();
  const auto check = [&](auto type) {
    const std::vector<decltype(type)> rows{7, 3, 19};
    CHECK(numbers_of(subset(data, rows)) == std::vector<int>{7, 3, 19});
    CHECK(numbers_of(subset(data, std::span(rows).first(1))) == std::vector<int>{7});
    check_refused([&] { subset(data, std::vector<decltype(type)>{20}); }, {"row 20 of a dataset of 20 rows"});
  };
  check(int{});
  check(long{});
  check(std::size_t{});
  check(std::uint8_t{});
  check(std::int16_t{});
  CHECK(numbers_of(subset(data, std::set<int>{5, 2})) == std::vector<int>{2, 5});
  check_refused([&] { subset(data, std::vector<int>{0, -1}); }, {"row -1 of a dataset of 20 rows was asked for"});
  check_refused([&] { subset(data, std::vector<std::size_t>{std::size_t(-1)}); }, {"row 18446744073709551615 of"});
}

TEST_CASE("target rows, strides and weights go along") {
  const std::vector<double> table{1, 10, 100, 2, 20, 200, 3, 30, 300};
  const std::vector<float> weights{1, 0, 5};
  const TensorView<const double, Shape<2>> x{table.data(), 3, 3};
  const TensorView<const double, Shape<1>> y{table.data() + 2, 3, 3};
  const auto chosen = subset(dataset(x, y, weights), std::vector<std::uint32_t>{2, 1});
  CHECK(chosen.inputs()(0, 1) == 30);
  CHECK(chosen.targets()(1, 0) == 200);
  CHECK(chosen.inputs().contiguous());
  static_assert(HasWeights<decltype(chosen)>);
  CHECK(chosen.weights()[0] == 5);
  CHECK(chosen.weights()[1] == 0);
}

TEST_CASE("random_split: all rows once, in their order, chosen by the seed alone") {
  const Numbered numbered(103);
  const auto data = numbered.data();
  const auto [train, held_out] = random_split(data, 0.2, 5);
  CHECK(held_out.size() == 21);  // 20.6
  const auto a = numbers_of(train), b = numbers_of(held_out);
  CHECK(std::is_sorted(a.begin(), a.end()));
  CHECK(std::is_sorted(b.begin(), b.end()));
  std::set<int> all(a.begin(), a.end());
  all.insert(b.begin(), b.end());
  CHECK(all.size() == 103);
  CHECK(a.size() + b.size() == 103);
  CHECK(numbers_of(random_split(data, 0.2, 5).held_out) == b);
  CHECK(numbers_of(random_split(data, 0.2, 6).held_out) != b);
  CHECK((b.front() < 30 && b.back() > 70));
  for (const double fraction : {0., 1., -1., 2., 0.001, 0.999, 0. / 0.})
    check_refused([&] { random_split(data, fraction, 1); },
                  {"random_split was asked to hold out a fraction", "of 103 rows"});
}

TEST_CASE("stratified_split: the share of each class, to one row") {
  const Numbered numbered(200);
  const auto [train, held_out] = stratified_split(numbered.data(), 0.25, 3);
  CHECK(count_classes(held_out) == std::vector<int>{30, 15, 5});
  CHECK(count_classes(train) == std::vector<int>{90, 45, 15});
  CHECK(numbers_of(held_out) != numbers_of(stratified_split(numbered.data(), 0.25, 4).held_out));
  const auto uneven = stratified_split(numbered.data(), 0.13, 3);
  CHECK(uneven.held_out.size() == 26);
  const auto held = count_classes(uneven.held_out);  // of 15.6, 7.8, 2.6
  CHECK((held[1] == 8 && held[0] + held[2] == 18 && (held[0] == 15 || held[0] == 16)));
}

TEST_CASE("stratified_split: within one row of its share in each class and in all, for any fraction and classes") {
  for (int rows = 2; rows < 260; rows += 7) {
    std::vector<float> x(static_cast<std::size_t>(rows));
    std::vector<int> labels, all(9);
    for (int i = 0; i < rows; ++i) {
      labels.push_back(i * i * 31 % (1 + rows % 9));
      ++all[static_cast<std::size_t>(labels.back())];
    }
    const auto data = dataset(TensorView<const float, Shape<1>>::from(x), labels);
    for (double fraction = 0.03; fraction < 1; fraction += 0.08) {
      const auto wanted = static_cast<std::size_t>(fraction * rows + 0.5);
      if (wanted == 0 || wanted >= data.size()) continue;
      const auto parts = stratified_split(data, fraction, 1);
      CAPTURE(rows);
      CAPTURE(fraction);
      CHECK(parts.held_out.size() == wanted);
      CHECK(parts.train.size() == data.size() - wanted);
      std::vector<int> held_out(9);
      for (const int label : parts.held_out.targets()) ++held_out[static_cast<std::size_t>(label)];
      for (std::size_t c = 0; c < 9; ++c) CHECK(std::abs(held_out[c] - fraction * all[c]) < 1);
    }
  }
}

TEST_CASE("k_folds of shuffled and of stratified rows") {
  const Numbered numbered(101);
  const auto data = numbered.data();
  const auto shuffled = subset(data, shuffled_rows(data, 1));
  auto order = numbers_of(shuffled);
  CHECK(!std::is_sorted(order.begin(), order.end()));
  std::sort(order.begin(), order.end());
  for (int i = 0; i < 101; ++i) CHECK(order[static_cast<std::size_t>(i)] == i);

  const auto dealt = subset(data, stratified_rows(data, 7, 1));
  CHECK(dealt.size() == 101);
  for (const Fold& fold : k_folds(101, 7)) {
    const auto count = count_classes(subset(dealt, fold.first, fold.count));
    CHECK((count[0] == 8 || count[0] == 9));  // 61 in all
    CHECK((count[1] == 4 || count[1] == 5));  // 30
    CHECK((count[2] == 1 || count[2] == 2));  // 10
  }
  check_refused([&] { stratified_rows(data, 0, 1); }, {"0 folds", "1 or more"});
  CHECK(stratified_rows(data, 0x7fffffff, 1).size() == 101);  // in no time
}
