// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/bce_with_logits.hpp"

#include "support/loss.hpp"

using sinter::BCEWithLogitsLoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("BCEWithLogitsLoss: gradient, float, lanes, in place") {
  loss::check_row_loss<BCEWithLogitsLoss>(0, 1);
  loss::check_row_loss(0, 1, BCEWithLogitsLoss{.pos_weight = 3});
}

TEST_CASE("BCEWithLogitsLoss: values on tensors") {
  Tensor<double, Shape<1>> y({0, 0, 2}), target({0, 1, 1});
  const double of_two = std::log1p(std::exp(-2.0));
  CHECK(BCEWithLogitsLoss{}(y, target).value == doctest::Approx((2 * std::log(2.0) + of_two) / 3).epsilon(1e-14));
  CHECK(BCEWithLogitsLoss{.pos_weight = 5}(y, target).value ==
        doctest::Approx((6 * std::log(2.0) + 5 * of_two) / 3).epsilon(1e-14));
}

TEST_CASE("BCEWithLogitsLoss: scores that overflow exp") {
  Tensor<float, Shape<2>> y({1000, -1000}), right({1, 0}), wrong({0, 1});
  CHECK(BCEWithLogitsLoss{}(y, right).value == 0);
  CHECK(BCEWithLogitsLoss{}(y, wrong).value == 1000);
  CHECK(BCEWithLogitsLoss{}(y, wrong).gradient.values()[0] == 0.5f);
}

TEST_CASE("BCEWithLogitsLoss: bad options are refused with a message") {
  Tensor<float, Shape<3>> y(2);
  check_refused([&] { BCEWithLogitsLoss{.pos_weight = -1}(y, y); }, {"BCEWithLogitsLoss", "pos_weight = -1"});
  check_refused([&] { BCEWithLogitsLoss{.pos_weight = 1e39}(y, y); },
                {"pos_weight = 1e+39", "0 or a number from 1e-30"});
}
