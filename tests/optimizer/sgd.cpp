// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/optimizer/sgd.hpp"

#include <limits>

#include "support/optimizer.hpp"

using sinter::SGD;

namespace {
void check_path(const SGD& sgd, const std::vector<double>& want) {
  CHECK(closeness::relative_error(optimizer::path(sgd, 1.0, std::vector<double>(want.size(), 0.5)), want) < 1e-14);
}
}  // namespace

// w = 1, gradient 0.5 at every step.
TEST_CASE("SGD: PyTorch's formulas by hand") {
  check_path({.lr = 0.1}, {0.95, 0.90});
  check_path({.lr = 0.1, .momentum = 0.9}, {0.95, 0.855, 0.7195});                  // b = .5, .95, 1.355
  check_path({.lr = 0.1, .momentum = 0.9, .dampening = 0.5}, {0.95, 0.88, 0.792});  // b = .5, .7, .88
  check_path({.lr = 0.1, .momentum = 0.9, .nesterov = true},
             {0.905, 0.7695, 0.59755});                                           // g + .9 b = .95, 1.355, 1.7195
  check_path({.lr = 0.1, .weight_decay = 0.2}, {0.93, 0.8614});                   // g = .7, .686
  check_path({.lr = 0.1, .momentum = 0.5, .weight_decay = 0.2}, {0.93, 0.8264});  // g = .7, .686; b = .7, 1.036
}

TEST_CASE("SGD: lanes, step on tensors, float") {
  optimizer::check(SGD{.lr = 0.1});
  optimizer::check(SGD{.lr = 0.1, .momentum = 0.9, .dampening = 0.1, .weight_decay = 0.01});
  optimizer::check(SGD{.lr = 0.1, .momentum = 0.9, .weight_decay = 0.01, .nesterov = true});
}

TEST_CASE("SGD: a step number above 0 continues from the buffer it is given") {
  std::vector<double> weight = {0.95}, state = {0.5};
  SGD{.lr = 0.1, .momentum = 0.9}.step(weight, std::vector<double>{0.5}, state, 1);
  CHECK(weight[0] == doctest::Approx(0.855).epsilon(1e-14));
  CHECK(state[0] == doctest::Approx(0.95).epsilon(1e-14));
}

TEST_CASE("SGD: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<SGD>();
  check_refused([] { SGD{.lr = -0.5}.check(); }, {"SGD", "lr = -0.5", "at least 0"});
  check_refused([] { SGD{.momentum = -0.5}.check(); }, {"SGD", "momentum = -0.5"});
  check_refused([] { SGD{.momentum = 2}.check(); }, {"SGD", "momentum = 2", "at least 0 and less than 1"});
  check_refused([] { SGD{.momentum = 1}.check(); }, {"SGD", "momentum = 1", "less than 1"});
  check_refused([] { SGD{.momentum = 0.9, .dampening = 1.5}.check(); }, {"SGD", "dampening = 1.5", "from 0 to 1"});
  check_refused([] { SGD{.weight_decay = -0.5}.check(); }, {"SGD", "weight_decay = -0.5"});
  check_refused([] { SGD{.nesterov = true}.check(); }, {"nesterov", "momentum = 0 and"});
  check_refused([] { SGD{.momentum = 0.9, .dampening = 0.1, .nesterov = true}.check(); },
                {"nesterov", "dampening = 0.1"});
#if !defined(__FAST_MATH__)
  check_refused([] { SGD{.lr = std::numeric_limits<double>::quiet_NaN()}.check(); }, {"lr = nan"});
  check_refused([] { SGD{.lr = std::numeric_limits<double>::infinity()}.check(); }, {"lr = inf"});
#endif
  CHECK_NOTHROW(SGD{}.check());
  CHECK_NOTHROW((SGD{.lr = 0, .momentum = 0.9, .nesterov = true}.check()));
}
