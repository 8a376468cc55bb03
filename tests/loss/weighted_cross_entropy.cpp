// SPDX-License-Identifier: MIT
// labels: large optimised
#include "sinter/loss/weighted_cross_entropy.hpp"

#include <cstdint>

#include "sinter/loss/cross_entropy.hpp"
#include "support/loss.hpp"

using sinter::ClassWeights;
using sinter::CrossEntropyLoss;
using sinter::Shape;
using sinter::Tensor;
using sinter::WeightedCrossEntropyLoss;

TEST_CASE("WeightedCrossEntropyLoss: gradient, float, lanes, in place") {
  loss::check_class_loss(WeightedCrossEntropyLoss<3>{.weight = {1, 2, 0.5}, .label_smoothing = 0.2}, {3});
  loss::check_class_loss(WeightedCrossEntropyLoss<1>{.weight = {3}}, {1});
  loss::check_class_loss(WeightedCrossEntropyLoss<7>{}, {7});
}

TEST_CASE("WeightedCrossEntropyLoss: the mean is over the weights of the labels") {
  Tensor<double, Shape<2>> scores({1, 2, 3, 1, 0, 0});
  const std::vector<int> labels{0, 1, 0};
  const auto row = [&](double a, double b) { return std::log(std::exp(a) + std::exp(b)); };
  const double first = row(1, 2) - 1, second = row(3, 1) - 1, third = row(0, 0);
  const WeightedCrossEntropyLoss<2> weighted{.weight = {1, 4}};
  CHECK(weighted(scores, labels).value == doctest::Approx((first + 4 * second + third) / 6).epsilon(1e-14));
  const WeightedCrossEntropyLoss<2> without_ones{.ignore_index = 1};
  CHECK(without_ones(scores, labels).value == doctest::Approx((first + third) / 2).epsilon(1e-14));
}

TEST_CASE("WeightedCrossEntropyLoss: with no weight and nothing ignored it is CrossEntropyLoss") {
  Tensor<double, Shape<3>> scores({1, 2, 3, 3, 2, 1});
  const std::vector<int> labels{0, 1};
  const auto plain = CrossEntropyLoss{.label_smoothing = 0.1}(scores, labels);
  const auto weighted = WeightedCrossEntropyLoss<3>{.label_smoothing = 0.1}(scores, labels);
  CHECK(weighted.value == doctest::Approx(plain.value).epsilon(1e-14));
  CHECK(closeness::relative_error(weighted.gradient.values(), plain.gradient.values()) < 1e-14);
}

TEST_CASE("WeightedCrossEntropyLoss: a batch of which nothing counts has no loss and no gradient") {
  Tensor<float, Shape<3>> scores({1, 2, 3, 3, 2, 1});
  const auto [value, gradient] = WeightedCrossEntropyLoss<3>{}(scores, std::vector<int>{-100, -100});
  CHECK(value == 0);
  for (const float g : gradient.values()) CHECK(g == 0);
  CHECK(WeightedCrossEntropyLoss<3>{.weight = {0, 1, 1}}(scores, std::vector<int>{0, 0}).value == 0);
}

TEST_CASE("WeightedCrossEntropyLoss: a span of weights, its length checked") {
  const std::vector<float> three{1, 2, 0.5f};
  const WeightedCrossEntropyLoss<3> by_span{.weight = std::span<const float>(three)};
  CHECK(by_span.weight[1] == 2);
  check_refused([&] { return WeightedCrossEntropyLoss<4>{.weight = std::span<const float>(three)}.weight[0]; },
                {"3 weights", "expected 4", "make the two equal"});
}

TEST_CASE("CrossEntropyLoss: label smoothing") {
  loss::check_class_loss(CrossEntropyLoss{.label_smoothing = 0.1});
  Tensor<double, Shape<2>> scores({0, 0});
  CHECK(CrossEntropyLoss{.label_smoothing = 0.5}(scores, std::vector<int>{0}).value ==
        doctest::Approx(std::log(2.0)).epsilon(1e-14));
}

TEST_CASE("losses of labels: bad input is refused with a message") {
  Tensor<float, Shape<3>> scores(1);
  const std::vector<int> label{0}, unknown{3}, ignored{-100};
  const std::vector<float> two{1, 2}, below_zero{-1};
  const std::vector<std::uint64_t> large{std::uint64_t{0} - 100};  // would be -100 as an int64_t
  check_refused([&] { WeightedCrossEntropyLoss<3>{}(scores, large); }, {"label 18446744073709551516", "0 to 2"});
  CHECK(WeightedCrossEntropyLoss<3>{}(scores, ignored).value == 0);
  check_refused([&] { CrossEntropyLoss{}(scores, ignored); }, {"CrossEntropyLoss", "label -100"});
  check_refused([&] { WeightedCrossEntropyLoss<3>{}(scores, unknown); }, {"label 3", "0 to 2"});
  check_refused([&] { CrossEntropyLoss{.label_smoothing = 1.5}(scores, label); }, {"label_smoothing = 1.5"});
  check_refused([&] { WeightedCrossEntropyLoss<3>{.weight = {1, -2, 1}}(scores, label); }, {"weight[1] = -2"});
  check_refused([&] { WeightedCrossEntropyLoss<3>{.weight = {1, 1e308, 1}}(scores, label); }, {"weight[1] = 1e+308"});
  check_refused([&] { WeightedCrossEntropyLoss<3>{.weight = {1e-320, 1, 1}}(scores, label); }, {"weight[0] = 1e-320"});
  check_refused([&] { CrossEntropyLoss{}(scores, label, two); }, {"2 weights", "1 rows"});
  check_refused([&] { CrossEntropyLoss{}(scores, label, below_zero); }, {"weight -1", "row 0"});
}
