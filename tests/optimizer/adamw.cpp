// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/optimizer/adamw.hpp"

#include "support/optimizer.hpp"

using sinter::Adam;
using sinter::AdamW;

// w = 1, gradients 0.5, -1, 0.25; torch.optim.AdamW in double.
TEST_CASE("AdamW: PyTorch's formulas") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  const std::vector<double> by_default = {0.899000002, 0.9347113542385653, 0.9474457089827375},
                            decayed = {0.8901996007984032, 0.9227592916898856, 0.9278865210140562};
  CHECK(closeness::relative_error(optimizer::path(AdamW{.lr = 0.1}, 1.0, gradients), by_default) < 1e-14);
  const AdamW other{.lr = 0.1, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.1};
  CHECK(closeness::relative_error(optimizer::path(other, 1.0, gradients), decayed) < 1e-14);
}

TEST_CASE("AdamW: the decay is not part of the gradient, and without it this is Adam") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  CHECK(optimizer::path(AdamW{.lr = 0.1, .weight_decay = 0.1}, 1.0, gradients) !=
        optimizer::path(Adam{.lr = 0.1, .weight_decay = 0.1}, 1.0, gradients));
  CHECK(optimizer::path(AdamW{.lr = 0.1, .weight_decay = 0}, 1.0, gradients) ==
        optimizer::path(Adam{.lr = 0.1}, 1.0, gradients));
}

TEST_CASE("AdamW: defaults are PyTorch's") {
  constexpr AdamW adamw;
  CHECK(adamw.lr == 1e-3);
  CHECK(adamw.beta1 == 0.9);
  CHECK(adamw.beta2 == 0.999);
  CHECK(adamw.epsilon == 1e-8);
  CHECK(adamw.weight_decay == 1e-2);
}

TEST_CASE("AdamW: lanes, step on tensors, float") {
  optimizer::check(AdamW{.lr = 0.1});
  optimizer::check(AdamW{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.1});
}

TEST_CASE("AdamW: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<AdamW>();
  check_refused([] { AdamW{.lr = -0.5}.check(); }, {"AdamW", "lr = -0.5"});
  check_refused([] { AdamW{.beta1 = 1}.check(); }, {"AdamW", "beta1 = 1, expected", "less than 1"});
  check_refused([] { AdamW{.beta2 = -0.1}.check(); }, {"beta2 = -0.1"});
  check_refused([] { AdamW{.epsilon = -1}.check(); }, {"epsilon = -1"});
  check_refused([] { AdamW{.weight_decay = -1}.check(); }, {"weight_decay = -1"});
  CHECK_NOTHROW(AdamW{}.check());
}
