// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/optimizer/adagrad.hpp"

#include "support/optimizer.hpp"

using sinter::Adagrad;

// w = 1, gradients 0.5, -1, 0.25; torch.optim.Adagrad in double.
TEST_CASE("Adagrad: PyTorch's formulas") {
  const std::vector<double> gradients = {0.5, -1, 0.25};
  const std::vector<double> plain = {0.90000000002, 0.9894427191119917, 0.9676209300902971},
                            all = {0.9353700283686677, 0.9988667891004462, 0.9771751114553902};
  CHECK(closeness::relative_error(optimizer::path(Adagrad{.lr = 0.1}, 1.0, gradients), plain) < 1e-14);
  const Adagrad other{
      .lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.1, .initial_accumulator_value = 0.5, .epsilon = 1e-3};
  CHECK(closeness::relative_error(optimizer::path(other, 1.0, gradients), all) < 1e-14);
}

TEST_CASE("Adagrad: defaults are PyTorch's") {
  constexpr Adagrad adagrad;
  CHECK(adagrad.lr == 1e-2);
  CHECK(adagrad.lr_decay == 0);
  CHECK(adagrad.initial_accumulator_value == 0);
  CHECK(adagrad.epsilon == 1e-10);
}

TEST_CASE("Adagrad: lanes, step on tensors, float") {
  optimizer::check(Adagrad{.lr = 0.1});
  optimizer::check(
      Adagrad{.lr = 0.1, .lr_decay = 0.1, .weight_decay = 0.1, .initial_accumulator_value = 0.5, .epsilon = 1e-3});
}

TEST_CASE("Adagrad: bad options and sizes are refused with a message") {
  optimizer::check_step_refuses<Adagrad>();
  check_refused([] { Adagrad{.lr = -0.5}.check(); }, {"Adagrad", "lr = -0.5"});
  check_refused([] { Adagrad{.lr_decay = -1}.check(); }, {"lr_decay = -1"});
  check_refused([] { Adagrad{.initial_accumulator_value = -1}.check(); }, {"initial_accumulator_value = -1"});
  check_refused([] { Adagrad{.epsilon = -1}.check(); }, {"epsilon = -1"});
  check_refused([] { Adagrad{.weight_decay = -1}.check(); }, {"weight_decay = -1"});
  CHECK_NOTHROW(Adagrad{}.check());
}
