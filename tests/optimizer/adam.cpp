// SPDX-License-Identifier: MIT
// labels: processor optimised
#include "sinter/optimizer/adam.hpp"

#include <limits>

#include "support/optimizer.hpp"

using sinter::Adam;

// w = 1, gradients 0.5, -1, 0.25; the formulas of torch.optim.Adam evaluated with 40 digits.
TEST_CASE("Adam: PyTorch's formulas") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  const std::vector<double> plain = {0.90000000199999996, 0.936610354240565603, 0.950279420338976418},
                            decayed = {0.900000001666666639, 0.925263519445606394, 0.924730574268709586};
  CHECK(closeness::relative_error(optimizer::path(Adam{.lr = 0.1}, 1.0, gradients), plain) < 1e-14);
  CHECK(closeness::relative_error(optimizer::path(Adam{.lr = 0.1, .weight_decay = 0.1}, 1.0, gradients), decayed) <
        1e-14);
}

TEST_CASE("Adam: defaults are PyTorch's") {
  constexpr Adam adam;
  CHECK(adam.lr == 1e-3);
  CHECK(adam.beta1 == 0.9);
  CHECK(adam.beta2 == 0.999);
  CHECK(adam.epsilon == 1e-8);
}

TEST_CASE("Adam: lanes, step on tensors, float") {
  optimizer::check(Adam{.lr = 0.1});
  optimizer::check(Adam{.lr = 0.01, .beta1 = 0.8, .beta2 = 0.9, .epsilon = 1e-3, .weight_decay = 0.1});
}

TEST_CASE("Adam: late steps need no correction") {
  const auto update = Adam{.lr = 0.1}.at<double>(1000000);
  CHECK(update.rate == doctest::Approx(0.1));
  CHECK(update.root_scale == doctest::Approx(1));
  CHECK(Adam{.lr = 0.1}.at<double>(std::numeric_limits<long>::max()).rate == 0.1);  // its number is not one higher
}

TEST_CASE("Adam: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<Adam>();
  check_refused([] { Adam{.lr = -0.5}.check(); }, {"Adam", "lr = -0.5"});
  check_refused([] { Adam{.beta1 = 1}.check(); }, {"beta1 = 1, expected", "less than 1"});
  check_refused([] { Adam{.beta2 = -0.1}.check(); }, {"beta2 = -0.1"});
  check_refused([] { Adam{.epsilon = -1}.check(); }, {"epsilon = -1"});
  check_refused([] { Adam{.weight_decay = -1}.check(); }, {"weight_decay = -1"});
  CHECK_NOTHROW(Adam{}.check());
}
