// SPDX-License-Identifier: MIT
#include "sinter/train/regression.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <string>

#include "sinter/layers/linear.hpp"
#include "support/error_of.hpp"

using namespace sinter;

namespace {
struct Two : Sequential<Input<1>, Linear<2>> {};

/// y = (x, 2 x)
Network<Two> line() {
  Network<Two> net{Host{.threads = 2}};
  net.parameter("0.weight")[0] = 1, net.parameter("0.weight")[1] = 2;
  net.parameter("0.bias")[0] = net.parameter("0.bias")[1] = 0;
  return net;
}
}  // namespace

TEST_CASE("scikit-learn's mean_absolute_error, root_mean_squared_error and r2_score") {
  const Tensor<float, Shape<1>> x{1, 2, 3, 4};
  const Tensor<float, Shape<2>> target{1.5f, 2, 2, 3.5f, 3, 6.5f, 5, 8};
  // d = (-.5 0) (0 .5) (0 -.5) (-1 0); r2 of the outputs: 1 - 1.25 / 7.1875, 1 - 0.5 / 22.5
  const auto got = regression(line(), dataset(x, target));
  CHECK(got.mean_absolute_error == doctest::Approx(2.5 / 8));
  CHECK(got.root_mean_squared_error == doctest::Approx(std::sqrt(1.75 / 8)));
  CHECK(got.r2 == doctest::Approx(((1 - 1.25 / 7.1875) + (1 - 0.5 / 22.5)) / 2));
}

TEST_CASE("outputs that are NaN make all three NaN, also where the targets are constant") {
  auto net = line();
  net.parameter("0.weight")[1] = std::numeric_limits<float>::quiet_NaN();
  const Tensor<float, Shape<1>> x{1, 2};
  const Tensor<float, Shape<2>> target{1, 2, 2, 4}, constant{1, 2, 1, 2};
  for (const auto* targets : {&target, &constant}) {
    const auto got = regression(net, dataset(x, *targets));
    CHECK(std::isnan(got.mean_absolute_error));
    CHECK(std::isnan(got.root_mean_squared_error));
    CHECK(std::isnan(got.r2));
  }
}

TEST_CASE("exact outputs, constant targets, no rows") {
  const Tensor<float, Shape<1>> x{1, 1}, none;
  const Tensor<float, Shape<2>> exact{1, 2, 1, 2}, off{1, 3, 1, 3}, nothing;
  CHECK(regression(line(), dataset(x, exact)).r2 == 1);
  CHECK(regression(line(), dataset(x, exact)).mean_absolute_error == 0);
  CHECK(regression(line(), dataset(x, off)).r2 == 0.5);
  const auto empty = dataset(none, nothing);
  CHECK(error_of([&] { regression(line(), empty); }).find("0 rows") != std::string::npos);
}

TEST_CASE("targets that are all equal, though their sum is not exact, count 1 or 0") {
  struct Constant : Sequential<Input<1>, Linear<1>> {};
  Network<Constant, Host, Float64> net;
  net.parameter("0.weight")[0] = 0;
  const Tensor<double, Shape<1>> x{1, 2, 3}, y{.1, .1, .1};
  net.parameter("0.bias")[0] = 0.5;
  CHECK(regression(net, dataset(x, y)).r2 == 0);
  net.parameter("0.bias")[0] = .1;
  CHECK(regression(net, dataset(x, y)).r2 == 1);
}
