// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/nll.hpp"

#include "support/loss.hpp"

using sinter::NLLLoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("NLLLoss: gradient, float, lanes, in place") { loss::check_class_loss<NLLLoss>(); }

TEST_CASE("NLLLoss: values on tensors") {
  Tensor<float, Shape<3>> scores({-1, -2, -3, -4, -5, -6});
  const std::vector<int> labels = {2, 0};
  const auto [value, gradient] = NLLLoss{}(scores, labels);
  CHECK(value == 3.5f);  // (3 + 4) / 2
  CHECK(std::vector<float>(gradient.values().begin(), gradient.values().end()) ==
        std::vector<float>{0, 0, -0.5f, -0.5f, 0, 0});
}

TEST_CASE("NLLLoss: views, strides, labels of any integer type") {
  const std::vector<double> table = {-1, 9, -2, 9, -3, 9, -4, 9};  // rows of 4, the second of each pair is not ours
  sinter::TensorView<const double, Shape<2>> view{table.data(), 2, 4, 2};
  CHECK(NLLLoss{}(view, std::vector<std::uint8_t>{1, 0}).value == 2.5);
  CHECK(NLLLoss{}(view, std::vector<std::int64_t>{1, 0}).value == 2.5);
  const std::uint16_t labels[] = {1, 0};
  CHECK(NLLLoss{}(view, std::span<const std::uint16_t>(labels)).value == 2.5);
}

TEST_CASE("NLLLoss: bad input is refused with a message") {
  Tensor<float, Shape<3>> scores(2), none;
  check_refused([&] { NLLLoss{}(scores, std::vector<int>{0, 3}); },
                {"NLLLoss", "label 3", "row 1", "0 to 2", "check the labels"});
  check_refused([&] { NLLLoss{}(scores, std::vector<int>{-1, 0}); }, {"label -1", "row 0"});
  check_refused([&] { NLLLoss{}(scores, std::vector<std::uint64_t>{0, ~0ull}); }, {"18446744073709551615"});
  check_refused([&] { NLLLoss{}(scores, std::vector<int>{0}); }, {"1 targets", "2 rows"});
  check_refused([&] { NLLLoss{}(none, std::vector<int>{}); }, {"no rows"});
}
