// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/optimizer/rmsprop.hpp"

#include "support/optimizer.hpp"

using sinter::RMSprop;

// w = 1, gradients 0.5, -1, 0.25; torch.optim.RMSprop in double.
TEST_CASE("RMSprop: PyTorch's formulas") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  const std::vector<double> plain = {1.9999996048181146e-07, 0.8953230819113371, 0.6758495749040284},
                            all = {0.6854301625987897, 0.7971990019896716, 0.7574239783832952},
                            centered = {-0.0050376132390502655, -0.013332028638434558, -0.24032336613693434},
                            all_centered = {0.6685082872928176, 0.7737030597935803, 0.7313717774708348};
  CHECK(closeness::relative_error(optimizer::path(RMSprop{.lr = 0.1}, 1.0, gradients), plain) < 1e-14);
  RMSprop other{.lr = 0.1, .alpha = 0.9, .epsilon = 1e-3, .weight_decay = 0.1, .momentum = 0.5};
  CHECK(closeness::relative_error(optimizer::path(other, 1.0, gradients), all) < 1e-14);
  other.centered = true;
  CHECK(closeness::relative_error(optimizer::path(other, 1.0, gradients), all_centered) < 1e-14);
  const RMSprop around_mean{.lr = 0.1, .momentum = 0.9, .centered = true};
  CHECK(closeness::relative_error(optimizer::path(around_mean, 1.0, gradients), centered) < 1e-13);
}

TEST_CASE("RMSprop: defaults are PyTorch's") {
  constexpr RMSprop rmsprop;
  CHECK(rmsprop.lr == 1e-2);
  CHECK(rmsprop.alpha == 0.99);
  CHECK(rmsprop.epsilon == 1e-8);
  CHECK(rmsprop.momentum == 0);
  CHECK(!rmsprop.centered);
}

TEST_CASE("RMSprop: lanes, step on tensors, float") {
  optimizer::check(RMSprop{.lr = 0.01});
  optimizer::check(RMSprop{.lr = 0.01, .alpha = 0.9, .epsilon = 1e-3, .weight_decay = 0.1, .momentum = 0.5});
  optimizer::check(RMSprop{.lr = 0.01, .alpha = 0.9, .epsilon = 1e-2, .centered = true});
}

TEST_CASE("RMSprop: a variance that rounding takes below zero is none") {
  float weight = 1, state[3] = {};
  const RMSprop centered{.alpha = 0.5, .epsilon = 1e-3, .centered = true};
  for (int step = 0; step < 200; ++step) {
    centered.at<float>(step)(weight, 0.3f, state);  // v approaches a^2
    REQUIRE(std::isfinite(weight));
  }
}

TEST_CASE("RMSprop: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<RMSprop>();
  check_refused([] { RMSprop{.lr = -0.5}.check(); }, {"RMSprop", "lr = -0.5"});
  check_refused([] { RMSprop{.alpha = 1}.check(); }, {"alpha = 1, expected", "less than 1"});
  check_refused([] { RMSprop{.epsilon = -1}.check(); }, {"epsilon = -1"});
  check_refused([] { RMSprop{.weight_decay = -1}.check(); }, {"weight_decay = -1"});
  check_refused([] { RMSprop{.momentum = -1}.check(); }, {"momentum = -1"});
  check_refused([] { RMSprop{.momentum = 1.5}.check(); }, {"momentum = 1.5, expected", "less than 1"});
  CHECK_NOTHROW(RMSprop{}.check());
}
