// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/smooth_l1.hpp"

#include "sinter/loss/l1.hpp"
#include "support/loss.hpp"

using sinter::L1Loss;
using sinter::Shape;
using sinter::SmoothL1Loss;
using sinter::Tensor;

TEST_CASE("SmoothL1Loss: gradient, float, lanes, in place") {
  loss::check_row_loss<SmoothL1Loss>(-2, 2);
  loss::check_row_loss(-2, 2, SmoothL1Loss{.beta = 0.25});
  loss::check_row_loss(-2, 2, SmoothL1Loss{.beta = 0});
}

TEST_CASE("SmoothL1Loss: values on tensors") {
  Tensor<double, Shape<2>> y({1, 2, 3, 4}), target({1, 1.5, 5, 0});
  const auto [value, gradient] = SmoothL1Loss{}(y, target);
  CHECK(value == (0 + 0.125 + 1.5 + 3.5) / 4);
  CHECK(std::vector<double>(gradient.values().begin(), gradient.values().end()) ==
        std::vector<double>{0, 0.125, -0.25, 0.25});
}

TEST_CASE("SmoothL1Loss: with beta = 0 it is L1Loss") {
  Tensor<double, Shape<2>> y({1, 2, 3, 4}), target({1, 1.5, 5, 0});
  CHECK(SmoothL1Loss{.beta = 0}(y, target).value == L1Loss{}(y, target).value);
  CHECK(closeness::relative_error(SmoothL1Loss{.beta = 0}(y, target).gradient.values(),
                                  L1Loss{}(y, target).gradient.values()) == 0);
}

TEST_CASE("SmoothL1Loss: bad options are refused with a message") {
  Tensor<float, Shape<3>> y(2);
  check_refused([&] { SmoothL1Loss{.beta = -1}(y, y); }, {"SmoothL1Loss", "beta = -1", "0 or a number from 1e-30"});
  check_refused([&] { SmoothL1Loss{.beta = 1e-39}(y, y); }, {"SmoothL1Loss", "beta = 1e-39", "from 1e-30 to 1e30"});
  CHECK_NOTHROW(SmoothL1Loss{}.check());
}
