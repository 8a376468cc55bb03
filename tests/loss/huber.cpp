// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/huber.hpp"

#include "support/loss.hpp"

using sinter::HuberLoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("HuberLoss: gradient, float, lanes, in place") {
  loss::check_row_loss<HuberLoss>(-2, 2);
  loss::check_row_loss(-2, 2, HuberLoss{.delta = 0.25});
}

TEST_CASE("HuberLoss: values on tensors") {
  Tensor<double, Shape<2>> y({1, 2, 3, 4}), target({1, 1.5, 5, 0});
  const auto [value, gradient] = HuberLoss{.delta = 2}(y, target);
  CHECK(value == (0 + 0.125 + 2 + 6) / 4);
  CHECK(std::vector<double>(gradient.values().begin(), gradient.values().end()) ==
        std::vector<double>{0, 0.125, -0.5, 0.5});
}

TEST_CASE("HuberLoss: bad options are refused with a message") {
  Tensor<float, Shape<3>> y(2);
  check_refused([&] { HuberLoss{.delta = 0}(y, y); }, {"HuberLoss", "delta = 0", "a number from 1e-30 to 1e30"});
  check_refused([&] { HuberLoss{.delta = -1}(y, y); }, {"delta = -1"});
  check_refused([&] { HuberLoss{.delta = 1e-320}(y, y); }, {"delta = 1e-320"});
}
