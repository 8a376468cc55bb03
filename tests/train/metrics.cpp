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
  CHECK(matrix.iou(0) == doctest::Approx(3.0 / 7));
  CHECK(matrix.iou(1) == doctest::Approx(2.0 / 7));
  CHECK(matrix.iou(2) == 0);
  CHECK(matrix.mean_iou() == doctest::Approx((3.0 / 7 + 2.0 / 7 + 0) / 3));
  CHECK(matrix.mean_precision() == doctest::Approx(0.5));
  CHECK(matrix.mean_recall() == doctest::Approx((0.6 + 0.5 + 0) / 3));
  const ConfusionMatrix empty(2);
  CHECK(std::isnan(empty.accuracy()));
  CHECK(std::isnan(empty.mean_recall()));
  CHECK(std::isnan(empty.standard_error()));
  CHECK(error_of([&] { example().labelled(7); }) ==
        "a confusion matrix of 3 classes was asked for class 7; classes are numbered from 0");
  CHECK(error_of([] { standard_error(97.3, 100); }) ==
        "standard_error was given the fraction 97.3, expected 0 to 1; divide percent by 100");
  CHECK(error_of([] { ConfusionMatrix(-3); }) == "a confusion matrix was given -3 classes, expected 0 to 32768");
  CHECK(error_of([] { ConfusionMatrix(2147483647); }).find("2147483647 classes, expected 0 to 32768") < 100);
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

TEST_CASE("the label among the k largest outputs: ties") {
  const auto net = same_as_input();
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
  CHECK_FALSE(within({3, 1, 2}, 1, 2));
}

namespace {
/// Its first output is NaN.
Network<Same> broken() {
  Network<Same> net = same_as_input();
  net.parameter("0.weight")[0] = std::numeric_limits<float>::quiet_NaN();
  return net;
}
}  // namespace

TEST_CASE("a row with an output that is NaN is taken for no class, and is right by no metric") {
  const Tensor<float, Shape<3>> x{3, 1, 2, 1, 3, 2};
  const std::vector<int> labels{0, 1};
  const auto data = dataset(x, labels);
  const auto net = broken();
  CHECK(score(net, data) == 0);
  CHECK(evaluate(net, data, CrossEntropyLoss{}).accuracy == 0);
  CHECK(std::isnan(evaluate(net, data, CrossEntropyLoss{}).loss));
  for (int k = 1; k <= 3; ++k) CHECK(top_k_accuracy(net, data, k) == 0);
  const ConfusionMatrix matrix = confusion_matrix(net, data);
  CHECK(matrix.rows() == 2);
  CHECK(matrix.unanswered() == 2);
  CHECK(matrix.unanswered(1) == 1);
  CHECK(matrix.answered(0) == 0);
  CHECK(matrix.labelled(0) == 1);
  CHECK(matrix.accuracy() == 0);
  CHECK(matrix.recall(1) == 0);
  CHECK(matrix.text() ==
        "           0  1  2  none  recall\n"
        "        0  0  0  0     1     0.0\n"
        "        1  0  0  0     1     0.0\n"
        "        2  0  0  0     0       -\n"
        "precision  -  -  -           0.0\n");
}

TEST_CASE("numbers in the data that are not finite are refused by every metric, as by fit, with row and feature") {
  const auto net = same_as_input();
  Tensor<float, Shape<3>> x(4), targets(4);
  const std::vector<int> labels(4);
  const auto classes = dataset(x, labels);
  const auto numbers = dataset(x, targets);
  x(2, 1) = std::numeric_limits<float>::quiet_NaN();
  const auto refused = [](auto&& metric) {
    CHECK(error_of(metric) ==
          "row 2, feature 1 of the inputs is nan, expected a finite number; remove the row or fill the gap");
  };
  Ensemble<Same> nets(2);
  refused([&] { evaluate(net, classes, CrossEntropyLoss{}); });
  refused([&] { evaluate(nets, classes, CrossEntropyLoss{}); });
  refused([&] { score(net, classes); });
  refused([&] { top_k_accuracy(net, classes, 1); });
  refused([&] { confusion_matrix(net, classes); });
  refused([&] { regression(net, numbers); });
  x(2, 1) = 0;
  targets(3, 0) = std::numeric_limits<float>::infinity();
  CHECK(has(error_of([&] { regression(net, numbers); }), "row 3, feature 0 of the targets is inf"));
  CHECK(has(error_of([&] { evaluate(net, numbers, MSELoss{}); }), "row 3, feature 0 of the targets is inf"));
}

TEST_CASE("rows at a null pointer are refused") {
  const auto net = same_as_input();
  const std::vector<int> labels(10);
  const TensorView<const float, Shape<3>> nowhere{nullptr, 10};
  const Tensor<float, Shape<3>> x(10);
  const std::string words = "the inputs have 10 rows at a null pointer; give the address of the first number";
  CHECK(error_of([&] { predict(net, nowhere); }) == words);
  CHECK(error_of([&] { score(net, dataset(nowhere, labels)); }) == words);
  CHECK(error_of([&] { evaluate(net, dataset(x, nowhere), MSELoss{}); }) ==
        "the targets have 10 rows at a null pointer; give the address of the first number");
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
