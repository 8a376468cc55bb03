// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/l1.hpp"

#include "support/loss.hpp"

using sinter::L1Loss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("L1Loss: gradient, float, lanes, in place") { loss::check_row_loss<L1Loss>(-2, 2); }

TEST_CASE("L1Loss: values on tensors, and no gradient where it is met") {
  Tensor<float, Shape<2>> y({1, 2, 3, 4}), target({1, 0, 5, 0});
  const auto [value, gradient] = L1Loss{}(y, target);
  CHECK(value == 2);  // (0 + 2 + 2 + 4) / 4
  CHECK(std::vector<float>(gradient.values().begin(), gradient.values().end()) ==
        std::vector<float>{0, 0.25f, -0.25f, 0.25f});
}

TEST_CASE("L1Loss: bad input is refused with a message") {
  Tensor<float, Shape<3>> y(2), target(3), none;
  check_refused([&] { L1Loss{}(y, target); }, {"L1Loss", "3 targets", "2 rows", "same batch"});
  check_refused([&] { L1Loss{}(none, none); }, {"L1Loss", "no rows"});
}
