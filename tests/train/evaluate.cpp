// SPDX-License-Identifier: MIT
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "sinter/sinter.hpp"
#include "support/error_of.hpp"
#include "support/training.hpp"

using namespace sinter::internal;
using namespace sinter_test;

namespace {

struct Net : Sequential<Input<5>, Linear<7>, Dropout<0.5>, Tanh, Linear<4>, LogSoftmax> {};
struct Scores : Sequential<Input<5>, Linear<4>> {};

}  // namespace

TEST_CASE("means over the rows: of the loss, and of being right") {
  const Network<Net> net{Host{.threads = 3}, {.seed = 2}};
  for (const std::size_t rows : {std::size_t{1}, std::size_t{7}, std::size_t{64}, std::size_t{65}, std::size_t{200}}) {
    CAPTURE(rows);
    const auto x = inputs<Net::InputRow>(rows, 2);
    const auto labels = labels_for(rows, 4);
    const auto data = dataset(x, labels);
    const auto y = predict(net, data);
    REQUIRE(y.rows() == rows);
    double loss = 0, right = 0;
    for (std::size_t i = 0; i < rows; ++i) {
      int best = 0;
      for (int k = 1; k < 4; ++k)
        if (y(i, k) > y(i, best)) best = k;
      right += best == labels[i];
      loss -= static_cast<double>(y(i, labels[i]));
    }
    const auto [got, accuracy] = evaluate(net, data, NLLLoss{});
    CHECK(got == doctest::Approx(loss / static_cast<double>(rows)).epsilon(1e-12));
    CHECK(accuracy == right / static_cast<double>(rows));
    CHECK(score(net, data) == accuracy);
  }
}

TEST_CASE("the same numbers on any number of threads") {
  const auto x = inputs<Net::InputRow>(333, 2);
  const auto labels = labels_for(333, 4);
  const auto data = dataset(x, labels);
  const auto want = evaluate(Network<Net>{}, data, NLLLoss{});
  for (const int threads : {2, 3, 7}) {
    const auto got = evaluate(Network<Net>{Host{.threads = threads}}, data, NLLLoss{});
    CHECK(got.loss == want.loss);
    CHECK(got.accuracy == want.accuracy);
  }
}

TEST_CASE("other losses: CrossEntropyLoss of scores, MSELoss of rows, which have no accuracy") {
  const Network<Scores> net;
  const auto x = inputs<Net::InputRow>(20, 2);
  const auto labels = labels_for(20, 4);
  const auto y = predict(net, dataset(x, labels));
  const auto alone = CrossEntropyLoss{}(y, labels);
  CHECK(evaluate(net, dataset(x, labels), CrossEntropyLoss{}).loss ==
        doctest::Approx(static_cast<double>(alone.value)).epsilon(1e-6));

  Tensor<float, Shape<4>> targets(20);
  double sum = 0;
  for (const float v : y.values()) sum += static_cast<double>(v) * static_cast<double>(v);
  const auto result = evaluate(net, dataset(x, targets), MSELoss{});
  CHECK(result.loss == doctest::Approx(sum / 80).epsilon(1e-6));
  CHECK(!is_finite(result.accuracy));
}

TEST_CASE("masks are the identity") {
  // The same parameters without the mask.
  struct Unmasked : Sequential<Input<5>, Linear<7>, Tanh, Linear<4>, LogSoftmax> {};
  Network<Net> net;
  Network<Unmasked> unmasked;
  std::copy_n(net.data(), Program<Net>::arena_size, unmasked.data());
  const auto x = inputs<Net::InputRow>(30, 2);
  const auto labels = labels_for(30, 4);
  CHECK(std::ranges::equal(predict(net, dataset(x, labels)).values(), predict(unmasked, dataset(x, labels)).values()));
}

TEST_CASE("what makes no sense is refused") {
  const Network<Net> net;
  const auto x = inputs<Net::InputRow>(4, 2), none = inputs<Net::InputRow>(0, 2);
  const std::vector<int> wrong{0, 1, 4, 2}, negative{0, -1, 2, 2}, empty;
  CHECK(has(error_of([&] { evaluate(net, dataset(none, empty), NLLLoss{}); }), "0 rows"));
  CHECK(has(error_of([&] { score(net, dataset(none, empty)); }), "0 rows"));
  CHECK(
      has(error_of([&] { evaluate(net, dataset(x, wrong), NLLLoss{}); }), "row 2 of the labels is 4, expected 0 to 3"));
  CHECK(has(error_of([&] { score(net, dataset(x, negative)); }), "row 1 of the labels is -1"));
  CHECK(predict(net, dataset(none, empty)).rows() == 0);
  const Tensor<double, Net::InputRow> large{std::vector<double>(20, -1e39)};
  const std::vector<int> right(4);
  const std::string text =
      "row 0, feature 0 of the inputs is -1e+39, expected a number of at most 3.4028234663852886e+38 in size, which "
      "the "
      "network can hold; scale it";
  Network<Net> trained;
  CHECK(error_of([&] { evaluate(net, dataset(large, right), NLLLoss{}); }) == text);
  CHECK(error_of([&] { fit(trained, dataset(large, right), NLLLoss{}, SGD{}); }) == text);
  const Network<Net, Host, Float64> doubles;
  CHECK_NOTHROW(evaluate(doubles, dataset(large, right), NLLLoss{}));
}

TEST_CASE("a row with an output that is NaN is not right") {
  Network<Scores> net;
  for (float& weight : net.parameter("0.weight")) weight = 0;
  const auto bias = net.parameter("0.bias");
  bias[0] = std::nanf("");
  for (int k = 1; k < 4; ++k) bias[static_cast<std::size_t>(k)] = 0;
  const auto x = inputs<Scores::InputRow>(20, 2);
  const std::vector<int> zeros(20, 0);
  CHECK(score(net, dataset(x, zeros)) == 0);
  CHECK(evaluate(net, dataset(x, zeros), CrossEntropyLoss{}).accuracy == 0);
  bias[0] = 0, bias[2] = std::nanf("");
  CHECK(score(net, dataset(x, zeros)) == 0);
  bias[2] = -HUGE_VALF;
  CHECK(score(net, dataset(x, zeros)) == 1);
}

TEST_CASE("predict of rows alone: a tensor, a view, bytes with their scale") {
  const Network<Scores> net{Host{.threads = 2}};
  const auto x = inputs<Scores::InputRow>(70, 2);
  const std::vector<int> labels(70);
  const auto want = predict(net, dataset(x, labels));
  const auto same = [&](const Tensor<float, Shape<4>>& y) {
    return std::equal(y.values().begin(), y.values().end(), want.values().begin(), want.values().end());
  };
  CHECK(same(predict(net, x)));
  CHECK(same(predict(net, x.view())));
  CHECK(predict(net, Tensor<float, Shape<5>>{}).rows() == 0);

  std::vector<std::uint8_t> bytes(50);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 5);
  const TensorView<const std::uint8_t, Shape<5>> rows{bytes.data(), 10};
  const std::vector<int> ten(10);
  const auto scale = Normalize::pixels(0.5f, 0.25f);
  const auto scaled = predict(net, dataset(rows, ten, scale)), alone = predict(net, rows, scale);
  CHECK(std::equal(scaled.values().begin(), scaled.values().end(), alone.values().begin()));
}
