// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/kl_div.hpp"

#include "support/loss.hpp"

using sinter::KLDivLoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("KLDivLoss: gradient, float, lanes, in place") {
  loss::check_row_loss<KLDivLoss>(0.01, 1);
  loss::check_row_loss(0.01, 1, KLDivLoss{.batchmean = true});
  loss::check_row_loss(-4, 0, KLDivLoss{.log_target = true});
}

TEST_CASE("KLDivLoss: values on tensors") {
  Tensor<double, Shape<2>> y({std::log(0.5), std::log(0.5), std::log(0.25), std::log(0.75)}), target({0.5, 0.5, 1, 0});
  CHECK(KLDivLoss{.batchmean = true}(y, target).value == doctest::Approx(std::log(4.0) / 2).epsilon(1e-14));
  CHECK(KLDivLoss{}(y, target).value == doctest::Approx(std::log(4.0) / 4).epsilon(1e-14));  // a target of 0 counts 0
}

TEST_CASE("KLDivLoss: log_target is the logarithm of the target") {
  Tensor<double, Shape<3>> y({-1, -2, -0.5}), target({0.2, 0.3, 0.5}),
      logarithms({std::log(0.2), std::log(0.3), std::log(0.5)});
  const auto plain = KLDivLoss{}(y, target), of_logs = KLDivLoss{.log_target = true}(y, logarithms);
  CHECK(plain.value == doctest::Approx(of_logs.value).epsilon(1e-14));
  CHECK(closeness::relative_error(plain.gradient.values(), of_logs.gradient.values()) < 1e-14);
}
