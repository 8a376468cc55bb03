// SPDX-License-Identifier: MIT
#include "sinter/layers/maximum.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "sinter/layers/activation.hpp"
#include "sinter/layers/linear.hpp"
#include "sinter/model/program.hpp"

using namespace sinter::internal;

namespace {

struct Net : Sequential<Input<4>, Maximum<Path<Linear<3>>, Path<Linear<3>, Sigmoid>>> {};

static_assert(Layer<Net::LayerTypes::At<0>> && Program<Net>::output == features(3));
static_assert(!Maximum<Path<Linear<3>>, Path<Linear<4>>>::accepts(features(4)));

template <class V>
void check_numbers() {
  const auto backward = [](V a, V b) {
    V da, db;
    Larger::backward(a, b, V(2), da, db);
    return std::pair{da, db};
  };
  CHECK(Larger::forward(V(1), V(3)) == V(3));
  CHECK(Larger::forward(V(3), V(1)) == V(3));
  CHECK(Larger::forward(V(-1), V(-1)) == V(-1));
  CHECK(backward(V(1), V(3)) == std::pair{V(0), V(2)});
  CHECK(backward(V(3), V(1)) == std::pair{V(2), V(0)});
  CHECK(backward(V(3), V(3)) == std::pair{V(1), V(1)});
  const V nan = std::numeric_limits<V>::quiet_NaN();
  CHECK(std::isnan(Larger::forward(nan, V(1))));
  CHECK(std::isnan(Larger::forward(V(1), nan)));
}

}  // namespace

TEST_CASE("parameters of a Maximum are named by their branch") {
  REQUIRE(Program<Net>::parameter_count == 4);
  CHECK(Program<Net>::parameters[0].name == "0.0.0.weight");
  CHECK(Program<Net>::parameters[3].name == "0.1.0.bias");
}

TEST_CASE("the larger number, and its gradient") {
  check_numbers<float>();
  check_numbers<double>();
}
