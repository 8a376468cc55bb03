// SPDX-License-Identifier: MIT
// labels: threads
#include <doctest/doctest.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter;
using namespace sinter_test;

namespace {

/// Its outputs are its inputs.
struct Same : Sequential<Input<3>, Linear<3, NoBias>> {};
Network<Same> same_as_input() {
  Network<Same> net;
  for (int i = 0; i < 9; ++i) net.parameter("0.weight")[static_cast<std::size_t>(i)] = i % 4 == 0;
  return net;
}
/// 5 rows of class 0 (3 right), 4 of class 1 (2 right), 1 of class 2 (wrong); nothing is taken for 2.
ConfusionMatrix example() {
  ConfusionMatrix matrix(3);
  for (int i = 0; i < 3; ++i) matrix.add(0, 0);
  for (int i = 0; i < 2; ++i) matrix.add(0, 1), matrix.add(1, 1), matrix.add(1, 0);
  matrix.add(2, 1);
  return matrix;
}

}  // namespace

TEST_CASE("a confusion matrix: counts, precision, recall, accuracy and its standard error") {
  const ConfusionMatrix matrix = example();
  CHECK(matrix.rows() == 10);
  CHECK(matrix(0, 1) == 2);
  CHECK(matrix(2, 2) == 0);
  CHECK(matrix.labelled(0) == 5);
  CHECK(matrix.answered(1) == 5);
  CHECK(matrix.accuracy() == 0.5);
  CHECK(matrix.standard_error() == doctest::Approx(std::sqrt(0.025)));
  CHECK(matrix.precision(0) == doctest::Approx(3.0 / 5));
  CHECK(matrix.recall(0) == doctest::Approx(3.0 / 5));
  CHECK(matrix.precision(1) == doctest::Approx(2.0 / 5));
  CHECK(matrix.recall(1) == doctest::Approx(2.0 / 4));
  CHECK(std::isnan(matrix.precision(2)));
  CHECK(matrix.recall(2) == 0);
  CHECK(matrix.f1(1) == doctest::Approx(2 * 0.4 * 0.5 / 0.9));
  CHECK(matrix.f1(2) == 0);
  CHECK(matrix.mean_precision() == doctest::Approx(0.5));
  CHECK(matrix.mean_recall() == doctest::Approx((0.6 + 0.5 + 0) / 3));
  const ConfusionMatrix empty(2);
  CHECK(std::isnan(empty.accuracy()));
  CHECK(std::isnan(empty.mean_recall()));
  CHECK(std::isnan(empty.standard_error()));
  CHECK(error_of([&] { ConfusionMatrix(2).add(0, 2); }) ==
        "a confusion matrix of 2 classes was asked for label 0 and answer 2; classes are numbered from 0");
}

TEST_CASE("its table") {
  CHECK(example().text({"cat", "dog", "mouse"}) ==
        "            cat   dog  mouse  recall\n"
        "      cat     3     2      0    60.0\n"
        "      dog     2     2      0    50.0\n"
        "    mouse     0     1      0     0.0\n"
        "precision  60.0  40.0      -    50.0\n");
  CHECK(has(ConfusionMatrix(2).text(), "           0  1  recall\n"));
  CHECK(error_of([] { ConfusionMatrix(2).text({"one"}); }) == "names of 1 classes were given for 2; give one for each");
}

TEST_CASE("of a network, on any number of threads and of both precisions") {
  struct Net : Sequential<Input<4>, Linear<7>, Tanh, Linear<5>> {};
  const auto x = inputs<Shape<4>>(203);
  const auto labels = labels_for(203, 5);
  const auto data = dataset(x, labels);
  const auto check = [&](const auto& net) {
    const auto y = predict(net, data);
    ConfusionMatrix wanted(5);
    for (std::size_t row = 0; row < 203; ++row) {
      int best = 0;
      for (int c = 1; c < 5; ++c)
        if (y(row, c) > y(row, best)) best = c;
      wanted.add(labels[row], best);
    }
    const ConfusionMatrix matrix = confusion_matrix(net, data);
    for (int label = 0; label < 5; ++label)
      for (int answer = 0; answer < 5; ++answer) CHECK(matrix(label, answer) == wanted(label, answer));
    CHECK(matrix.accuracy() == score(net, data));
    CHECK(top_k_accuracy(net, data, 1) == score(net, data));
    CHECK(top_k_accuracy(net, data, 5) == 1);
    CHECK(top_k_accuracy(net, data, 3) > top_k_accuracy(net, data, 1));
  };
  check(Network<Net>{{.seed = 1}});
  check(Network<Net>{Host{.threads = 3}, {.seed = 1}});
  check(Network<Net, Host, Float64>{{.seed = 1}});
  check(Network<Net, Reference>{{.seed = 1}});
}

TEST_CASE("the label among the k largest outputs: ties, and what is no number") {
  const auto net = same_as_input();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto within = [&](std::vector<float> row, std::uint8_t label, int k) {
    const Tensor<float, Shape<3>> x(std::move(row));
    const std::vector<std::uint8_t> labels{label};
    return top_k_accuracy(net, dataset(x, labels), k) == 1;
  };
  CHECK(within({3, 1, 2}, 0, 1));
  CHECK_FALSE(within({3, 1, 2}, 2, 1));
  CHECK(within({3, 1, 2}, 2, 2));
  CHECK_FALSE(within({3, 1, 2}, 1, 2));
  CHECK(within({1, 1, 0}, 0, 1));
  CHECK_FALSE(within({1, 1, 0}, 1, 1));
  CHECK(within({1, 1, 0}, 1, 2));
  CHECK_FALSE(within({nan, 1, 0}, 0, 2));
}

TEST_CASE("impossible questions are refused") {
  const auto net = same_as_input();
  const Tensor<float, Shape<3>> x(2);
  const std::vector<int> labels{0, 2}, wrong{0, 3};
  const auto data = dataset(x, labels);
  CHECK(error_of([&] { top_k_accuracy(net, data, 0); }) ==
        "top_k_accuracy was asked for k = 0 of a network with 3 outputs; k is 1 to as many");
  CHECK(has(error_of([&] { top_k_accuracy(net, data, 4); }), "k = 4"));
  CHECK(has(error_of([&] { top_k_accuracy(net, subset(data, 0, 0), 1); }), "a dataset of 0 rows"));
  CHECK(has(error_of([&] { confusion_matrix(net, dataset(x, wrong)); }), "row 1 of the labels is 3, expected 0 to 2"));
  CHECK(confusion_matrix(net, subset(data, 0, 0)).rows() == 0);
}
