// SPDX-License-Identifier: MIT
// labels: optimised
#include "sinter/loss/mse.hpp"

#include "support/loss.hpp"

using sinter::MSELoss;
using sinter::Shape;
using sinter::Tensor;

TEST_CASE("MSELoss: gradient, float, lanes, in place") {
  for (const std::size_t n : {1u, 2u, 7u, 10u}) {
    const auto target = closeness::numbers(n, -2, 2, 9);
    loss::check_gradient<MSELoss>(n, target.data(), target.data());
    const std::vector<float> target_float(target.begin(), target.end());
    loss::check_float<MSELoss>(n, target_float.data(), target.data());
    closeness::for_each_lane_count<float>([&]<int L>() {
      const auto targets = closeness::numbers<float>(n * L, -2, 2, 9);
      const auto packs = closeness::to_packs<L>(targets);
      std::vector<std::vector<float>> each;
      for (int i = 0; i < L; ++i) each.push_back(closeness::lane(targets, L, i));
      loss::check_lanes<MSELoss, float, L>(n, packs.data(), [&](int lane) {
        return static_cast<const float*>(each[static_cast<std::size_t>(lane)].data());
      });
    });
  }
}

TEST_CASE("MSELoss: values on tensors") {
  Tensor<float, Shape<2>> y({1, 2, 3, 4}), target({1, 0, 0, 0});
  const auto [value, gradient] = MSELoss{}(y, target);
  CHECK(value == 7.25f);  // (0 + 4 + 9 + 16) / 4
  CHECK(std::vector<float>(gradient.values().begin(), gradient.values().end()) == std::vector<float>{0, 1, 1.5f, 2});
}

TEST_CASE("MSELoss: pictures, with their channels last in memory") {
  std::vector<double> channels_last = {1, 10, 2, 20, 3, 30};  // [1][3][2]
  sinter::TensorView<double, Shape<2, 1, 3>> view{channels_last.data(), 1, 6, 1, 6, 2};
  Tensor<double, Shape<2, 1, 3>> target({1, 2, 3, 10, 20, 30});
  CHECK(MSELoss{}(view, target).value == 0);
  CHECK(MSELoss{}(target, view).value == 0);
}

TEST_CASE("MSELoss: bad input is refused with a message") {
  Tensor<float, Shape<3>> y(2), target(3), none;
  check_refused([&] { MSELoss{}(y, target); }, {"MSELoss", "3 targets", "2 rows", "same batch"});
  check_refused([&] { MSELoss{}(none, none); }, {"no rows"});
}
