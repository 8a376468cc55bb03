// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/cross_entropy.hpp"

#include "support/loss.hpp"

using sinter::CrossEntropyLoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("CrossEntropyLoss: gradient, float, lanes, in place") { loss::check_class_loss<CrossEntropyLoss>(); }

TEST_CASE("CrossEntropyLoss: values on tensors") {
  Tensor<double, Shape<3>> scores({1, 2, 3, 3, 2, 1});
  const auto [value, gradient] = CrossEntropyLoss{}(scores, std::vector<int>{0, 1});
  CHECK(value == doctest::Approx((2.4076059644443806 + 1.4076059644443806) / 2).epsilon(1e-14));
  const std::vector<double> want = {-0.45498471341480977, 0.12236423552739884,  0.33262047788741089,
                                    0.33262047788741089,  -0.37763576447260117, 0.045015286585190231};
  CHECK(closeness::relative_error(gradient.values(), want) < 1e-14);
}

TEST_CASE("CrossEntropyLoss is NLLLoss of LogSoftmax, bit for bit") {
  const auto x = closeness::numbers<float>(10, -4, 4);
  std::vector<float> y(10);
  sinter::fn::LogSoftmax::forward(x.data(), y.data(), 10);
  for (int label = 0; label < 10; ++label) {
    const auto at = static_cast<float>(label);
    CHECK(closeness::same(CrossEntropyLoss{}.forward(x.data(), 10, at), sinter::NLLLoss{}.forward(y.data(), 10, at)));
  }
}

TEST_CASE("CrossEntropyLoss: scores that overflow exp") {
  Tensor<float, Shape<2>> scores({1000, -1000, 1000, -1000});
  CHECK(CrossEntropyLoss{}(scores, std::vector<int>{0, 1}).value == 1000);
}

TEST_CASE("CrossEntropyLoss: bad input is refused with a message") {
  Tensor<float, Shape<3>> scores(1);
  check_refused([&] { CrossEntropyLoss{}(scores, std::vector<int>{3}); }, {"CrossEntropyLoss", "label 3"});
}
