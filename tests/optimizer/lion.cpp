// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/optimizer/lion.hpp"

#include "support/optimizer.hpp"

using sinter::Lion;

// w = 1, gradients 0.5, -1, 0.25; by the formulas of the paper, by hand.
TEST_CASE("Lion: the paper's formulas") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  const std::vector<double> plain = {0.9, 1.0, 0.9}, decayed = {0.89, 0.9811, 0.871289};
  CHECK(closeness::relative_error(optimizer::path(Lion{.lr = 0.1}, 1.0, gradients), plain) < 1e-14);
  CHECK(closeness::relative_error(optimizer::path(Lion{.lr = 0.1, .weight_decay = 0.1}, 1.0, gradients), decayed) <
        1e-14);
}

TEST_CASE("Lion: the direction looks ahead of the state") {
  // m = 0.01 after one step of gradient 1; then c = 0.9 0.01 - 0.1 0.05 > 0 although the gradient is below zero.
  double weight = 0, state = 0;
  const Lion lion{.lr = 0.5};
  lion.at<double>(0)(weight, 1.0, &state);
  CHECK(weight == -0.5);
  CHECK(state == doctest::Approx(0.01));
  lion.at<double>(1)(weight, -0.05, &state);
  CHECK(weight == -1);
  CHECK(state == doctest::Approx(0.0094));
  double still = 3, none = 0;
  lion.at<double>(2)(still, 0.0, &none);  // no direction
  CHECK(still == 3);
}

TEST_CASE("Lion: lanes, step on tensors, float") {
  optimizer::check(Lion{.lr = 0.1});
  optimizer::check(Lion{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.9, .weight_decay = 0.1});
}

TEST_CASE("Lion: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<Lion>();
  check_refused([] { Lion{.lr = -0.5}.check(); }, {"Lion", "lr = -0.5"});
  check_refused([] { Lion{.beta1 = 1}.check(); }, {"beta1 = 1, expected", "less than 1"});
  check_refused([] { Lion{.beta2 = -0.1}.check(); }, {"beta2 = -0.1"});
  check_refused([] { Lion{.weight_decay = -1}.check(); }, {"weight_decay = -1"});
  CHECK_NOTHROW(Lion{}.check());
}
