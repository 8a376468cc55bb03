// SPDX-License-Identifier: MIT
#include "sinter/layers/embedding.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sinter/device/reference.hpp"
#include "sinter/kernels/reference/device_engine.hpp"
#include "sinter/layers/flatten.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/loss/cross_entropy.hpp"
#include "sinter/network/network.hpp"
#include "sinter/optimizer/sgd.hpp"
#include "sinter/train/trainer.hpp"
#include "support/error_of.hpp"

using namespace sinter::internal;

namespace {

static_assert(Layer<Embedding<7, 3>>);
static_assert(detail::output_of<Embedding<7, 3>>(features(5)) == series(5, 3));
static_assert(detail::output_of<Embedding<7, 3, ChannelsFirst>>(features(5)) == series(3, 5));
static_assert(!Embedding<7, 3>::accepts(image(1, 2, 2)));
static_assert(row_of_table(6.0f, 7) == 6 && row_of_table(7.0f, 7) == -1 && row_of_table(-1.0, 7) == -1);
static_assert(row_of_table(0.5f, 7) == -1 && row_of_table(1e30f, 7) == -1);

struct Net : Sequential<Input<2>, Embedding<5, 3>, Flatten, Linear<2>> {};

}  // namespace

TEST_CASE("the table has PyTorch's name and shape, and starts as N(0, 1)") {
  CHECK(Program<Net>::parameters[0].name == "0.weight");
  CHECK(Program<Net>::parameters[0].shape == std::array{5, 3, 0, 0});
  struct Large : Sequential<Input<1>, Embedding<100, 100>> {};
  Network<Large> net;
  double squares = 0;
  for (const auto& parameter : net.parameters())
    for (const float value : parameter.value) squares += static_cast<double>(value) * static_cast<double>(value);
  CHECK(squares / 1e4 == doctest::Approx(1).epsilon(0.05));
}

TEST_CASE("a number that is no row gives NaN, and leaves other rows of the batch alone") {
  Network<Net> net;
  Tensor<float, Shape<2>> x{0, 4, 1, 5, 2, 2.5f, -1, 0};
  auto workspace = net.workspace(4);
  const auto y = net.forward(x, workspace);
  for (int k = 0; k < 2; ++k) {
    CHECK(std::isfinite(y(0, k)));
    CHECK(std::isnan(y(1, k)));
    CHECK(std::isnan(y(2, k)));
    CHECK(std::isnan(y(3, k)));
  }
}

TEST_CASE_TEMPLATE("a training moves the rows that it has seen alone, and stops at a number that is none", Device, Host,
                   Reference) {
  Network<Net, Device, Float64> net;
  const std::vector<double> before(net.data(), net.data() + 15);
  Trainer trainer{net, CrossEntropyLoss{}, SGD{.lr = 0.1}};
  trainer.step(Tensor<double, Shape<2>>{0, 1, 1, 3}, std::vector<int>{0, 1});
  for (std::size_t row = 0; row < 5; ++row) {
    CAPTURE(row);
    const bool seen = row == 0 || row == 1 || row == 3;
    for (std::size_t k = 0; k < 3; ++k) CHECK((net.data()[row * 3 + k] != before[row * 3 + k]) == seen);
  }
  const std::vector<double> after(net.data(), net.data() + 15);
  CHECK_THROWS_WITH(
      trainer.step(Tensor<double, Shape<2>>{0, 7}, std::vector<int>{0}),
      "sinter: row 0, feature 1 of the inputs is 7, expected 0 to 4 for the Embedding of layer 0; number the "
      "categories from 0, in whole numbers, or give the Embedding more rows");
  CHECK(std::vector<double>(net.data(), net.data() + 15) == after);
}
