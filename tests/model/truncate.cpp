// SPDX-License-Identifier: MIT
#include "sinter/model/truncate.hpp"

#include <doctest/doctest.h>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/network/network.hpp"

using namespace sinter::internal;

namespace {
struct Whole : Sequential<Input<4>, Linear<9>, Tanh, Linear<3>> {};
using Features = Truncate<Whole, 2>;
static_assert(Features::output_dims == features(9));
static_assert(Truncate<Whole, 0>::output_dims == features(4));
}  // namespace

TEST_CASE("the first layers, with the parameters of the whole network") {
  const Network<Whole> whole{{.seed = 3}};
  Network<Features> first{{.seed = 4}};
  first = whole;

  Tensor<float, Shape<4>> x(5);
  for (std::size_t i = 0; i < x.values().size(); ++i) x.data()[i] = static_cast<float>(i) / 7 - 1;
  auto first_workspace = first.workspace(5);
  auto whole_workspace = whole.workspace(5);
  const auto middle = first.forward(x, first_workspace);
  const auto y = whole.forward(x, whole_workspace);

  // What is left of the whole network, by hand.
  Network<Whole> named = whole;
  const auto weight = named.parameter("2.weight"), bias = named.parameter("2.bias");
  for (std::size_t row = 0; row < 5; ++row)
    for (std::size_t o = 0; o < 3; ++o) {
      float sum = bias[o];
      for (std::size_t i = 0; i < 9; ++i) sum += weight[o * 9 + i] * middle.row(row)[i];
      CHECK(y.row(row)[o] == doctest::Approx(sum));
    }
}
